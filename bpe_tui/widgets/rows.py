"""Rows of text in roles, as values: what `lines` paints and what the shell prints.

They stand apart from the widget, so that printing does not wait for textual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

Span = tuple[str, str]
"""Visible text and its role."""


@dataclass(frozen=True)
class Row:
    """One line. `target` is where Enter or a click on it leads; `None`: nowhere."""

    spans: Sequence[Span]
    target: object | None = None


class RowsOnDemand(Sequence[Row]):
    """Rows `make(0)` … `make(count - 1)`, each made when somebody looks at it."""

    def __init__(self, count: int, make: Callable[[int], Row]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self._make(index) for index in range(self._count)[place]]
        return self._make(range(self._count)[place])
