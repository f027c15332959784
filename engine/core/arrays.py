"""The arrays that are passed around, by what is in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]
Integers = npt.NDArray[np.signedinteger[Any]]
"""Whole numbers of any width."""
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
