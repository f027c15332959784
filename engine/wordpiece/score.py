"""The score of a pair, and the pairs of one step by their scores, without rounding.

Scores are fractions of integers. Floats order most of them correctly, but not two that are equal or
nearly so. So floats only find the pairs *near* the top, and these are compared as fractions:
n/d > m/e if n·e > m·d.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from heapq import nsmallest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engine.bpe.ties import TIE_RULES, TieRule
from engine.core.arrays import Integers, Ints
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.core.wording import with_power
from engine.recording.merge_record import PairNumbers

NEARLY = 1 - 2**-40
"""Floats of equal scores differ by at most three roundings, each of at most 2⁻⁵³."""


@dataclass(frozen=True, slots=True)
class Score:
    """The score count(ab) / (count(a) × count(b)), as its three numbers.

    >>> score = Score(5, 20, 5)
    >>> str(score), score.value
    ('5 / (20 × 5)', Fraction(1, 20))
    """

    count: int
    left: int
    right: int

    @property
    def value(self) -> Fraction:
        """The score as a fraction, for comparisons."""
        return Fraction(self.count, self.left * self.right)

    def __str__(self) -> str:
        return f"{self.count:,} / ({self.left:,} × {self.right:,})"


SMALLEST_PLAIN = Fraction(1, 1000)


def score_text(score: Fraction) -> str:
    """Return a score with three digits.

    >>> score_text(Fraction(1, 36)), score_text(Fraction(1, 43_200))
    ('0.0278', '2.31×10⁻⁵')
    """
    value = float(score)
    if score >= SMALLEST_PLAIN or not score:
        return f"{value:.3g}"
    return with_power(value, 3)


def estimates(counts: Ints, lefts: Ints, rights: Ints) -> npt.NDArray[np.float64]:
    """Return the scores of pairs, rounded."""
    rounded: npt.NDArray[np.float64] = counts / (lefts.astype(np.float64) * rights)
    return rounded


def highest(counts: Ints, lefts: Ints, rights: Ints) -> Ints:
    """Return the places of all pairs with the highest score.

    Args:
        counts: counts of the pairs, above 0.
        lefts, rights: counts of their parts.

    >>> highest(np.array([5, 4, 2]), np.array([20, 4, 2]), np.array([5, 10, 10])).tolist()
    [1, 2]
    """
    if not len(counts):
        return np.zeros(0, dtype=np.int64)
    rounded = estimates(counts, lefts, rights)
    near = np.flatnonzero(rounded >= rounded.max() * NEARLY)
    # 64 bits are much faster than Python's integers.
    largest = int(counts.max()) * int(lefts.max()) * int(rights.max())
    integers = np.int64 if largest < 2**63 else np.object_
    numerators = counts[near].astype(integers)
    denominators = lefts[near].astype(integers) * rights[near].astype(integers)
    best = 0
    while True:
        against = numerators[best] * denominators
        mine = numerators * denominators[best]
        better = np.flatnonzero(mine > against)
        if not len(better):
            equal: Ints = near[mine == against]
            return equal
        best = int(better[0])


# -- tie rules: which of several pairs with the same top score merges
#
# Ties are common: if two pieces occur only next to each other, n times, their score is 1/n, and
# most rare words are full of such pairs. The papers do not define ties.


class ScoreTieRule(NamedTuple):
    """A named rule that chooses one of several pairs with the highest score.

    With `by_count` only the tied pairs of the highest count are left. Among them `then` chooses, a
    rule of byte-pair encoding that compares the pieces as written, `##` included.
    """

    name: str
    summary: str
    by_count: bool
    then: TieRule

    @property
    def title(self) -> str:
        """Its name; as for `TieRule`, the summary says who uses it."""
        return self.name

    @property
    def in_short(self) -> str:
        """The first clause of the summary."""
        return self.summary.split(";")[0]


SCORE_TIE_RULES: Registry[str, ScoreTieRule] = registry_of(
    "tie rule",
    ScoreTieRule(
        "frequent",
        "the more frequent pair wins, then the greater (left, right) as written",
        True,
        TIE_RULES["lexicographic"],
    ),
    ScoreTieRule(
        "first-seen",
        "the pair met first in the words as they are now wins; Hugging Face's course",
        False,
        TIE_RULES["first-seen"],
    ),
)
DEFAULT_TIE_RULE = "frequent"


# -- the pairs at one step: which is best, which are tied, which come next
#
# Every merge changes the counts of two pieces, and so the score of *each* pair that holds one.
# Scores rise, too, since the pieces become rarer. A heap cannot handle that. But a step needs only
# the best pair, and numpy finds it among all pairs in one pass.


class ScoredPair(NamedTuple):
    """A pair with its score; `tied` if it shares the highest score with another pair."""

    pair: Pair
    score: Score
    tied: bool


class TieOrder(NamedTuple):
    """An order of tied pairs: the least `key` is first.

    With `by_count` more frequent pairs come first, whatever their keys.
    """

    key: Callable[[Pair], Any]
    by_count: bool


class Scoreboard:
    """The pairs that may merge at one step, with their scores.

    Args:
        pairs: number → pair.
        numbers: the numbers of the pairs that occur often enough.
        counts: the count of each.
        lefts, rights: the counts of its left and its right piece in the corpus.
    """

    def __init__(
        self, pairs: PairNumbers, numbers: Ints, counts: Integers, lefts: Integers, rights: Integers
    ) -> None:
        self._pairs = pairs
        self._numbers = numbers
        self._counts = counts.astype(np.int64)
        self._lefts = lefts.astype(np.int64)
        self._rights = rights.astype(np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    @cached_property
    def leaders(self) -> Ints:
        """Places of the pairs with the highest score."""
        return highest(self._counts, self._lefts, self._rights)

    @property
    def tied(self) -> list[Pair]:
        """All pairs with the highest score, in no order."""
        return [self._pair(place) for place in self.leaders.tolist()]

    def best(self, order: TieOrder) -> Pair | None:
        """Return the pair that merges next; `None` if there is none."""
        leaders = self.leaders
        if not len(leaders):
            return None
        if order.by_count:
            counts = self._counts[leaders]
            leaders = leaders[counts == counts.max()]
        if len(leaders) == 1:
            return self._pair(int(leaders[0]))
        return min(map(self._pair, leaders.tolist()), key=order.key)

    def most_frequent(self, order: TieOrder) -> ScoredPair | None:
        """Return the pair of the highest count, whatever its score; `None` if there is none."""
        if not len(self._numbers):
            return None
        most = np.flatnonzero(self._counts == self._counts.max()).tolist()
        place = min(most, key=lambda place: order.key(self._pair(place)))
        return self._scored(place)

    def top(self, limit: int, order: TieOrder) -> list[ScoredPair]:
        """Return the pairs of the highest scores, in the order in which they would merge now."""
        near = np.arange(len(self._numbers))
        if 0 < limit < len(near):  # floats choose the highest scores and few others
            rounded = estimates(self._counts, self._lefts, self._rights)
            least = np.partition(rounded, len(near) - limit)[len(near) - limit]
            near = np.flatnonzero(rounded >= least * NEARLY)
        # Many pairs share a score, and one object is compared quickly with itself.
        lowest_first = cache(lambda count, parts: -Fraction(count, parts))

        def rank(place: int) -> tuple[Any, ...]:
            count, parts = self._counts.item(place), self._lefts.item(place)
            value = lowest_first(count, parts * self._rights.item(place))
            return value, -count if order.by_count else 0, order.key(self._pair(place)), place

        return list(map(self._scored, nsmallest(limit, near.tolist(), key=rank)))

    def _scored(self, place: int) -> ScoredPair:
        score = Score(int(self._counts[place]), int(self._lefts[place]), int(self._rights[place]))
        is_tied = len(self.leaders) > 1 and place in self.leaders
        return ScoredPair(self._pair(place), score, is_tied)

    def _pair(self, place: int) -> Pair:
        return self._pairs[int(self._numbers[place])]
