"""The score of a pair, and the pairs of the highest score, without rounding.

Scores are fractions of integers. A float tells most of them apart, but two that differ in the last
bit or are equal may come out either way round; so floats only find the pairs *near* the top, and
these are compared as fractions: n/d > m/e where n·e > m·d.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.change_log import Ints

NEARLY = 1 - 2**-40
"""Floats of equal scores are within three roundings of each other, each of at most 2⁻⁵³."""


class Score(NamedTuple):
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


def highest(counts: Ints, lefts: Ints, rights: Ints) -> npt.NDArray[np.intp]:
    """The places of all pairs that share the highest score; none if there are no pairs.

    Args:
        counts: of the pairs, above 0.
        lefts, rights: the counts of their parts.

    >>> highest(np.array([5, 4, 2]), np.array([20, 4, 2]), np.array([5, 10, 10])).tolist()
    [1, 2]
    """
    if not len(counts):
        return np.zeros(0, dtype=np.intp)
    rounded = estimates(counts, lefts, rights)
    near = np.flatnonzero(rounded >= rounded.max() * NEARLY)
    numerators, denominators = _exact(counts[near], lefts[near], rights[near])
    best = 0
    while True:
        against = numerators[best] * denominators
        mine = numerators * denominators[best]
        better = np.flatnonzero(mine > against)
        if not len(better):
            return near[mine == against]
        best = int(better[0])


def _exact(counts: Ints, lefts: Ints, rights: Ints) -> tuple[npt.NDArray[np.object_] | Ints, ...]:
    """Numerators and denominators whose products do not overflow.

    Those of 64 bits are much faster than Python's integers, and nearly always large enough.
    """
    largest = int(counts.max()) * int(lefts.max()) * int(rights.max())
    integers = np.int64 if largest < 2**63 else np.object_
    return counts.astype(integers), lefts.astype(integers) * rights.astype(integers)
