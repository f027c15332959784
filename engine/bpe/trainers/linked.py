"""SentencePiece's algorithm: places of each pair, an active set of frequent pairs; linked tokens.

After `bpe_model_trainer.cc` of SentencePiece 0.1 (Kudo and Richardson 2018; later versions keep the
pairs in a queue). It has no links: the symbols of a word are in an array, where a merge leaves
holes, and `GetNextIndex` and `GetPrevIndex` scan over them to the neighbours.

Most pairs are rare, so the best one is searched only among the most frequent twentieth. This
*active set* is rebuilt every hundred merges; new pairs join it at once. A merge does not correct
counts: the counts of the pairs beside it are *in doubt* from then on, and a pair in doubt is
counted at its places before it is compared.

SentencePiece's search is not exact: when the active pairs have become rarer than a pair outside the
set, it takes the rarer pair. Here the highest count outside is stored. Counts only fall, so the
best active pair is the best of all while it is more frequent than that; otherwise the set is
rebuilt early. All pairs as frequent as the last active pair are active, too, because they may tie.
SentencePiece also refuses pairs that make an invalid piece: too long, or of mixed scripts. Here
only the length is limited.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from heapq import nlargest

from engine.bpe.trainers.algorithm import Algorithm, TrainingTask
from engine.bpe.trainers.pseudocode import CodeLine, StepPart
from engine.core.events import Pair
from engine.recording.merge_record import MergeReport

REFRESH_STEPS = 100
ACTIVE_SHARE = 20
"""The active set has one in this number of pairs."""
LEAST_ACTIVE = 1000


def linked(task: TrainingTask) -> Iterator[MergeReport]:
    # Link the tokens of every pretoken; note the places where each pair starts.
    pretokens = LinkedPretokens(task)
    # Every hundred merges, or sooner, build the set of the most frequent pairs, the active ones.
    active = ActivePairs(task, pretokens)
    key = task.tie_key(pretokens.first_seen)
    while True:
        # Count the active pairs that are in doubt; find the highest count.
        count, tied = active.best()
        if count < task.min_count:
            return
        # Of the pairs with this count, choose the one that the tie rule puts first.
        pair = min(tied, key=key)
        # Join its two tokens to a new one.
        new_id = task.join(pair)
        # Replace the pair at its places.
        merge = pretokens.merge(pair, new_id)
        # The pairs beside it are in doubt now; the new ones are active.
        active.merged(pair, new_id, list(map(task.pairs.__getitem__, merge.changed)))
        yield merge


GONE = -1
"""The token of a cell that a merge has emptied."""
NONE = -1
"""No cell: the pretoken ends here."""


class LinkedPretokens:
    """Tokens in a doubly linked list, and for each pair the places where it started.

    A token is identified by the *cell* of its first symbol; cells are numbered through all
    pretokens. A merge writes into the left token's cell and unlinks the right token's cell.
    The places of a pair are noted in the step that makes its younger token, from left to right.
    Later merges break up some of these occurrences but leave the places in the list: a recount
    checks every place and drops those where the pair is gone.

    Attributes:
        counts: the true count of each pair that occurs, for the record of the run. The algorithm
            itself uses only what it has counted at the places.
    """

    def __init__(self, task: TrainingTask) -> None:
        self._task = task
        self._work = task.work
        self._may_merge = task.may_merge
        # cell → its token, the cells of the tokens before and after it, its pretoken
        self._tokens: list[int] = []
        self._before: list[int] = []
        self._after: list[int] = []
        self._pretoken_of: list[int] = []
        self._times = list(task.counts.values())
        self._places: defaultdict[Pair, list[int]] = defaultdict(list)
        self._changed: set[Pair] = set()
        self.counts: defaultdict[Pair, int] = defaultdict(int)
        for pretoken, tokens in enumerate(task.spelled()):
            first, end = len(self._tokens), len(self._tokens) + len(tokens)
            self._tokens += tokens
            self._pretoken_of += [pretoken] * len(tokens)
            self._before += [NONE, *range(first, end - 1)][: len(tokens)]
            self._after += [*range(first + 1, end), NONE][: len(tokens)]
            for cell in range(first, end - 1):
                self._note(cell, cell + 1)

    def _note(self, left: int, right: int) -> None:
        """Note a pair that starts here from now on."""
        pair = self._tokens[left], self._tokens[right]
        if self._may_merge(pair):
            self._places[pair].append(left)
            self._change(pair, left, 1)

    def _change(self, pair: Pair, left: int, times: int) -> None:
        """Add one occurrence to the pair's true count (`times` 1), or take one away (−1)."""
        self.counts[pair] += times * self._times[self._pretoken_of[left]]
        self._changed.add(pair)

    def recount(self, pair: Pair) -> int:
        """Count a pair at its places; forget the places where it no longer occurs."""
        left, right = pair
        tokens, after, places = self._tokens, self._after, self._places[pair]
        self._work.places_checked += len(places)
        still = [
            cell
            for cell in places
            if tokens[cell] == left and after[cell] != NONE and tokens[after[cell]] == right
        ]
        if still:
            self._places[pair] = still
        else:
            del self._places[pair]
        pretoken_of, times = self._pretoken_of, self._times
        return sum(times[pretoken_of[cell]] for cell in still)

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """Find the first occurrence of a pair that was just recounted: (its pretoken, the cell)."""
        cell = self._places[pair][0]
        return self._pretoken_of[cell], cell

    def merge(self, pair: Pair, new_id: int) -> MergeReport:
        """Replace the pair at its places, which were just recounted, from left to right."""
        self._changed = {pair}
        before, after, tokens = self._before, self._after, self._tokens
        changed_pretokens: set[int] = set()
        count, occurrences = self.counts[pair], 0
        places = self._places.pop(pair)
        self._work.places_checked += len(places)
        for left in places:
            if tokens[left] != pair[0]:  # in aaa the replacement before has taken this token
                continue
            gone = after[left]
            following = after[gone]
            # The pairs on both sides lose an occurrence.
            self._break_up(before[left], left, pair)
            self._break_up(gone, following, pair)
            # The left cell gets the new token, the right one is unlinked.
            tokens[left], tokens[gone] = new_id, GONE
            after[left] = following
            # The new token makes pairs with its neighbours.
            if before[left] != NONE:
                self._note(before[left], left)
            if following != NONE:
                before[following] = left
                self._note(left, following)
            changed_pretokens.add(self._pretoken_of[left])
            occurrences += self._times[self._pretoken_of[left]]
        self.counts[pair] = 0
        counts_now = self._after_merge(new_id)
        return self._task.merge(pair, count, counts_now, occurrences, len(changed_pretokens))

    def _break_up(self, left: int, right: int, merging: Pair) -> None:
        """Remove the occurrence of the pair between two cells, if there is one."""
        if left == NONE or right == NONE:
            return
        pair = self._tokens[left], self._tokens[right]
        if pair != merging and pair in self.counts:
            self._change(pair, left, -1)

    def _after_merge(self, new_id: int) -> dict[Pair, int]:
        """Return the pairs whose count has changed, with their new counts."""
        after: dict[Pair, int] = {}
        for pair in self._changed:
            count = self.counts[pair]
            if not count:
                del self.counts[pair]
                if new_id in pair:  # it occurred only during this merge
                    del self._places[pair]
                    continue
            after[pair] = count
        return after


