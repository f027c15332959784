"""From values to places between 0 and 1, and back: linear and logarithmic axes with round ticks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.number[Any]]

ROUND = (1, 2, 5)
"""A tick is one of these times a power of ten."""


@dataclass(frozen=True)
class Scale:
    """The values `low` … `high` along one axis; a logarithmic one begins above 0.

    >>> Scale(1, 1000, log=True).place(10), Scale(0, 200).value(0.25), Scale(0, 97).ticks(3)
    (0.333..., 50.0, [0.0, 50.0])
    """

    low: float
    high: float
    log: bool = False

    def places(self, values: Numbers) -> Floats:
        """Where the values lie, from 0 (`low`) to 1 (`high`)."""
        low, high = self._bent(self.low), self._bent(self.high)
        floats = values.astype(np.float64)
        bent = np.log10(floats) if self.log else floats
        places: Floats = (bent - low) / (high - low)
        return places

    def place(self, value: float) -> float:
        return float(self.places(np.array([value], dtype=np.float64))[0])

    def value(self, place: float) -> float:
        """The value at a place: what `place` undoes."""
        low, high = self._bent(self.low), self._bent(self.high)
        bent = low + place * (high - low)
        return 10.0**bent if self.log else bent

    def ticks(self, most: int) -> list[float]:
        """Round values within the range, `most` of them or a few less."""
        if self.log:
            return _log_ticks(self.low, self.high, most)
        step = round_step(self.high - self.low, most)
        first = math.ceil(self.low / step - 1e-9)
        inside = takewhile(lambda tick: tick <= self.high + step * 1e-9, _multiples(step, first))
        return list(inside)

    def _bent(self, value: float) -> float:
        return math.log10(value) if self.log else value


def scale_for(values: Numbers, *, log: bool, rounded: bool = False) -> Scale:
    """The scale that just holds the values; `rounded` widens a linear one to round ends."""
    low, high = float(values.min()), float(values.max())
    if log:
        return Scale(low, max(high, low * 10), log=True)
    if high == low:
        high = low + 1
    if rounded:
        step = round_step(high - low, 5)
        low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return Scale(low, high)


def round_step(span: float, most: int) -> float:
    """The smallest round step that cuts `span` into `most` parts or fewer.

    (97, 5) → 20.0; (0.9, 4) → 0.5.
    """
    least = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * times for times in (*ROUND, 10) if power * times >= least * (1 - 1e-9))


def _multiples(step: float, first: int) -> Iterator[float]:
    # A round step is a power of ten times 1, 2 or 5: more digits are noise of the multiplication.
    digits = max(0, 1 - math.floor(math.log10(step)))
    return (round(step * times, digits) for times in count(first))


def _log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten, thinned out where they are too many; 2 and 5 between them if there is room."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    inside = [
        10.0**power * times
        for power in range(first, last + 1)
        for times in ROUND
        if low <= 10.0**power * times <= high
    ]
    if len(inside) <= most:
        return inside
    powers = [10.0**power for power in range(first, last + 1) if low <= 10.0**power <= high]
    shown = powers or inside
    return shown[:: -(-len(shown) // max(most, 1))]
