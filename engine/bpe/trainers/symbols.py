"""`Symbols`: all pretokens in one flat array."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping

from engine.core.arrays import Integers, Ints, SmallInts
from engine.core.events import Pair
from engine.core.slow_modules import np

BORDER = -1
INSIDE = -2
"""A cell inside a token: neither its first nor its last cell."""

BLOCK = 1 << 20
BYTE_PAIRS = 1 << 16


class Symbols:
    """All pretokens in one flat array, in which a token's neighbours are found without links.

    Each byte of a pretoken has a cell, and there is a border cell before and after every pretoken.
    A token, at first a single byte, has its id in its *first and its last* cell. So for a token
    that starts at cell `p`,

        the left neighbour's id is in cell  p − 1,
        the right neighbour's id is in cell  p + (bytes of the token),

    and a merge writes two cells and blanks at most two. The cells are one block of memory that
    Python reads as an `array` (fast for one cell) and numpy as an `NDArray` (fast for many).

    Attributes:
        cells, cells_array: the cells, for Python and for numpy.
        pretoken_of, pretoken_array: cell → index of its pretoken.
        starts_type: the smallest integer type of numpy that can number the cells.
        times, times_array: index of a pretoken → its count.

    Args:
        counts: the pretokens and their counts.
        refused: a pair of bytes that is neither counted nor listed.
    """

    def __init__(self, counts: Mapping[bytes, int], refused: Pair | None = None) -> None:
        self._refused = None if refused is None else refused[0] << 8 | refused[1]
        sizes = np.fromiter(map(len, counts), np.int64, len(counts)) + 1
        borders = np.concatenate(([0], np.cumsum(sizes)))
        text = np.frombuffer(b"\0".join((b"", *counts, b"")), np.uint8)
        self.cells, self.cells_array = _shared_ints(len(text))
        self.cells_array[:] = text
        self.cells_array[borders] = BORDER
        self.pretoken_of, self.pretoken_array = _shared_ints(len(text))
        self.pretoken_array[:-1] = np.repeat(np.arange(len(counts)), sizes)
        self.starts_type = np.result_type(np.int32, np.min_scalar_type(-len(text)))
        self.times = list(counts.values())
        self.times_array = np.array(self.times, dtype=np.int64)

    def byte_pair_counts(self) -> tuple[list[int], list[int]]:
        """Return the pairs of bytes that occur, as left · 256 + right, and their counts."""
        totals = np.zeros(BYTE_PAIRS, dtype=np.int64)
        for starts, pairs in self._byte_pairs():
            weights = self.times_array.take(self.pretoken_array.take(starts))
            np.add.at(totals, pairs, weights)  # `bincount` would add floats
        present = np.flatnonzero(totals)
        return present.tolist(), totals[present].tolist()

    def byte_pair_starts(self) -> tuple[Integers, Ints]:
        """Return the cells where byte pairs start, sorted by pair, and the end of each part."""
        blocks = list(self._byte_pairs())
        starts = np.concatenate([block[0] for block in blocks])
        pairs = np.concatenate([block[1] for block in blocks])
        lengths = np.bincount(pairs, minlength=BYTE_PAIRS)
        # Stable, so that the starts of one pair stay in ascending order.
        starts = starts.take(pairs.argsort(kind="stable"))
        return starts, np.cumsum(lengths[lengths > 0])

    def _byte_pairs(self) -> Iterator[tuple[Integers, np.typing.NDArray[np.uint16]]]:
        """Yield, block by block, the cells where a pair of bytes starts, and these pairs."""
        cells = self.cells_array
        for begin in range(0, len(cells), BLOCK):
            right = cells[begin + 1 :][:BLOCK]
            left = cells[begin:][: len(right)]
            starts = ((left != BORDER) & (right != BORDER)).nonzero()[0]
            pairs = (left.take(starts) << 8 | right.take(starts)).astype(np.uint16)
            if self._refused is not None:
                allowed = pairs != self._refused
                starts, pairs = starts[allowed], pairs[allowed]
            yield (starts + begin).astype(self.starts_type), pairs


def _shared_ints(length: int) -> tuple[array[int], SmallInts]:
    """Return zeros of 32 bits that Python and numpy share."""
    ints = array("i", bytes(4)) * length
    return ints, np.frombuffer(ints, dtype=np.int32)