class ActivePairs:
    """All pairs with their last counts, and the active set that the best pair is searched in.

    Invariants:

    * the last count of a pair that is not in doubt is its true count;
    * a pair in doubt is counted before it is compared;
    * no pair outside the active set is more frequent than `_left_out`.
    """

    def __init__(self, task: TrainingTask, pretokens: LinkedPretokens) -> None:
        self._work, self._pretokens = task.work, pretokens
        self._found = dict(pretokens.counts)
        self._in_doubt: set[Pair] = set()
        self._active: set[Pair] = set()
        self._left_out = 0
        self._merges = 0

    def best(self) -> tuple[int, list[Pair]]:
        """Return the highest count and the pairs with this count; (0, []) if there is no pair."""
        if self._merges % REFRESH_STEPS == 0:
            self._refresh()
        count, tied = self._scan()
        if count <= self._left_out:
            # A pair outside may be as frequent: rebuild the set and scan again.
            self._refresh()
            count, tied = self._scan()
        return count, tied

    def merged(self, pair: Pair, new_id: int, changed: Iterable[Pair]) -> None:
        """Note a merge: the changed pairs are in doubt now, and the new ones are active."""
        self._merges += 1
        self._in_doubt.update(changed)
        for new in changed:
            if new_id in new:
                self._found[new] = 0
                self._active.add(new)
        self._in_doubt.discard(pair)
        self._active.discard(pair)
        del self._found[pair]

    def _scan(self) -> tuple[int, list[Pair]]:
        self._settle(self._active & self._in_doubt)
        found = self._found
        self._work.pairs_scanned += len(self._active)
        top = max(map(found.__getitem__, self._active), default=0)
        return top, [pair for pair in self._active if found[pair] == top] if top else []

    def _settle(self, pairs: Iterable[Pair]) -> None:
        """Count pairs that are in doubt; forget those that no longer occur."""
        for pair in pairs:
            count = self._found[pair] = self._pretokens.recount(pair)
            if not count:
                del self._found[pair]
                self._active.discard(pair)
        self._in_doubt.difference_update(pairs)

    def _refresh(self) -> None:
        """Rebuild the active set: the most frequent pairs, and those equal to the last of them."""
        self._settle(set(self._in_doubt))
        found, work = self._found, self._work
        work.refreshes += 1
        work.pairs_scanned += len(found)
        size = max(LEAST_ACTIVE, len(found) // ACTIVE_SHARE)
        least = min(nlargest(size, found.values()), default=0)
        self._active = {pair for pair, count in found.items() if count >= least}
        self._left_out = max((count for count in found.values() if count < least), default=0)


PSEUDOCODE = (
    CodeLine("link all tokens; note places of pairs"),
    CodeLine("while there are pairs:"),
    CodeLine("  every 100 merges, or if need be:", (StepPart.CHOOSE,)),
    CodeLine("    active ← the most frequent pairs", (StepPart.CHOOSE,)),
    CodeLine("  count active pairs in doubt", (StepPart.COUNT,)),
    CodeLine("  best ← scan the active for the top", (StepPart.CHOOSE,)),
    CodeLine("  new ← join best", (StepPart.JOIN,)),
    CodeLine("  for each place of best:", (StepPart.REPLACE,)),
    CodeLine("    link new there", (StepPart.REPLACE,)),
    CodeLine("    doubt the counts beside it", (StepPart.CORRECT,)),
    CodeLine("  active ← the pairs with new, too", (StepPart.ENTER,)),
)

ALGORITHM = Algorithm(
    "linked",
    "SentencePiece's way: places, frequent pairs",
    linked,
    PSEUDOCODE,
    ("pairs_scanned", "places_checked", "refreshes"),
)
