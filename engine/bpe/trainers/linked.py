"""SentencePiece's way: linked tokens, places for each pair, and an active set of frequent pairs.

After `bpe_model_trainer.cc` of SentencePiece 0.1 (Kudo and Richardson 2018; later versions keep the
pairs in a queue). Most pairs are rare, so the best one is looked for among the most frequent
twentieth only. This *active set* is made anew every hundred merges; new pairs join it at once. A
merge corrects no counts: those of the pairs beside it are *in doubt* from then on, and a pair in
doubt is counted at its places when somebody looks at it.

SentencePiece's search is not exact: when the active pairs have become rarer than one that was left
out, it takes the lesser pair. Here the highest count left out is remembered. Counts only fall, so
the best active pair is the best of all while it is more frequent than that; when it no longer is,
the set is made anew before its time. Pairs as frequent as the last that comes in come in, too: they
might tie. SentencePiece also refuses pairs that make no valid piece, for their length or because
they mix scripts; of these rules only the length is known here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import nlargest

from engine.bpe.trainers.algorithm import Algorithm, CodeLine, Phase, TrainingTask
from engine.core.events import Pair
from engine.recording.merge_record import MergeReport

REFRESH_STEPS = 100
ACTIVE_SHARE = 20
"""One pair of so many is active."""
LEAST_ACTIVE = 1000


def linked(task: TrainingTask) -> Iterator[MergeReport]:
    # Link the tokens of every pretoken; note for each pair where it starts.
    pretokens = LinkedPretokens(task)
    # Every hundred merges, or sooner: make the set of the most frequent pairs, the active ones.
    active = ActivePairs(task, pretokens)
    key = task.tie_key(pretokens.first_seen)
    while True:
        # Count the active pairs that are in doubt; find the highest count.
        count, tied = active.best()
        if count < task.min_count:
            return
        # Of the pairs that have it, choose the one that the tie rule puts first.
        pair = min(tied, key=key)
        # Join its two tokens to a new one.
        new_id = task.join(pair)
        # Replace the pair at its places.
        replaced = pretokens.merge(pair, new_id)
        # The pairs beside it are in doubt now; the new ones are active.
        active.merged(pair, new_id, replaced.after)
        yield task.merge(pair, count, replaced.after, replaced.occurrences, replaced.pretokens)


GONE = -1
"""The token of a cell that a merge has emptied."""
NONE = -1
"""No cell: the pretoken ends here."""


@dataclass(frozen=True)
class LinkedReplacement:
    """What replacing a pair came to.

    Attributes:
        after: the new count of each pair whose count changed.
        occurrences: how often the pair was replaced in the corpus.
        pretokens: in how many distinct pretokens.
    """

    after: dict[Pair, int]
    occurrences: int
    pretokens: int


class LinkedPretokens:
    """Tokens in a doubly linked list, and for each pair the places where it started.

    A token is known by the *cell* of its first symbol, and cells are numbered through all
    pretokens. A merge writes into the left token's cell and unlinks the right one's. (SentencePiece
    has no links: it walks over emptied cells to the next token.) The places of a pair are noted in
    the step that makes its younger token, from left to right. Later merges break some of them up,
    and nobody takes these out: whoever looks at a pair looks its places up, and drops those that
    are gone.

    Attributes:
        counts: the true count of each pair that stands. It is kept for the record of the run;
            the algorithm itself only believes what it has counted at the places.
    """

    def __init__(self, task: TrainingTask) -> None:
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
            self._link(pretoken, tokens)

    def _link(self, pretoken: int, tokens: list[int]) -> None:
        first, end = len(self._tokens), len(self._tokens) + len(tokens)
        self._tokens += tokens
        self._pretoken_of += [pretoken] * len(tokens)
        self._before += [NONE, *range(first, end - 1)][: len(tokens)]
        self._after += [*range(first + 1, end), NONE][: len(tokens)]
        for cell in range(first, end - 1):
            self._note(cell, cell + 1)

    def _note(self, left: int, right: int) -> None:
        """A pair starts here from now on."""
        pair = self._tokens[left], self._tokens[right]
        if self._may_merge(pair):
            self._places[pair].append(left)
            self._change(pair, left, 1)

    def _change(self, pair: Pair, left: int, times: int) -> None:
        """Add one occurrence to the pair's true count (`times` 1), or take one away (−1)."""
        self.counts[pair] += times * self._times[self._pretoken_of[left]]
        self._changed.add(pair)

    def recount(self, pair: Pair) -> int:
        """Count a pair at its places; those where it stands no longer are forgotten."""
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
        """Where a pair that has just been counted stands first: (its pretoken, the cell)."""
        cell = self._places[pair][0]
        return self._pretoken_of[cell], cell

    def merge(self, pair: Pair, new_id: int) -> LinkedReplacement:
        """Replace the pair at its places, which have just been counted, from left to right."""
        self._changed = {pair}
        before, after, tokens = self._before, self._after, self._tokens
        changed_pretokens: set[int] = set()
        occurrences = 0
        places = self._places.pop(pair)
        self._work.places_checked += len(places)
        for left in places:
            if tokens[left] != pair[0]:  # in aaa the place before has taken the token
                continue
            gone = after[left]
            behind = after[gone]
            # The pairs on both sides lose an occurrence.
            self._break_up(before[left], left, pair)
            self._break_up(gone, behind, pair)
            # The left cell has the new token, the right one is unlinked.
            tokens[left], tokens[gone] = new_id, GONE
            after[left] = behind
            # The new token makes pairs with its neighbours.
            if before[left] != NONE:
                self._note(before[left], left)
            if behind != NONE:
                before[behind] = left
                self._note(left, behind)
            changed_pretokens.add(self._pretoken_of[left])
            occurrences += self._times[self._pretoken_of[left]]
        self.counts[pair] = 0
        return LinkedReplacement(self._after_merge(new_id), occurrences, len(changed_pretokens))

    def _break_up(self, left: int, right: int, merging: Pair) -> None:
        """The pair that starts here, if there is one, does so no longer."""
        if left == NONE or right == NONE:
            return
        pair = self._tokens[left], self._tokens[right]
        if pair != merging and pair in self.counts:
            self._change(pair, left, -1)

    def _after_merge(self, new_id: int) -> dict[Pair, int]:
        """The pairs whose count has changed, with what it is now."""
        after: dict[Pair, int] = {}
        for pair in self._changed:
            count = self.counts[pair]
            if not count:
                del self.counts[pair]
                if new_id in pair:  # it was there only on the way
                    del self._places[pair]
                    continue
            after[pair] = count
        return after


