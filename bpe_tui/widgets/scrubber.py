"""A line with a handle: shows a place in a range, and goes where the mouse drags it."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget


class Scrubber(Widget):
    """A place `position` in 0…`length`; `marks` are places worth seeing."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "scrubber--done",
        "scrubber--left",
        "scrubber--handle",
    }

    position: reactive[int] = reactive(0)
    length: reactive[int] = reactive(0)

    class Sought(Message):
        """The mouse asks for a place."""

        def __init__(self, position: int) -> None:
            super().__init__()
            self.position = position

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if width < 1:
            return Strip.blank(0)
        handle = self._cell_of(self.position)
        style = self.get_component_rich_style
        return Strip(
            [
                Segment("━" * handle, style("scrubber--done")),
                Segment("●", style("scrubber--handle")),
                Segment("─" * (width - handle - 1), style("scrubber--left")),
            ],
            width,
        )

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
