"""Parts of a table of `Lines`: columns that fit the room, a fixed header, sorting."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from textual import events
from textual.containers import Vertical
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.styles import painted
from bpe_tui.widgets.rows import Row, Span, left, right_aligned

GAP = 2
"""Cells between two columns."""


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        title: its title in the header.
        cells: its least width.
        importance: with too little room, the least important columns are left out.
        share: its share of the cells left over.
        is_number: whether it is aligned right.
        sorts: whether rows can be sorted by it; a bar is sorted by its number's column.
    """

    name: str
    title: str
    cells: int
    importance: int
    share: int = 0
    is_number: bool = False
    sorts: bool = True


class ColumnPlace(NamedTuple):
    """The place of a column: its first cell `start` and its width in cells."""

    column: Column
    start: int
    cells: int


def arranged(columns: Sequence[Column], room: int) -> list[ColumnPlace]:
    """Return the columns that fit, in their order, each with its place.

    >>> columns = [Column("id", "id", 5, 2), Column("text", "text", 4, 3, share=1)]
    >>> [(p.start, p.cells) for p in arranged(columns, 20)]
    [(0, 5), (7, 13)]
    >>> [p.column.name for p in arranged(columns, 8)]
    ['text']
    """
    kept = list(columns)
    while (spare := room + GAP - sum(each.cells + GAP for each in kept)) < 0 and len(kept) > 1:
        kept.remove(min(kept, key=lambda column: column.importance))
    shares = sum(column.share for column in kept)
    places, start = [], 0
    for column in kept:
        cells = column.cells + (max(spare, 0) * column.share // shares if shares else 0)
        places.append(ColumnPlace(column, start, cells))
        start += cells + GAP
    return places


def arranged_row(
    places: Sequence[ColumnPlace],
    cell_of: Callable[[str], Sequence[Span]],
    target: object | None = None,
) -> Row:
    """Return a row of the cells of columns, each by the name of its column."""
    spans: list[Span] = []
    for place in places:
        align = right_aligned if place.column.is_number else left
        spans += [*align(cell_of(place.column.name), place.cells), (" " * GAP, "")]
    return Row(spans[:-1], target)


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
        spans, words = list[Span](), getattr(self.screen, "messages", {})
        used = 0
        for place in self.places:
            is_sorting = place.column.name == self.sorting
            arrow = ("▼" if self.descending else "▲") if is_sorting else ""
            title = words.get(place.column.title, place.column.title)
            text = (title + arrow)[: place.cells], "strong" if is_sorting else "dim"
            align = right_aligned if place.column.is_number else left
            spans += [(" " * (place.start - used), ""), *align([text], place.cells)]
            used = place.start + place.cells
        return Strip(painted(self, spans)).adjust_cell_length(self.size.width, self.rich_style)

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for place in self.places:
            if place.column.sorts and place.start <= x < place.start + place.cells:
                self.post_message(self.Pressed(place.column.name))


class SortedTable(Vertical):
    """A table whose rows are sorted by a column, ascending or descending."""

    LARGEST_FIRST: ClassVar[frozenset[str]]
    """Columns that are sorted descending at first."""

    @property
    @abstractmethod
    def rows(self) -> Any:
        """The widget with the rows: it has `places`, `sorting`, `descending` and `rebuild`."""

    def on_header_pressed(self, event: Header.Pressed) -> None:
        if event.column == self.rows.sorting:
            self.reverse()
        else:
            self.sort(event.column)

    def sort(self, column: str) -> None:
        self.rows.sorting, self.rows.descending = column, column in self.LARGEST_FIRST
        self.rows.rebuild()

    def sort_by_next(self) -> None:
        """Sort by the column after the sorted one, if any column is visible."""
        names = [place.column.name for place in self.rows.places if place.column.sorts]
        if not names:
            return
        place = names.index(self.rows.sorting) if self.rows.sorting in names else -1
        self.sort(names[(place + 1) % len(names)])

    def reverse(self) -> None:
        self.rows.descending = not self.rows.descending
        self.rows.rebuild()
