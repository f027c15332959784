"""Counts that an index keeps up to date; a heap with lazy deletion has the best pair on top.

Finding the pair of highest count among all pairs costs a scan in each step. A heap keeps the best
pair at the top, but an entry inside it would have to be found when its count falls. Instead it
stays where it is and becomes *stale*. When a stale entry reaches the top, it is popped, and the
pair is pushed back with its true count.

This is exact because counts only fall: after the step that makes a pair, tokens around it can only
disappear into others. So a stale entry always claims too much and is popped too early, never too
late, and no better pair can hide below it. Each pair has at most one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from heapq import heapify, heappop, heappush

from engine.bpe.ties import FirstSeen, PairKey, TieKey
from engine.bpe.trainers.algorithm import Algorithm, TrainingTask
from engine.bpe.trainers.indexed import PairIndex
from engine.bpe.trainers.pseudocode import CodeLine, Move
from engine.core.events import Pair
from engine.recording.merge_record import MergeReport

HeapEntry = tuple[int, TieKey, Pair]
"""(minus the recorded count, the tie rule's key, the pair): the least entry is the best pair."""


class LazyHeap:
    """A heap of pairs with lazy deletion.

    Args:
        counts: pair → its true count, which the caller changes as merging goes on. A pair that is
            gone is absent.
        key: the tie rule's key; of two pairs with equal counts the lesser key is first.

    Attributes:
        entries: the heap's own array: the children of entry i are 2i + 1 and 2i + 2.
        pushes, pops: the number of operations so far.
        stale: the number of pops that returned a stale entry.

    >>> counts = {(1, 2): 9, (3, 4): 8}
    >>> heap = LazyHeap(counts, key=lambda pair: pair)
    >>> counts[(1, 2)] = 5
    >>> heap.pop_best()
    (3, 4)
    >>> heap.stale
    1
    """

    def __init__(self, counts: Mapping[Pair, int], key: PairKey) -> None:
        self._counts = counts
        self._key = key
        self.entries: list[HeapEntry] = [
            (-count, key(pair), pair) for pair, count in counts.items()
        ]
        heapify(self.entries)
        self.pushes = len(self.entries)
        self.pops = self.stale = 0

    def is_stale(self, entry: HeapEntry) -> bool:
        """Whether the recorded count of the entry is out of date."""
        return -entry[0] != self._counts.get(entry[2], 0)

    def push(self, pair: Pair) -> None:
        """Push a pair with its true count."""
        heappush(self.entries, (-self._counts[pair], self._key(pair), pair))
        self.pushes += 1

    def pop_best(self, choose: Callable[[list[Pair]], Pair] | None = None) -> Pair | None:
        """Pop the best pair; `None` if the heap is empty.

        Args:
            choose: for tie rules whose keys change. It chooses among all pairs of the top count,
                and the others are pushed back.
        """
        # Correct stale entries at the top until the top entry is true.
        while self.entries and self.is_stale(self.entries[0]):
            self._correct_top()
        if not self.entries:
            return None
        top, _, pair = self._pop()
        return pair if choose is None else self._choose_among_tied(top, pair, choose)

    def _pop(self) -> HeapEntry:
        self.pops += 1
        return heappop(self.entries)

    def _choose_among_tied(
        self, top: int, first: Pair, choose: Callable[[list[Pair]], Pair]
    ) -> Pair:
        tied = [first]
        while self.entries and self.entries[0][0] == top:
            if self.is_stale(self.entries[0]):
                self._correct_top()
            else:
                tied.append(self._pop()[2])
        chosen = choose(tied)
        for pair in tied:
            if pair != chosen:
                self.push(pair)
        return chosen

    def _correct_top(self) -> None:
        """Pop the stale entry at the top; push its pair back if its true count is not 0."""
        _, _, pair = self._pop()
        self.stale += 1
        if self._counts.get(pair, 0):
            self.push(pair)


def heap(task: TrainingTask) -> Iterator[MergeReport]:
    # Count all pairs, and note the pretokens that contain each.
    yield from merges_by_heap(task, PairIndex(task))


def merges_by_heap(
    task: TrainingTask, index: PairIndex, may_merge: Callable[[Pair], bool] = lambda pair: True
) -> Iterator[MergeReport]:
    """Yield the merges from the index's present state on, best first, without forbidden pairs.

    From here on counts only fall, whatever was merged before, so a lazy heap is exact.
    """
    # Put all pairs into a heap, ordered by their counts.
    queue, choose = queue_of(task, index.counts, index.first_seen)
    work = task.work
    # Pop the best pair; stale entries are corrected on the way.
    while (pair := queue.pop_best(choose)) is not None:
        if index.counts[pair] < task.min_count:
            return
        if not may_merge(pair):
            continue
        # Join its two tokens to a new one; replace the pair in the pretokens that contain it.
        new_id = task.join(pair)
        merge = index.merge(pair, new_id)
        # Push the new pairs. Counts of old pairs can only fall: their entries become stale.
        for changed in map(task.pairs.__getitem__, merge.changed):
            if new_id in changed:
                queue.push(changed)
        work.heap_pushes, work.heap_pops, work.stale_entries = queue.pushes, queue.pops, queue.stale
        work.pretokens_visited, work.tokens_read = index.pretokens_visited, index.tokens_read
        yield merge


def queue_of(
    task: TrainingTask,
    counts: Mapping[Pair, int],
    first_seen: FirstSeen,
    kind: type[LazyHeap] = LazyHeap,
) -> tuple[LazyHeap, Callable[[list[Pair]], Pair] | None]:
    """Make the heap over these counts, and a function that chooses among tied pairs if needed."""
    key = task.tie_key(first_seen)
    if task.tie_rule.static:
        return kind(counts, key), None
    # A heap cannot be ordered by keys that change. Any fixed order will do, and `choose` examines
    # all pairs that share the top count.
    return kind(counts, lambda pair: pair), partial(min, key=key)


PSEUDOCODE = (
    CodeLine("heap ← all pairs by their counts"),
    CodeLine("while the heap is not empty:"),
    CodeLine("  entry ← pop the best", (Move.POP_STALE, Move.POP)),
    CodeLine("  if its count is no longer true:", (Move.POP_STALE,)),
    CodeLine("    push it back with the true one", (Move.PUSH_BACK,)),
    CodeLine("    continue"),
    CodeLine("  new ← join the pair", (Move.POP,)),
    CodeLine("  for each pretoken with the pair:", (Move.POP,)),
    CodeLine("    replace the pair by new", (Move.POP,)),
    CodeLine("    correct counts beside it", (Move.POP,)),
    CodeLine("  push the pairs with new", (Move.PUSH,)),
)

ALGORITHM = Algorithm(
    "heap",
    "an index and a lazy heap",
    heap,
    PSEUDOCODE,
    ("heap_pushes", "heap_pops", "stale_entries", "pretokens_visited", "tokens_read"),
)
