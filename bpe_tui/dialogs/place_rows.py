"""What the window offers that opens something else: recent things and what is in a directory."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.session.directory import Place, places_in
from bpe_tui.session.recent_files import Given, told
from bpe_tui.widgets.columns import left, right
from bpe_tui.widgets.lines import Lines, Row
from bpe_tui.widgets.visible import size, visible_text

RECENT_SHOWN = 6
SIZE_CELLS = 9


@dataclass(frozen=True)
class Choice:
    """A row: what it opens, or the directory that it leads into."""

    given: Given = ()
    directory: str | None = None


Shown = tuple[str, str, Choice | None]
"""A row's text, what stands at its right, and what it leads to; `None`: it is but a heading."""


class PlaceRows(Lines):
    """The choices; the field above has the focus, and `▸` tells where the cursor is."""

    can_focus = False

    def __init__(self) -> None:
        super().__init__(id="place-rows")
        self._rows: list[Shown] = []

    def show(self, rows: list[Shown]) -> None:
        """Show other rows; the cursor goes to the first that leads anywhere."""
        self._rows = rows
        self.rebuild()
        self.cursor = next((place for place, row in enumerate(rows) if row[2] is not None), 0)
        self.scroll_to_row(0)

    @property
    def chosen(self) -> Choice | None:
        return self._rows[self.cursor][2] if self._rows else None

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        text, aside, choice = self._rows[index]
        here = index == self.cursor and choice is not None
        role = "dim" if choice is None else "strong" if here else ""
        room = max(self.size.width - SIZE_CELLS - 4, 8)
        spans = [("▸ " if here else "  ", "pair"), *left([(text, role)], room)]
        return Row([*spans, right(aside, SIZE_CELLS, "dim")], choice)


def recent_rows(entries: Sequence[Given]) -> list[Shown]:
    """What was opened of late, under a heading."""
    if not entries:
        return []
    rows: list[Shown] = [("of late", "", None)]
    for given in entries[:RECENT_SHOWN]:
        rows.append((_short(given), "", Choice(given)))
    return [*rows, ("", "", None)]


def _short(given: Given) -> str:
    """The names first: where they lie matters less, and is cut off first."""
    names = " and ".join(os.path.basename(name) or name for name in given)
    where = os.path.dirname(told(given[:1]))
    return visible_text(f"{names}  in {where}" if where else names, spaces=False)


def directory_rows(directory: str, beginning: str, *, with_parent: bool) -> list[Shown]:
    """What is in a directory and begins so, under its name; why it cannot be told, if it cannot."""
    rows: list[Shown] = [(visible_text(told((directory,)), spaces=False), "", None)]
    if with_parent and os.path.dirname(directory) != directory:
        rows.append(("..", "", Choice(directory=os.path.dirname(directory))))
    try:
        return [*rows, *map(_place_row, places_in(directory, beginning))]
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        return [*rows, (visible_text(str(why), spaces=False), "", None)]


def _place_row(place: Place) -> Shown:
    name = visible_text(place.name, spaces=False)
    if place.size is None:
        return f"{name}/", "", Choice(directory=place.path)
    return name, size(place.size), Choice((place.path,))