class ActivePairs:
    """All pairs with the counts last found, and those among which the best is looked for.

    Three things are kept true:

    * a pair that is not in doubt has the count that was last found;
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
        """The highest count and the pairs that have it; (0, []) if there is no pair."""
        if self._merges % REFRESH_STEPS == 0:
            self._refresh()
        count, tied = self._scan()
        if count <= self._left_out:
            # A pair that was left out may be as good: make the set anew, and look again.
            self._refresh()
            count, tied = self._scan()
        return count, tied

    def merged(self, pair: Pair, new_id: int, changed: Iterable[Pair]) -> None:
        """A pair has merged: those beside it are to be counted again, and some are new."""
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
        """Count pairs that are in doubt; those that stand nowhere any more are forgotten."""
        for pair in pairs:
            count = self._found[pair] = self._pretokens.recount(pair)
            if not count:
                del self._found[pair]
                self._active.discard(pair)
        self._in_doubt.difference_update(pairs)

    def _refresh(self) -> None:
        """Make the active set anew: the most frequent pairs, and those as frequent as the last."""
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
    CodeLine("  every 100 merges, or if need be:", (Phase.CHOOSE,)),
    CodeLine("    active ← the most frequent pairs", (Phase.CHOOSE,)),
    CodeLine("  count active pairs in doubt", (Phase.COUNT,)),
    CodeLine("  best ← scan the active for the top", (Phase.CHOOSE,)),
    CodeLine("  new ← join best", (Phase.JOIN,)),
    CodeLine("  for each place where best stands:", (Phase.REPLACE,)),
    CodeLine("    link new in its place", (Phase.REPLACE,)),
    CodeLine("    doubt the counts beside it", (Phase.CORRECT,)),
    CodeLine("  active ← the pairs with new, too", (Phase.ENTER,)),
)

ALGORITHM = Algorithm(
    "linked",
    "linked tokens, and a set of frequent pairs; SentencePiece's",
    linked,
    PSEUDOCODE,
    ("pairs_scanned", "places_checked", "refreshes"),
)
