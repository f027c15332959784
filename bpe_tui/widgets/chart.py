"""Charts on the screen: a figure with axes and a cursor at one x.

No library has charts that are fast enough. `textual-plot` 0.10.1 is maintained, but both its axes
are linear, and it draws the whole curve again whenever its cursor moves: 43 ms for 10,000 points,
420 ms for 100,000. Here cells are made once for a figure and a size (0.6 ms and 2.5 ms); moving
the cursor only paints them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from bpe_tui.styles import painted
from bpe_tui.widgets.controls import Dragged
from bpe_tui.widgets.figure import Figure, cells_of
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import short_number
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.visible import width as width_of

GUTTER = 7
"""Cells for the numbers on the left, including the axis."""
BELOW = 2
"""Lines for the axis and the numbers under it."""
ROWS_A_TICK = 3
CELLS_A_TICK = 12
TICKS_BEFORE_UNIT = 2
"""Numbers of the x axis that its unit does not push out: two show the scale."""


class Chart(Dragged, can_focus=True):
    """A chart of `figure`, or the text `why_empty` without one; `at` is the x of the cursor."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "screen.zoom", "zoom", show=False)]
    FOCUS_ON_CLICK: ClassVar[bool] = False  # `on_mouse_down` does it: the first click only selects

    figure: reactive[Figure | None] = reactive(None)
    at: reactive[float | None] = reactive(None, repaint=False)
    why_empty: reactive[str] = reactive("")

    @dataclass
    class Sought(Message):
        """The mouse asks to move the cursor to an x, with a click or while it drags."""

        x: float
        is_drag: bool

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._made: tuple[Figure, int, int] | None = None
        self._cells: list[str] = []
        self._numbers: list[str] = []

    # -- painting

    def watch_at(self, old: float | None, new: float | None) -> None:
        """Paint the chart again only if the cursor is in another cell."""
        if (figure := self.figure) is not None:
            width = self.size.width - GUTTER
            if _cell_of(figure, old, width) != _cell_of(figure, new, width):
                self.refresh()

    def render_line(self, y: int) -> Strip:
        base = self.rich_style  # it asks all ancestors
        return Strip(painted(self, self.line(y), base)).adjust_cell_length(self.size.width, base)

    def line(self, y: int) -> list[Span]:
        """Return a line of the chart, counted from the top, as spans."""
        size = self.size
        width, height = size.width - GUTTER, size.height - BELOW
        if self.figure is None:
            lines = wrap(tr(self.why_empty), max(size.width, 1))
            return [(lines[y], "dim")] if y < len(lines) else []
        if width < 1 or height < 1:
            return []
        if y < height:
            made = self.figure, width, height
            if self._made != made:  # moving the cursor does not change the cells
                self._made = made
                self._numbers = _y_axis(self.figure, height)
                self._cells = cells_of(*made)
            return [(self._numbers[y], "dim"), *self._body(self.figure, y)]
        return self._x_axis(self.figure, width)[y - height]

    def _body(self, figure: Figure, y: int) -> Iterator[Span]:
        """Yield the spans of a line of the curve: bright before the cursor, dim after it."""
        cells = self._cells[y]
        cursor = _cell_of(figure, self.at, len(cells))
        if cursor is None:
            yield cells, "curve"
            return
        here = cells[cursor]
        yield cells[:cursor], "curve"
        yield "│" if here == " " else here, "pair"
        yield cells[cursor + 1 :], "dim"

    def _x_axis(self, figure: Figure, width: int) -> list[list[Span]]:
        """Return the axis with the cursor on it, and under it the numbers and the unit."""
        marks, numbers = x_axis(figure, width)
        axis = [(" " * (GUTTER - 1) + "└" + marks, "dim")]
        if (cursor := _cell_of(figure, self.at, width)) is not None:
            text, at = axis[0][0], GUTTER + cursor
            axis = [(text[:at], "dim"), ("▲", "pair"), (text[at + 1 :], "dim")]
        return [axis, [(numbers, "dim")]]

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if not self.has_focus:
            event.prevent_default()  # no drag begins
            self.focus()

    def seek(self, event: events.MouseEvent) -> None:
        width = self.size.width - GUTTER
        if self.figure is None or self.at is None or width < 2:
            return
        cell = event.get_content_offset_capture(self).x - GUTTER
        place = max(0, min(cell, width - 1)) / (width - 1)
        x, is_drag = self.figure.x_scale.value(place), isinstance(event, events.MouseMove)
        self.post_message(self.Sought(x, is_drag))


def x_axis(figure: Figure, width: int) -> tuple[str, str]:
    """Return the marks of the x axis, and the line below it: numbers, the unit, a blank.

    From the third number on, a number gives way to the unit. If two leave no room for it, the unit
    is in front of them, below the numbers of the left axis.
    """
    marks, line, shown = ["─"] * width, "", 0
    end, unit = GUTTER + width, f" {tr(figure.x_label)} "
    unit_cells = width_of(unit)
    for tick in figure.x_ticks(width // CELLS_A_TICK + 1):
        cell, text = _cell(figure.x_scale.place(tick), width), short_number(tick)
        marks[cell] = "┬"
        room = end - (unit_cells if shown >= TICKS_BEFORE_UNIT else 0)
        start = min(GUTTER + cell - len(text) // 2, end - len(text))
        if start > len(line) and start + len(text) <= room:
            line, shown = f"{line:<{start}}{text}", shown + 1
    room = end - len(line)
    if unit_cells <= room:
        line += " " * (room - unit_cells) + unit
    elif not line[:unit_cells].strip():
        line = unit + line[unit_cells:]
    return "".join(marks), line


def _y_axis(figure: Figure, height: int) -> list[str]:
    """Return the left axis with its numbers, line by line."""
    lines = [" " * (GUTTER - 1) + "│"] * height
    for tick in figure.y_scale.ticks(height // ROWS_A_TICK + 1):
        line = height - 1 - _cell(figure.y_scale.place(tick), height)
        label = f"{short_number(tick):>{GUTTER - 2}} ┤"
        if label not in lines:  # two ticks may round to the same number
            lines[line] = label
    return lines


def _cell_of(figure: Figure, x: float | None, cells: int) -> int | None:
    """Return the cell of an x in a figure of some cells; `None` without an x."""
    return None if x is None else _cell(figure.x_scale.place(x), cells)


def _cell(place: float, cells: int) -> int:
    """Return the cell of a place between 0 and 1; the nearest cell for other places."""
    return max(0, min(int(place * cells), cells - 1))
