"""Arrays: numpy, their types by what is in them, and a table that is looked up by arrays.

Importing numpy takes longer than training on a small corpus. So modules that training needs take
`np` from here: it is numpy, but loaded only when something of it is first asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from itertools import accumulate, chain, pairwise
from random import getrandbits
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias


class _LoadedWhenUsed(ModuleType):
    """Stands for a module; from the first time that something of it is asked for, it is that."""

    def __getattr__(self, name: str) -> Any:
        module = import_module(self.__name__)
        self.__dict__.update(vars(module))
        self.__class__ = ModuleType  # type: ignore[assignment]  # Python need not ask here again
        return getattr(module, name)


if TYPE_CHECKING:
    import numpy
    import numpy.typing as npt

    np = numpy
else:
    np = _LoadedWhenUsed("numpy")

Ints: TypeAlias = "npt.NDArray[np.int64]"
"""What is computed with."""
SmallInts: TypeAlias = "npt.NDArray[np.int32]"
"""What is kept in great numbers: ids, positions."""
Integers: TypeAlias = "npt.NDArray[np.signedinteger[Any]]"
"""For functions that take either."""
Floats: TypeAlias = "npt.NDArray[np.float64]"
Bools: TypeAlias = "npt.NDArray[np.bool_]"


def parts_of(text: bytes, lengths: Iterable[int]) -> list[bytes]:
    """The parts of a text, which stand one after the other, by their lengths.

    >>> parts_of(b"lowlower", [3, 5])
    [b'low', b'lower']
    """
    return [text[start:end] for start, end in pairwise(accumulate(lengths, initial=0))]


def two_columns(pairs: Iterable[tuple[int, int]], count: int) -> Ints:
    """The first of each pair, and the second of each.

    >>> two_columns([(1, 2), (3, 4)], 2).tolist()
    [[1, 3], [2, 4]]
    """
    flat = np.fromiter(chain.from_iterable(pairs), dtype=np.int64, count=2 * count)
    return np.ascontiguousarray(flat.reshape(count, 2).T)


NOT_THERE = -1
_FREE = -1
_WORD = 64


class NumberTable:
    """What a dict of numbers is, for many keys at once.

    Open addressing in arrays: a key stands at the place that its hash names, or behind it at the
    first place that was free. All keys of an array are looked up by one gather, and a few for those
    that stand further behind; a binary search would need twenty. The hash is a product with a
    random odd number, so that nobody can write a file whose keys all fall on one place.

    Args:
        keys, values: not negative; of equal keys the last counts.

    >>> table = NumberTable(np.array([7, 300]), np.array([1, 2]))
    >>> table.of(np.array([300, 8, 7])).tolist()
    [2, -1, 1]
    """

    def __init__(self, keys: Ints, values: Ints) -> None:
        bits = (2 * len(keys) + 1).bit_length()  # at the most half of the places are taken
        self._shift = np.uint64(_WORD - bits)
        self._factor = np.uint64(getrandbits(_WORD) | 1)
        self._last = (1 << bits) - 1
        self._keys = np.full(1 << bits, _FREE, dtype=np.int64)
        self._values = np.full(1 << bits, NOT_THERE, dtype=np.int64)
        places = self._places(keys)
        while len(keys):
            free = self._keys[places] == _FREE
            self._keys[places[free]] = keys[free]
            here = self._keys[places] == keys
            self._values[places[here]] = values[here]
            keys, values, places = keys[~here], values[~here], places[~here] + 1 & self._last

    def of(self, keys: Ints) -> Ints:
        """The value of each key; `NOT_THERE` (−1) for those that are not there."""
        places = self._places(keys)
        met = self._keys[places]
        found = np.where(met == keys, self._values[places], NOT_THERE)
        going_on = np.flatnonzero((met != keys) & (met != _FREE))
        keys, places = keys[going_on], places[going_on]
        while len(going_on):
            places = places + 1 & self._last
            met = self._keys[places]
            here = met == keys
            found[going_on[here]] = self._values[places[here]]
            further = ~here & (met != _FREE)
            going_on, keys, places = going_on[further], keys[further], places[further]
        return found

    def _places(self, keys: Ints) -> Ints:
        return (keys.view(np.uint64) * self._factor >> self._shift).view(np.int64)
