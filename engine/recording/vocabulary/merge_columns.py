"""Merges as arrays, in terms of rows: see `TokenTable`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from engine.core.arrays import Ints
from engine.core.events import Pair

NONE = -1
"""Stands in a column of rows, ranks or counts where there is none."""


@dataclass(frozen=True)
class Merges:
    """Merges in order of rank: the rows of the two parts and of what they make, and the ranks."""

    left: Ints
    right: Ints
    made: Ints
    rank: Ints

    def __len__(self) -> int:
        return len(self.rank)

    @classmethod
    def of(cls, merges: Iterable[tuple[Pair, int, int]]) -> Merges:
        """From (pair of rows, row made, rank) each."""
        rows = [(left, right, made, rank) for (left, right), made, rank in merges]
        return cls(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

    @classmethod
    def of_table(cls, table: Mapping[Pair, tuple[int, int]], ids: Ints) -> Merges:
        """From pair → (rank, id made); row n is the token `ids[n]`, and these ascend."""
        left, right = np.searchsorted(ids, _two_columns(table.keys(), len(table)))
        rank, made = _two_columns(table.values(), len(table))
        return cls(left, right, np.searchsorted(ids, made), rank)


def _two_columns(pairs: Iterable[Pair], count: int) -> Ints:
    """The first of each pair and the second of each."""
    flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64, count=2 * count)
    return np.ascontiguousarray(flat.reshape(count, 2).T)
