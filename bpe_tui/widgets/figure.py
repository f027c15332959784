"""Figures with their axes, drawn in the cells of a terminal.

A cell of braille has two by four dots, so a curve is eight times finer than the letters beside it.
A column of dots shows the range of all points in it. numpy finds these ranges in one pass, so
100,000 points are drawn in 2.5 ms.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import count, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.core.arrays import Floats
from engine.core.slow_modules import np

if TYPE_CHECKING:
    import numpy.typing as npt

NumberArray: TypeAlias = "npt.NDArray[np.number[Any]]"

ROUND = (1, 2, 5)
"""Factors of ticks: a tick is a multiple of one of these times a power of ten."""


@dataclass(frozen=True)
class Scale:
    """The map between the values `low` … `high` of an axis and places from 0 to 1.

    A logarithmic axis begins above 0. Ticks are round numbers.

    >>> Scale(1, 10_000, log=True).place(10), Scale(0, 200).value(0.25), Scale(0, 97).ticks(3)
    (0.25, 50.0, [0.0, 50.0])
    """

    low: float
    high: float
    log: bool = False

    def places(self, values: NumberArray) -> Floats:
        """Return the places of values, from 0 (`low`) to 1 (`high`)."""
        low, high = self._bent(self.low), self._bent(self.high)
        floats = values.astype(np.float64)
        bent = np.log10(floats) if self.log else floats
        places: Floats = (bent - low) / (high - low)
        return places

    def place(self, value: float) -> float:
        return float(self.places(np.array([value], dtype=np.float64))[0])

    def value(self, place: float) -> float:
        """Return the value at a place, the inverse of `place`."""
        low, high = self._bent(self.low), self._bent(self.high)
        bent = low + place * (high - low)
        return 10.0**bent if self.log else bent

    def ticks(self, most: int) -> list[float]:
        """Return round values within the range, at most about `most`.

        A logarithmic axis has the powers of ten: with 2 and 5 times them if there is room, else
        thinned out.
        """
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            powers = [10.0**power for power in range(first, last + 1)]
            inside = [p * n for p in powers for n in ROUND if self.low <= p * n <= self.high]
            if len(inside) <= most:
                return inside
            shown = [power for power in powers if self.low <= power <= self.high] or inside
            return shown[:: -(-len(shown) // max(most, 1))]
        step = round_step(self.high - self.low, most)
        first = math.ceil(self.low / step - 1e-9)
        # A round step is a power of ten times 1, 2 or 5: more digits are rounding errors.
        digits = -math.floor(math.log10(step))
        multiples = (round(step * times, digits) for times in count(first))
        return list(takewhile(lambda tick: tick <= self.high + step * 1e-9, multiples))

    def _bent(self, value: float) -> float:
        return math.log10(value) if self.log else value


def scale_for(values: NumberArray, *, log: bool, rounded: bool = False) -> Scale:
    """Return the narrowest scale for the values; `rounded` widens a linear one to round ends."""
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
    """Return the smallest round step that divides `span` into at most `most` parts.

    (97, 5) → 20.0; (0.9, 4) → 0.5.
    """
    least = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * times for times in (*ROUND, 10) if power * times >= least * (1 - 1e-9))


# The bit of each dot of a cell, rows from the top, columns from the left (Unicode block U+2800).
BRAILLE_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
BRAILLE = 0x2800
BLOCKS = " ▁▂▃▄▅▆▇█"


@dataclass(frozen=True, eq=False)
class Figure:
    """A curve through points, or a bar for each point.

    The xs are rising whole numbers, consecutive if there are bars. On a logarithmic axis all values
    are above 0.

    Attributes:
        bars_top: least height of the axis of bars.
        scattered: whether neighbouring values jump. Then a column shows the median of its points,
            since their range would fill the column.
    """

    xs: NumberArray
    ys: NumberArray
    x_label: str
    log_x: bool = False
    log_y: bool = False
    bars: bool = False
    bars_top: float = 0
    scattered: bool = False

    @cached_property
    def x_scale(self) -> Scale:
        if self.bars:
            return Scale(float(self.xs[0]) - 0.5, float(self.xs[-1]) + 0.5)
        return scale_for(self.xs, log=self.log_x)

    @cached_property
    def y_scale(self) -> Scale:
        ys = np.append(self.ys, [0, self.bars_top]) if self.bars else self.ys
        return scale_for(ys, log=self.log_y, rounded=True)

    def x_ticks(self, most: int) -> list[float]:
        """Return round whole numbers along the x axis."""
        return [tick for tick in self.x_scale.ticks(most) if tick.is_integer()]


def cells_of(figure: Figure, width: int, height: int) -> list[str]:
    """Draw the figure without its axes, as `height` lines of `width` cells."""
    if figure.bars:
        return _bars(figure, width, height)
    return braille_between(*spans(figure, 2 * width, 4 * height), height)


def braille_between(lowest: Floats, highest: Floats, height: int) -> list[str]:
    """Draw the dots from `lowest` to `highest` of each column, in `height` lines of cells."""
    rows = np.arange(4 * height - 1, -1, -1)[:, np.newaxis]  # the top row is the highest
    dots = (lowest <= rows) & (rows <= highest)
    cells = dots.reshape(height, 4, dots.shape[1] // 2, 2)
    codes = BRAILLE + np.einsum("hrwc,rc->hw", cells, BRAILLE_BITS)
    return ["".join(map(chr, row)).replace(chr(BRAILLE), " ") for row in codes.tolist()]


def spans(figure: Figure, columns: int, rows: int) -> tuple[Floats, Floats]:
    """Return the lowest and the highest dot of the curve in each column, counted from below."""
    across = figure.x_scale.places(figure.xs) * (columns - 1)
    up = figure.y_scale.places(figure.ys) * (rows - 1)
    if figure.scattered:
        across, up = medians(np.rint(across), up)
    return spans_through(across, up, columns)


def medians(across: Floats, up: Floats) -> tuple[Floats, Floats]:
    """Return each place across once, with the (lower) median of the heights there.

    >>> medians(np.array([0.0, 0.0, 0.0, 4.0]), np.array([9.0, 1.0, 2.0, 5.0]))
    (array([0., 4.]), array([2., 5.]))
    """
    places, firsts, counts = np.unique(across, return_index=True, return_counts=True)
    ordered = up[np.lexsort((up, across))]
    return places, ordered[firsts + (counts - 1) // 2]


def spans_through(across: Floats, up: Floats, columns: int) -> tuple[Floats, Floats]:
    """Return the `spans` of a curve through points given in dots, from the left and from below."""
    up = np.rint(up)
    between = np.rint(np.interp(np.arange(columns), across, up))
    lowest, highest = between.copy(), between.copy()
    column_of = np.rint(across).astype(np.int64)
    np.minimum.at(lowest, column_of, up)
    np.maximum.at(highest, column_of, up)
    # Where neighbouring columns do not touch, extend the right one.
    left_low, left_high = lowest[:-1].copy(), highest[:-1].copy()
    lowest[1:] = np.minimum(lowest[1:], left_high + 1)
    highest[1:] = np.maximum(highest[1:], left_low - 1)
    return lowest, highest


def _bars(figure: Figure, width: int, height: int) -> list[str]:
    """Draw bars: a cell belongs to the bar at its middle, or to the highest bar within it."""
    up = figure.y_scale.places(figure.ys) * height
    bars = len(up)
    if width < bars:
        tops = np.maximum.reduceat(up, np.arange(width) * bars // width)
    else:
        bar_of = (2 * np.arange(width) + 1) * bars // (2 * width)
        tops = up[bar_of]
        if width >= 3 * bars:  # room for gaps
            tops[:-1][bar_of[:-1] != bar_of[1:]] = 0
    lines = []
    for floor in range(height - 1, -1, -1):
        # Rounded up: values above 0 are always visible.
        eighths = np.ceil(np.clip(tops - floor, 0, 1) * 8 - 1e-9).astype(np.int64)
        lines.append("".join(BLOCKS[eighth] for eighth in eighths.tolist()))
    return lines
