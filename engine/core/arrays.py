"""Names for array types of numpy, and a text cut into parts."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, AnyStr, TypeAlias

if TYPE_CHECKING:
    import numpy as np
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
