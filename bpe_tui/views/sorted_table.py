"""What tables share that are sorted by a column: by which, and which way round."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from textual.containers import Vertical

from bpe_tui.widgets.virtual_table import Header


class SortedTable(Vertical):
    """Holds rows with the columns that there is room for, and the order that they are in."""

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
        names = [place.column.name for place in self.rows.places]
        if not names:
            return
        place = names.index(self.rows.sorting) if self.rows.sorting in names else -1
        self.sort(names[(place + 1) % len(names)])

    def reverse(self) -> None:
        self.rows.descending = not self.rows.descending
        self.rows.rebuild()
