"""Parts of a table of `Lines`: a fixed header, and sorting by a click or a key."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.styles import painted
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.rows import ColumnPlace, Span, left, right_aligned


class Header(Widget):
    """The titles over `places`, with an arrow at the sorted column; a click on a title sorts."""

    places: reactive[Sequence[ColumnPlace]] = reactive(())
    sorting: reactive[str] = reactive("")
    descending: reactive[bool] = reactive(False)

    @dataclass
    class Pressed(Message):
        """The mouse asks to sort by a column."""

        column: str

    def render_line(self, y: int) -> Strip:
        spans = list[Span]()
        used = 0
        for place in self.places:
            is_sorting = place.column.title == self.sorting
            arrow = ("▼" if self.descending else "▲") if is_sorting else ""
            text = (
                (tr(place.column.title) + arrow)[: place.cells],
                "strong" if is_sorting else "dim",
            )
            align = right_aligned if place.column.is_number else left
            spans += [(" " * (place.start - used), ""), *align([text], place.cells)]
            used = place.start + place.cells
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for place in self.places:
            if place.column.key and place.start <= x < place.start + place.cells:
                self.post_message(self.Pressed(place.column.title))


class SortedTable(Vertical):
    """A table whose rows are sorted by a column, ascending or descending."""

    @property
    @abstractmethod
    def rows(self) -> Any:
        """The widget with the rows: it has `places`, `sorting`, `descending` and `rebuild`."""

    def on_header_pressed(self, event: Header.Pressed) -> None:
        if event.column == self.rows.sorting:
            self.reverse()
        else:
            self.sort(event.column)

    def sort(self, title: str) -> None:
        self.rows.sorting = title
        columns = (place.column for place in self.rows.places)
        self.rows.descending = any(each.largest_first for each in columns if each.title == title)
        self.rows.rebuild()

    def sort_by_next(self) -> None:
        """Sort by the column after the sorted one, if any column is visible."""
        names = [place.column.title for place in self.rows.places if place.column.key]
        if not names:
            return
        place = names.index(self.rows.sorting) if self.rows.sorting in names else -1
        self.sort(names[(place + 1) % len(names)])

    def reverse(self) -> None:
        self.rows.descending = not self.rows.descending
        self.rows.rebuild()
