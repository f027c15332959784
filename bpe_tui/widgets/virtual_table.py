"""What makes a table of `Lines`: columns that fit the room, a header that stays."""

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
from bpe_tui.widgets.rows import Span

GAP = 2
"""Cells between two columns."""


@dataclass(frozen=True)
class Column:
    """A column: its name, what the header calls it, and the cells it takes at the least.

    `share` is its part in the room that is left over; `importance` decides which columns go first
    where there is too little room.
    """

    name: str
    title: str
    cells: int
    importance: int
    share: int = 0
    is_number: bool = False
    sorts: bool = True
    """Whether rows can be put in its order; those of a bar are in that of its number."""


@dataclass(frozen=True)
class ColumnPlace:
    """Where a column stands: from cell `start`, so many cells wide."""

    column: Column
    start: int
    cells: int


def arranged(columns: Sequence[Column], room: int) -> list[ColumnPlace]:
    """The columns that fit, in their order, each with its place.

    >>> columns = [Column("id", "id", 5, 2), Column("text", "text", 4, 3, share=1)]
    >>> [(p.start, p.cells) for p in arranged(columns, 20)]
    [(0, 5), (7, 13)]
    >>> [p.column.name for p in arranged(columns, 8)]
    ['text']
    """
    kept = list(columns)
    while len(kept) > 1 and _needed(kept) > room:
        kept.remove(min(kept, key=lambda column: column.importance))
    spare = max(room - _needed(kept), 0)
    shares = sum(column.share for column in kept)
    places, start = [], 0
    for column in kept:
        cells = column.cells + (spare * column.share // shares if shares else 0)
        places.append(ColumnPlace(column, start, cells))
        start += cells + GAP
    return places


def _needed(columns: Sequence[Column]) -> int:
    return sum(column.cells for column in columns) + GAP * (len(columns) - 1)


class Header(Widget):
    """The titles over `places`, an arrow at the one that sorts; a click asks for another order."""

    places: reactive[Sequence[ColumnPlace]] = reactive(())
    sorting: reactive[str] = reactive("")
    descending: reactive[bool] = reactive(False)

    @dataclass
    class Pressed(Message):
        """The mouse asks for the order of a column."""

        column: str

    def render_line(self, y: int) -> Strip:
        spans: list[Span] = []
        used = 0
        for place in self.places:
            is_sorting = place.column.name == self.sorting
            text = self._title(place, is_sorting)
            spans += [(" " * (place.start - used), ""), (text, "strong" if is_sorting else "dim")]
            used = place.start + len(text)
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)

    def _title(self, place: ColumnPlace, is_sorting: bool) -> str:
        arrow = ("▼" if self.descending else "▲") if is_sorting else ""
        title = (place.column.title + arrow)[: place.cells]
        return title.rjust(place.cells) if place.column.is_number else title.ljust(place.cells)

    def on_click(self, event: events.Click) -> None:
        for place in self.places:
            if place.column.sorts and place.start <= event.x < place.start + place.cells:
                self.post_message(self.Pressed(place.column.name))


class SortedTable(Vertical):
    """A table that is sorted by a column: by which, and which way round.

    It holds rows with the columns that there is room for, and the order that they are in.
    """

    @property
    @abstractmethod
    def rows(self) -> Any:
        """What is sorted: it has `places`, `sorting`, `descending` and `rebuild`."""

    @abstractmethod
    def is_descending(self, column: str) -> bool:
        """Whether a column is sorted from its greatest value on, at first."""

    def on_header_pressed(self, event: Header.Pressed) -> None:
        event.stop()
        if event.column == self.rows.sorting:
            self.reverse()
        else:
            self.sort(event.column)

    def sort(self, column: str) -> None:
        self.rows.sorting, self.rows.descending = column, self.is_descending(column)
        self.rows.rebuild()

    def sort_by_next(self) -> None:
        """Sort by the column after the one that sorts now, once there are columns to be seen."""
        names = [place.column.name for place in self.rows.places if place.column.sorts]
        if not names:
            return
        place = names.index(self.rows.sorting) if self.rows.sorting in names else -1
        self.sort(names[(place + 1) % len(names)])

    def reverse(self) -> None:
        self.rows.descending = not self.rows.descending
        self.rows.rebuild()
