"""`Symbols`: all pretokens in one flat array."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property

from engine.core.arrays import Integers, SmallInts
from engine.core.events import Pair
from engine.core.slow_modules import np

BORDER = -1
INSIDE = -2
"""A cell inside a token: neither its first nor its last cell."""


class Symbols:
    """All pretokens in one flat array, in which a token's neighbours are found without links.

    Each unit of a pretoken, such as a byte, has a cell, and there is a border cell before and after
    every pretoken. A token, at first a single unit, has its id in its *first and its last* cell. So
    for a token that starts at cell `p`,

        the left neighbour's id is in cell  p − 1,
        the right neighbour's id is in cell  p + (units of the token),

    and a merge writes two cells and blanks at most two. The cells are one block of memory that
    Python reads as an `array` (fast for one cell) and numpy as an `NDArray` (fast for many).

    Attributes:
        cells, cells_array: the cells, for Python and for numpy.
        pretoken_of, pretoken_array: cell → index of its pretoken.
        starts_type: the smallest integer type of numpy that can number the cells.
        times, times_array: index of a pretoken → its count.

    Args:
        units: the ids of all pretokens, joined.
        sizes: the number of units of each pretoken.
        times: its count.
    """

    def __init__(self, units: Integers, sizes: Sequence[int], times: Iterable[int]) -> None:
        with_border = np.array(sizes, np.int64) + 1
        is_border = np.zeros(len(units) + len(sizes) + 1, np.bool_)
        is_border[np.concatenate(([0], np.cumsum(with_border)))] = True
        self.cells, self.cells_array = _shared_ints(len(is_border))
        self.cells_array[is_border] = BORDER
        self.cells_array[~is_border] = units
        self.pretoken_of, self.pretoken_array = _shared_ints(len(is_border))
        self.pretoken_array[:-1] = np.repeat(np.arange(len(sizes)), with_border)
        self.starts_type = np.result_type(np.int32, np.min_scalar_type(-len(is_border)))
        self.times = list(times)
        self.times_array = np.array(self.times, dtype=np.int64)

    def uses(self, ids: int) -> list[int]:
        """Return how often each of the first ids occurs, before any merge."""
        found = np.zeros(ids, np.int64)
        cells = np.flatnonzero(self.cells_array != BORDER)
        weights = self.times_array.take(self.pretoken_array.take(cells))
        np.add.at(found, self.cells_array.take(cells), weights)  # `bincount` would add floats
        return found.tolist()

    @cached_property
    def pairs(self) -> dict[Pair, tuple[int, Integers]]:
        """The pairs of units in order, each with its count and the cells where it starts."""
        left, right = self.cells_array[:-1], self.cells_array[1:]
        starts = ((left != BORDER) & (right != BORDER)).nonzero()[0]
        left, right = left.take(starts), right.take(starts)
        keys = left.astype(np.int64) << 32 | right
        if self.cells_array.max() < 256:  # integers of 16 bits are sorted in linear time
            keys = (left << 8 | right).astype(np.uint16)
        order = keys.argsort(kind="stable")
        starts, keys = starts.take(order).astype(self.starts_type), keys.take(order)
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        weights = self.times_array.take(self.pretoken_array.take(starts))
        totals = np.add.reduceat(weights, begins).tolist() if len(begins) else []
        firsts = order.take(begins)
        pairs = zip(left.take(firsts).tolist(), right.take(firsts).tolist(), strict=True)
        groups = np.split(starts, begins[1:])  # one, if there is no pair
        return dict(zip(pairs, zip(totals, groups, strict=False), strict=False))


def _shared_ints(length: int) -> tuple[array[int], SmallInts]:
    """Return zeros of 32 bits that Python and numpy share."""
    ints = array("i", bytes(4)) * length
    return ints, np.frombuffer(ints, dtype=np.int32)
