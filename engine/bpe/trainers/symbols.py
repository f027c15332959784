"""All pretokens in one flat array, in which a token's neighbours are found without links.

Each byte of a pretoken has a cell, and a border cell stands before and after every pretoken. A
token writes its id into its *first and its last* cell. So from a token that starts at cell `p`,

    the left neighbour's id is in cell  p − 1,
    the right neighbour's id is in cell  p + (bytes of the token),

and a merge writes two cells and blanks at most two. The cells are one block of memory that Python
reads as an `array` (fast for one cell) and numpy as an `NDArray` (fast for many).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Integers, Ints

BORDER = -1
INSIDE = -2
"""A cell inside a token or one that was the first or last cell of its parts."""

BLOCK = 1 << 20
BYTE_PAIRS = 1 << 16


class Symbols:
    """The distinct pretokens as tokens, at first their single bytes.

    Attributes:
        cells, cells_array: the cells, for Python and for numpy.
        pretoken_of, pretoken_array: cell → index of its pretoken.
        starts_type: numpy's integers that can number the cells.
        times, times_array: index of a pretoken → how often it occurs.
    """

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        sizes = np.fromiter(map(len, counts), np.int64, len(counts)) + 1
        borders = np.concatenate(([0], np.cumsum(sizes)))
        text = np.frombuffer(b"\0".join((b"", *counts, b"")), np.uint8)
        self.cells, self.cells_array = _shared_ints(len(text))
        self.cells_array[:] = text
        self.cells_array[borders] = BORDER
        self.pretoken_of, self.pretoken_array = _shared_ints(len(text))
        self.pretoken_array[:-1] = np.repeat(np.arange(len(counts)), sizes)
        self.starts_type = np.int32 if len(text) < 2**31 else np.int64
        self.times = list(counts.values())
        self.times_array = np.array(self.times, dtype=np.int64)

    def byte_pair_counts(self) -> tuple[list[int], list[int]]:
        """The pairs of bytes that stand somewhere, as left · 256 + right, and their counts."""
        totals = np.zeros(BYTE_PAIRS, dtype=np.int64)
        for starts, pairs in self._byte_pairs():
            weights = self.times_array.take(self.pretoken_array.take(starts))
            totals += np.bincount(pairs, weights, BYTE_PAIRS).astype(np.int64)
        present = np.flatnonzero(totals)
        return present.tolist(), totals[present].tolist()

    def byte_pair_starts(self) -> tuple[Integers, Ints]:
        """Where pairs of bytes start, sorted by pair; and where each present pair's part ends."""
        blocks = list(self._byte_pairs())
        if not blocks:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)
        starts = np.concatenate([block[0] for block in blocks])
        pairs = np.concatenate([block[1] for block in blocks])
        lengths = np.bincount(pairs, minlength=BYTE_PAIRS)
        # Stable, so that the starts of one pair stay in ascending order.
        starts = starts.take(pairs.argsort(kind="stable"))
        return starts, np.cumsum(lengths[lengths > 0])

    def _byte_pairs(self) -> Iterator[tuple[Integers, npt.NDArray[np.uint16]]]:
        """Block by block: the cells where a pair of bytes starts, and the pairs there."""
        cells = self.cells_array
        for begin in range(0, len(cells) - 1, BLOCK):
            left = cells[begin : min(begin + BLOCK, len(cells) - 1)]
            right = cells[begin + 1 : begin + 1 + len(left)]
            starts = ((left != BORDER) & (right != BORDER)).nonzero()[0]
            pairs = (left.take(starts) << 8 | right.take(starts)).astype(np.uint16)
            yield (starts + begin).astype(self.starts_type), pairs


def _shared_ints(length: int) -> tuple[array[int], npt.NDArray[np.int32]]:
    """Zeros of 32 bits that Python and numpy both see."""
    ints = array("i", bytes(4)) * length
    return ints, np.frombuffer(ints, dtype=np.int32)
