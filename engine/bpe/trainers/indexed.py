"""Counts that an index keeps up to date; a scan of all pairs finds the best one.

The index lists the pretokens that contain a pair, so a merge visits only these. Inside them it
corrects only the counts of the pairs beside each replacement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise

from engine.bpe.trainers.algorithm import Algorithm, PairTask, TrainingTask
from engine.bpe.trainers.pseudocode import CodeLine, StepPart
from engine.core.events import Pair
from engine.encoding.merging import count_pairs, merge_pair
from engine.recording.merge_record import MergeReport


class PairIndex:
    """Pretokens in tokens, and for each pair its count and the pretokens that contain it.

    Counts are exact after every `merge`. The index may list a pretoken that no longer contains the
    pair; a merge finds nothing there and goes on. To remove such entries would cost more.

    Attributes:
        pairs: the numbers of the pairs.
        pretokens: the token ids of each distinct pretoken.
        times: the count of each distinct pretoken.
        counts: pair → number of occurrences; no zeros.
        pretokens_visited, tokens_read: the work of the merges so far.
    """

    def __init__(self, task: PairTask) -> None:
        self._task = task
        self.pairs = task.pairs
        self.pretokens = task.spelled()
        self.times = list(task.counts.values())
        self.counts = dict(task.mergeable(count_pairs(self.pretokens, self.times)))
        self.pretokens_visited = self.tokens_read = 0
        self._holders: defaultdict[Pair, set[int]] = defaultdict(set)
        for place, pretoken in enumerate(self.pretokens):
            for pair in pairwise(pretoken):
                self._holders[pair].add(place)

    def merge(self, pair: Pair, new_id: int) -> MergeReport:
        """Replace the pair by `new_id` everywhere, if anywhere, and update the counts."""
        return self.rewrite(pair, lambda place: merge_pair(self.pretokens[place], pair, new_id))

    def rewrite(self, pair: Pair, merged: Callable[[int], list[int]]) -> MergeReport:
        """Rewrite the pretokens that hold a pair; `merged` returns one as it is after that."""
        count = self.counts.get(pair, 0)
        deltas: defaultdict[Pair, int] = defaultdict(int)
        occurrences = pretokens = 0
        holders = self._holders.pop(pair, ())
        self.pretokens_visited += len(holders)
        self.tokens_read += sum(map(len, map(self.pretokens.__getitem__, holders)))
        for place in holders:
            before = self.pretokens[place]
            if pair not in pairwise(before):
                continue
            after, times = merged(place), self.times[place]
            for gone in pairwise(before):
                deltas[gone] -= times
            for come in pairwise(after):
                deltas[come] += times
                self._holders[come].add(place)
            self.pretokens[place] = after
            occurrences += (len(before) - len(after)) * times
            pretokens += 1
        now: dict[Pair, int] = {}  # the new count of each pair that changed
        for changed, delta in self._task.mergeable(deltas).items():
            if not delta:
                continue
            now[changed] = self.counts.get(changed, 0) + delta
            if now[changed]:
                self.counts[changed] = now[changed]
            else:
                del self.counts[changed]
                self._holders.pop(changed, None)
        return self._task.merge(pair, count, now, occurrences, pretokens)

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """Find the first occurrence of the pair now: (index of the pretoken, position in it)."""
        for place in sorted(self._holders[pair]):
            for position, adjacent in enumerate(pairwise(self.pretokens[place])):
                if adjacent == pair:
                    return place, position
        raise KeyError(pair)


def indexed(task: TrainingTask) -> Iterator[MergeReport]:
    # Count all pairs, and note the pretokens that contain each.
    index = PairIndex(task)
    key, work = task.tie_key(index.first_seen), task.work
    while index.counts:
        # Scan all pairs for the highest count.
        scanned = len(index.counts)
        top = max(index.counts.values())
        if top < task.min_count:
            return
        # Of the pairs with this count, choose the one that the tie rule puts first.
        pair = min((pair for pair, count in index.counts.items() if count == top), key=key)
        # Join its two tokens to a new one; replace the pair in the pretokens that contain it.
        merge = index.merge(pair, task.join(pair))
        work.pairs_scanned += scanned
        work.pretokens_visited, work.tokens_read = index.pretokens_visited, index.tokens_read
        yield merge


PSEUDOCODE = (
    CodeLine("count all pairs; note their pretokens"),
    CodeLine("while there are pairs:"),
    CodeLine("  best ← scan for the top count", (StepPart.CHOOSE,)),
    CodeLine("  new ← join best", (StepPart.JOIN,)),
    CodeLine("  for each pretoken noted for best:", (StepPart.REPLACE,)),
    CodeLine("    replace best by new", (StepPart.REPLACE,)),
    CodeLine("  correct counts beside it", (StepPart.CORRECT,)),
    CodeLine("  note the pretokens of pairs with new", (StepPart.ENTER,)),
)

ALGORITHM = Algorithm(
    "indexed",
    "an index; scans all pairs",
    indexed,
    PSEUDOCODE,
    ("pairs_scanned", "pretokens_visited", "tokens_read"),
)
