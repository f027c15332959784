"""Tokens in a doubly linked list, and for each pair the places where it started.

A token is known by the *cell* of its first symbol, and cells are numbered through all pretokens. A
merge writes the left token's cell and unlinks the right one's. (SentencePiece has no links: it
walks over emptied cells to the next token.) The places of a pair are noted in the step that makes
its younger token, from left to right. Later merges break some of them up, and nobody takes these
out: whoever looks at a pair looks its places up, and drops those that are gone.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from engine.bpe.trainers.problem import Problem
from engine.core.events import Pair

GONE = -1
NONE = -1
"""No cell: the pretoken ends here."""


class LinkedWords:
    """The pretokens of a problem, linked, with the places of their pairs.

    Attributes:
        counts: the true count of each pair that stands. It is kept for the record of the run;
            the algorithm itself only believes what it has counted at the places.
    """

    def __init__(self, problem: Problem) -> None:
        self._work = problem.work
        self._may_merge = problem.may_merge
        self._tokens: list[int] = []
        self._before: list[int] = []
        self._after: list[int] = []
        self._word_of: list[int] = []
        self._word_counts = list(problem.counts.values())
        self._places: defaultdict[Pair, list[int]] = defaultdict(list)
        self._changed: set[Pair] = set()
        self.counts: defaultdict[Pair, int] = defaultdict(int)
        for word, tokens in enumerate(problem.words()):
            self._link(word, tokens)

    def _link(self, word: int, tokens: list[int]) -> None:
        first, end = len(self._tokens), len(self._tokens) + len(tokens)
        self._tokens += tokens
        self._word_of += [word] * len(tokens)
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
        """The pair's true count is another by one occurrence."""
        self.counts[pair] += times * self._word_counts[self._word_of[left]]
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
        word_of, word_counts = self._word_of, self._word_counts
        return sum(word_counts[word_of[cell]] for cell in still)

    def first_seen(self, pair: Pair) -> tuple[int, int]:
        """Where a pair that has just been counted stands first: (its pretoken, the cell)."""
        cell = self._places[pair][0]
        return self._word_of[cell], cell

    def merge(self, pair: Pair, new_id: int) -> Replaced:
        """Replace the pair at its places, which have just been counted, from left to right."""
        self._changed = {pair}
        before, after, tokens = self._before, self._after, self._tokens
        words: set[int] = set()
        occurrences = 0
        places = self._places.pop(pair)
        self._work.places_checked += len(places)
        for left in places:
            if tokens[left] != pair[0]:  # in aaa the place before has taken the token
                continue
            gone = after[left]
            behind = after[gone]
            self._break_up(before[left], left, pair)
            self._break_up(gone, behind, pair)
            tokens[left], tokens[gone] = new_id, GONE
            after[left] = behind
            if before[left] != NONE:
                self._note(before[left], left)
            if behind != NONE:
                before[behind] = left
                self._note(left, behind)
            words.add(self._word_of[left])
            occurrences += self._word_counts[self._word_of[left]]
        self.counts[pair] = 0
        return Replaced(self._after_merge(new_id), occurrences, len(words))

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


@dataclass(frozen=True)
class Replaced:
    """What replacing a pair came to: the counts that changed, as they are now, and how often."""

    after: dict[Pair, int]
    occurrences: int
    pretokens: int
