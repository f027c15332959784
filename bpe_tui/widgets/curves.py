"""Several curves in one chart, on the same axes, each with its name at its end.

A cell holds the dots of one curve, of those that cross it the last. The names tell them apart where
there are no colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure, Numbers, braille_between, spans_through
from bpe_tui.widgets.rows import Span

Canvas = list[list[Span]]
"""Lines of cells, each a character and its role."""


@dataclass(frozen=True, eq=False)
class Curve:
    """A curve of its own name and role. The xs rise; it may cover a part of the axis only."""

    name: str
    role: str
    xs: Numbers
    ys: Numbers


@dataclass(frozen=True, eq=False)
class Curves(Figure):
    """The axes for the points of all curves, and the curves; `xs` and `ys` are all points."""

    curves: Sequence[Curve] = ()


def curves_of(
    curves: Sequence[Curve], x_label: str, y_label: str, *, log_x: bool = False
) -> Curves | None:
    """The curves as one figure, its y axis logarithmic; `None` where there is no point."""
    drawn = [curve for curve in curves if len(curve.xs)]
    if not drawn:
        return None
    return Curves(
        np.concatenate([curve.xs for curve in drawn]),
        np.concatenate([curve.ys for curve in drawn]),
        x_label,
        y_label,
        log_x=log_x,
        log_y=True,
        curves=drawn,
    )


class CurvesChart(Chart):
    """A chart of `Curves`."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._canvas: Canvas = []

    def _draw(self, figure: Figure, width: int, height: int) -> None:
        assert isinstance(figure, Curves)
        self._canvas = canvas_of(figure, width, height)

    def _body(self, figure: Figure, y: int) -> Iterator[Span]:
        """A line of the curves; the cursor shows where there is none."""
        cursor = self._cursor_cell(figure, len(self._canvas[y]))
        line = [
            ("│", "pair") if place == cursor and cell == " " else (cell, role)
            for place, (cell, role) in enumerate(self._canvas[y])
        ]
        for role, cells in groupby(line, key=lambda span: span[1]):
            yield "".join(cell for cell, _ in cells), role


def canvas_of(figure: Curves, width: int, height: int) -> Canvas:
    """The curves in cells, and the names over them."""
    canvas: Canvas = [[(" ", "dim")] * width for _ in range(height)]
    for curve in figure.curves:
        for line, drawn in zip(canvas, _cells_of(figure, curve, width, height), strict=True):
            for place, cell in enumerate(drawn):
                if cell != " ":
                    line[place] = cell, curve.role
    for curve, at in _lines_of_names(figure, height):
        _write_name(canvas[at], figure, curve)
    return canvas


def _lines_of_names(figure: Curves, height: int) -> Iterator[tuple[Curve, int]]:
    """The line of each curve's end, or below those of higher ends: names stand in their order."""
    curves = sorted(figure.curves, key=lambda curve: -float(curve.ys[-1]))[:height]
    free = 0
    for left, curve in zip(range(len(curves), 0, -1), curves, strict=True):
        end = height - 1 - int(figure.y_scale.place(float(curve.ys[-1])) * (height - 1))
        line = min(max(end, free), height - left)
        yield curve, line
        free = line + 1


def _cells_of(figure: Curves, curve: Curve, width: int, height: int) -> list[str]:
    columns, rows = 2 * width, 4 * height
    across = figure.x_scale.places(curve.xs) * (columns - 1)
    lowest, highest = spans_through(across, figure.y_scale.places(curve.ys) * (rows - 1), columns)
    dots = np.arange(columns)
    beyond = (dots < np.rint(across[0])) | (dots > np.rint(across[-1]))
    lowest[beyond], highest[beyond] = rows, -1
    return braille_between(lowest, highest, height)


def _write_name(line: list[Span], figure: Curves, curve: Curve) -> None:
    """The name in this line, so that it ends where the curve does."""
    name = curve.name[: len(line)]
    end = int(figure.x_scale.place(float(curve.xs[-1])) * (len(line) - 1)) + 1
    start = min(max(end - len(name), 0), len(line) - len(name))
    for place, letter in enumerate(name, start):
        line[place] = letter, curve.role
