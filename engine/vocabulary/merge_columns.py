"""Merges as arrays, in terms of rows: see `TokenTable`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.change_log import Ints
from engine.events import Pair

Bools = npt.NDArray[np.bool_]
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
