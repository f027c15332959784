"""Counts that an index keeps up to date; a scan of all pairs finds the best one.

The index lists the pretokens that contain a pair, so a merge visits only these. Inside them it
corrects only the counts of the pairs beside each replacement.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise, zip_longest

from engine.bpe.trainers.algorithm import Algorithm, CodeLine, PairTask, StepPart, TrainingTask
from engine.core.events import Pair
from engine.encoding.merging import count_pairs
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
        count = self.counts.get(pair, 0)
        deltas: defaultdict[Pair, int] = defaultdict(int)
        occurrences = pretokens = 0
        holders = self._holders.pop(pair, ())
        self.pretokens_visited += len(holders)
        self.tokens_read += sum(map(len, map(self.pretokens.__getitem__, holders)))
        for place in holders:
            replaced = self._merge_in(place, pair, new_id, deltas)
            if replaced:
                occurrences += replaced * self.times[place]
                pretokens += 1
        after: dict[Pair, int] = {}  # the new count of each pair that changed
        for changed, delta in self._task.mergeable(deltas).items():
            now = after[changed] = self.counts.get(changed, 0) + delta
            if now:
                self.counts[changed] = now
            else:
                del self.counts[changed]
                self._holders.pop(changed, None)
        return self._task.merge(pair, count, after, occurrences, pretokens)

    def _merge_in(self, place: int, pair: Pair, new_id: int, deltas: defaultdict[Pair, int]) -> int:
        """Merge in one pretoken; add the changes to `deltas`; return the number of replacements."""
        pretoken, times = self.pretokens[place], self.times[place]
        left, right = pair
        merged: list[int] = []
        made_at: list[int] = []  # the positions of the new tokens in `merged`
        position, end, last_end = 0, len(pretoken), -1
        while position < end:
            token = pretoken[position]
            if token == left and position + 1 < end and pretoken[position + 1] == right:
                # The pair is lost, and with it the pair before it and the pair after it.
                deltas[pair] -= times
                # Two neighbouring replacements share the pair between them; it is lost only once.
                if position and last_end != position:
                    deltas[pretoken[position - 1], left] -= times
                if position + 2 < end:
                    deltas[right, pretoken[position + 2]] -= times
                made_at.append(len(merged))
                merged.append(new_id)
                position += 2
                last_end = position
            else:
                merged.append(token)
                position += 1
        # The new pairs are those of each new token with its present neighbours. Of two neighbouring
        # replacements the second adds the pair between them.
        for at, following in zip_longest(made_at, made_at[1:]):
            if at:
                self._add((merged[at - 1], new_id), place, times, deltas)
            if at + 1 < len(merged) and following != at + 1:
                self._add((new_id, merged[at + 1]), place, times, deltas)
        self.pretokens[place] = merged
        return len(made_at)

    def _add(self, pair: Pair, place: int, times: int, deltas: defaultdict[Pair, int]) -> None:
        deltas[pair] += times
        self._holders[pair].add(place)

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
