"""numpy, loaded when it is first used; names for array types; a lookup table for whole arrays."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, chain, pairwise
from os import urandom
from typing import TYPE_CHECKING, Any, AnyStr, TypeAlias

from engine.core.slow_modules import np

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
"""Integers to compute with."""
SmallInts: TypeAlias = "npt.NDArray[np.int32]"
"""Integers that are kept in large arrays: ids, positions."""
Integers: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
"""Integers of either size, for functions that take both."""
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"


def parts_of(text: AnyStr, lengths: Iterable[int]) -> list[AnyStr]:
    """Cut a text into consecutive parts of these lengths.

    >>> parts_of(b"lowlower", [3, 5])
    [b'low', b'lower']
    """
    return [text[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def two_columns(pairs: Iterable[tuple[int, int]], count: int) -> Ints:
    """Return the first numbers of `count` pairs as one row, the second numbers as another.

    >>> two_columns([(1, 2), (3, 4)], 2).tolist()
    [[1, 3], [2, 4]]
    """
    flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64, count=2 * count)
    return np.ascontiguousarray(flat.reshape(count, 2).T)


NOT_THERE = -1
_FREE = -1
_WORD = 64


class NumberTable:
    """A map from numbers to numbers that looks many keys up at once.

    A hash table with open addressing in arrays: a key is at the slot that its hash names, or at the
    first slot after it that was free. One gather looks up all keys of an array; a few more gathers
    find the keys that were moved on. A binary search would need twenty. The hash is a product
    with a random odd number, so no file can be written whose keys all share one slot.

    Args:
        keys, values: integers that are not negative; the last of equal keys counts.

    >>> table = NumberTable(np.array([7, 300]), np.array([1, 2]))
    >>> table.of(np.array([300, 8, 7])).tolist()
    [2, -1, 1]
    """

    def __init__(self, keys: Ints, values: Ints) -> None:
        bits = len(keys).bit_length() + 1  # at most half of the slots are taken
        self._shift = np.uint64(_WORD - bits)
        self._factor = np.uint64(int.from_bytes(urandom(_WORD // 8)) | 1)
        self._last = (1 << bits) - 1
        self._keys = np.full(1 << bits, _FREE, dtype=np.int64)
        self._values = np.full(1 << bits, NOT_THERE, dtype=np.int64)
        slots = self._slots(keys)
        while len(keys):
            free = self._keys[slots] == _FREE
            self._keys[slots[free]] = keys[free]
            here = self._keys[slots] == keys
            self._values[slots[here]] = values[here]
            keys, values, slots = keys[~here], values[~here], slots[~here] + 1 & self._last

    def of(self, keys: Ints) -> Ints:
        """Return the value of each key; `NOT_THERE` (−1) for a key that is missing."""
        slots = self._slots(keys)
        met = self._keys[slots]
        found = np.where(met == keys, self._values[slots], NOT_THERE)
        unsettled = np.flatnonzero((met != keys) & (met != _FREE))
        keys, slots = keys[unsettled], slots[unsettled]
        while len(unsettled):
            slots = slots + 1 & self._last
            met = self._keys[slots]
            here = met == keys
            found[unsettled[here]] = self._values[slots[here]]
            further = ~here & (met != _FREE)
            unsettled, keys, slots = unsettled[further], keys[further], slots[further]
        return found

    def _slots(self, keys: Ints) -> Ints:
        return (keys.view(np.uint64) * self._factor >> self._shift).view(np.int64)
