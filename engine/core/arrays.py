"""numpy, loaded when it is first used; names for array types, small functions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, chain, pairwise
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
