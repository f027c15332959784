"""A line with a handle: shows a place in a range, and goes where the mouse drags it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.widgets.roles import painted


@dataclass(frozen=True, eq=False)
class Marks:
    """Places worth seeing, in order: what stands there, its role, and the least cells between two.

    Where they are closer than `gap`, only some of them are drawn.
    """

    positions: Sequence[int]
    sign: str
    role: str
    gap: int = 1


class Scrubber(Widget):
    """A place `position` in 0…`length`; `marks` are places worth seeing, the last on top."""

    position: reactive[int] = reactive(0)
    length: reactive[int] = reactive(0)
    marks: reactive[tuple[Marks, ...]] = reactive(())

    @dataclass
    class Sought(Message):
        """The mouse asks for a place."""

        position: int

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if width < 1:
            return Strip.blank(0)
        handle = self._cell_of(self.position)
        done, left, here = painted(self, [("━", "curve"), ("─", "border"), ("●", "strong")])
        cells = [done] * handle + [left] * (width - handle)
        for marks in self.marks:
            [mark] = painted(self, [(marks.sign, marks.role)])
            for cell in self._marked_cells(marks):
                cells[cell] = mark
        cells[handle] = here
        return Strip(cells, width).simplify()

    def _marked_cells(self, marks: Marks) -> Iterator[int]:
        """The cells that have a mark, at least `gap` apart."""
        cell = 0
        for _ in range(self.size.width if self.length else 0):
            # The first position that is drawn in this cell or in one after it.
            place = bisect_left(marks.positions, cell, key=self._cell_of)
            if place == len(marks.positions):
                return
            drawn = self._cell_of(marks.positions[place])
            yield drawn
            cell = drawn + marks.gap

    def _cell_of(self, position: int) -> int:
        if not self.length:
            return 0
        return round(min(position / self.length, 1) * (self.size.width - 1))

    def _position_of(self, cell: int) -> int:
        cells = max(self.size.width - 1, 1)
        return round(max(0, min(cell, cells)) / cells * self.length)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self.capture_mouse()
        self.post_message(self.Sought(self._position_of(event.x)))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self.app.mouse_captured is self:
            self.post_message(self.Sought(self._position_of(event.x)))

    def on_mouse_up(self) -> None:
        self.release_mouse()
