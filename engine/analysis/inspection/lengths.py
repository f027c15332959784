"""How long are the tokens? In whatever they are measured."""

from __future__ import annotations

import numpy as np

from engine.core.arrays import Ints

Histogram = list[tuple[int, int]]
"""(length, how many tokens have it), ascending."""


def histogram(lengths: Ints) -> Histogram:
    """How many have each length.

    >>> histogram(np.array([1, 3, 1]))
    [(1, 2), (3, 1)]
    """
    counts = np.bincount(lengths)
    return [(length, int(counts[length])) for length in np.flatnonzero(counts).tolist()]


def mean_of(lengths: Histogram) -> float:
    """The mean length; 0 where there is none.

    >>> mean_of([(1, 2), (4, 1)])
    2.0
    """
    total = sum(count for _, count in lengths)
    return sum(length * count for length, count in lengths) / total if total else 0.0
