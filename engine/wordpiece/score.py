"""The score of a pair, and the pairs of the highest score, without rounding.

Scores are fractions of integers. A float tells most of them apart, but two that differ in the last
bit or are equal may come out either way round; so floats only find the pairs *near* the top, and
these are compared as fractions: n/d > m/e where n·e > m·d.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from engine.bpe.ties import TIE_RULES, TieRule
from engine.core.arrays import Ints
from engine.core.registry import Registry

NEARLY = 1 - 2**-40
"""Floats of equal scores are within three roundings of each other, each of at most 2⁻⁵³."""


@dataclass(frozen=True, slots=True)
class Score:
    """count(ab) / (count(a) · count(b)), by its three numbers.

    >>> score = Score(5, 20, 5)
    >>> str(score), score.value
    ('5 / (20 · 5)', Fraction(1, 20))
    """

    count: int
    left: int
    right: int

    @property
    def value(self) -> Fraction:
        """The score itself: what scores are compared by."""
        return Fraction(self.count, self.left * self.right)

    def __str__(self) -> str:
        return f"{self.count:,} / ({self.left:,} · {self.right:,})"


def estimates(counts: Ints, lefts: Ints, rights: Ints) -> npt.NDArray[np.float64]:
    """The scores of pairs, rounded."""
    rounded: npt.NDArray[np.float64] = counts / (lefts.astype(np.float64) * rights)
    return rounded


def highest(counts: Ints, lefts: Ints, rights: Ints) -> Ints:
    """The places of all pairs that share the highest score; none if there are no pairs.

    Args:
        counts: of the pairs, above 0.
        lefts, rights: the counts of their parts.

    >>> highest(np.array([5, 4, 2]), np.array([20, 4, 2]), np.array([5, 10, 10])).tolist()
    [1, 2]
    """
    if not len(counts):
        return np.zeros(0, dtype=np.int64)
    rounded = estimates(counts, lefts, rights)
    near = np.flatnonzero(rounded >= rounded.max() * NEARLY)
    integers = _wide_enough(int(counts.max()) * int(lefts.max()) * int(rights.max()))
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


def standings(counts: Ints, lefts: Ints, rights: Ints) -> list[int]:
    """How many different scores are higher than each pair's: 0 for the highest, then 1, ….

    Equal scores are one and the same fraction in its lowest terms, so that of many tied pairs only
    one is compared with the others.

    Args:
        counts, lefts, rights: as in `highest`.

    >>> standings(np.array([5, 4, 2]), np.array([20, 4, 2]), np.array([5, 10, 10]))
    [1, 0, 0]
    """
    if not len(counts):
        return []
    integers = _wide_enough(int(lefts.max()) * int(rights.max()))
    denominators = lefts.astype(integers) * rights.astype(integers)
    shared = np.gcd(counts.astype(integers), denominators)
    terms = list(zip((counts // shared).tolist(), (denominators // shared).tolist(), strict=True))
    best_first = sorted(set(terms), key=lambda fraction: Fraction(*fraction), reverse=True)
    standing = {fraction: place for place, fraction in enumerate(best_first)}
    return [standing[fraction] for fraction in terms]


def _wide_enough(largest: int) -> type[np.int64] | type[np.object_]:
    """Integers that hold a product: 64 bits are much faster than Python's, and mostly do."""
    return np.int64 if largest < 2**63 else np.object_


# Tie rules: which of several pairs with the same top score merges.
#
# Ties are common here: where two pieces stand only side by side, n times, the score is 1/n, and
# most rare words are full of such pairs. Papers say nothing about ties.


@dataclass(frozen=True)
class ScoreTieRule:
    """A named rule.

    `by_count`: of the tied pairs only those of the highest count are left. Among them `then`
    chooses, which is a rule of byte-pair encoding; it reads the pieces as they are written, `##`
    included.
    """

    name: str
    summary: str
    by_count: bool
    then: TieRule


SCORE_TIE_RULES: Registry[ScoreTieRule] = Registry(
    "tie rule",
    {
        rule.name: rule
        for rule in (
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
    },
)
DEFAULT_TIE_RULE = "frequent"
