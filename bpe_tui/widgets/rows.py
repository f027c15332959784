"""Rows of text as values: spans with roles, padded, cut, aligned and wrapped.

`lines` paints them on the screen and the shell prints them. This module imports nothing of textual,
so that printing does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, overload

from rich.cells import chop_cells

from bpe_tui.widgets.visible import ELLIPSIS, shorten, width

Span = tuple[str, str]
"""Visible text and its role: one of `ROLES`, or "" for ordinary text."""

TOKEN_HUES = 8
"""How many colours neighbouring tokens take in turn."""

ROLES = (
    "border",  # the line between two pretokens
    "cut",  # the line between two tokens of a pretoken
    "cursor",  # the row that Enter acts on
    "dim",  # said in passing
    "strong",
    "fresh",  # made at this step
    "pair",  # about to merge
    "gain",
    "loss",
    "stale",
    "stale-truth",  # what a stale entry should say
    "tie",
    "curve",  # of a chart, as far as the cursor
    "special",
    *(f"token-{hue}" for hue in range(TOKEN_HUES)),
)
"""What a span can be. It never names a colour: each theme gives a role its colour (`app.tcss`)."""

ROLE_CLASSES = frozenset(f"role--{role}" for role in ROLES)


@dataclass(frozen=True)
class Row:
    """One line. `target` is where Enter or a click on it leads; `None`: nowhere."""

    spans: Sequence[Span]
    target: object | None = None


class RowsOnDemand(Sequence[Row]):
    """The rows of `top`, then `make(0)` … `make(count - 1)`, each made when it is looked at."""

    def __init__(self, count: int, make: Callable[[int], Row], top: Sequence[Row] = ()) -> None:
        self._count, self._make, self._top = len(top) + count, make, top

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            return [self[index] for index in range(self._count)[place]]
        index = range(self._count)[place]
        return self._top[index] if index < len(self._top) else self._make(index - len(self._top))


def spans_width(spans: Sequence[Span]) -> int:
    """Cells that the spans take."""
    return sum(width(text) for text, _ in spans)


def left(spans: Sequence[Span], cells: int) -> list[Span]:
    """The spans in exactly so many cells, aligned left, cut with `…` where they are too long."""
    spare = cells - spans_width(spans)
    if spare >= 0:
        return [*spans, (" " * spare, "")]
    fitted: list[Span] = []
    room = cells
    for text, role in spans:
        if width(text) >= room:  # the last cell is for the mark that says something is missing
            short = shorten(text + ELLIPSIS * 2, room)
            return [*fitted, (short, role), (" " * (room - width(short)), "")]
        fitted.append((text, role))
        room -= width(text)
    raise AssertionError("spans that are too long end inside the loop")


def right(text: str, cells: int, role: str = "") -> Span:
    """A text in at least so many cells, aligned right."""
    return " " * (cells - width(text)) + text, role


def wrapped(words: Iterable[Sequence[Span]], cells: int) -> list[list[Span]]:
    """Words of spans in lines of at most so many cells; a word is broken only if it must be."""
    lines: list[list[Span]] = [[]]
    used = 0
    for word in words:
        if used and used + spans_width(word) > cells:
            lines.append([])
            used = 0
        fitted = word if spans_width(word) <= cells else left(word, cells)
        lines[-1] += fitted
        used += spans_width(fitted)
    return lines


def wrapped_text(text: str, cells: int) -> list[str]:
    """A visible text in lines of at most so many cells, broken at blanks.

    Of blanks in a row all stay. A word that is longer than a line goes on in the next one.

    >>> wrapped_text("漢字 is lost", 7), wrapped_text("lowest", 4)
    (['漢字 is', 'lost'], ['lowe', 'st'])
    """
    lines = [""]
    for word in text.split(" "):
        line = f"{lines[-1]} {word}" if lines[-1] else word
        if width(line) <= cells:
            lines[-1] = line
        else:
            lines += chop_cells(word, cells) or [""]
    return [line.rstrip() for line in lines if line.strip()]


def paragraph(text: str, cells: int, role: str = "") -> list[Row]:
    """A visible text in rows, broken at blanks."""
    return [Row([(line, role)]) for line in wrapped_text(text, max(cells, 10))]


# -- columns


class RowColumn(NamedTuple):
    """A column of a `RowTable`.

    Attributes:
        title: what the header says above it.
        cells: how many it takes; 0 for all that the others leave.
        spans: what stands in it for a value; of a number there is one span.
        is_number: whether it is aligned right.
    """

    title: str
    cells: int
    spans: Callable[[Any], Sequence[Span]]
    is_number: bool = False


class RowTable:
    """Values in rows of columns, in `width` cells.

    Args:
        least: cells of the column that takes what the others leave, at the least.
    """

    def __init__(self, columns: Sequence[RowColumn], width: int, least: int) -> None:
        spare = max(width - sum(column.cells for column in columns), least)
        self._columns = [(column, column.cells or spare) for column in columns]

    def header(self) -> Row:
        spans: list[Span] = []
        for column, cells in self._columns:
            spans += _aligned([(column.title, "dim")], cells, column.is_number)
        return Row(spans)

    def row(self, value: Any, target: object | None = None) -> Row:
        spans: list[Span] = []
        for column, cells in self._columns:
            spans += _aligned(column.spans(value), cells, column.is_number)
        return Row(spans, target)


def _aligned(spans: Sequence[Span], cells: int, is_number: bool) -> list[Span]:
    return [right(spans[0][0], cells, spans[0][1])] if is_number else left(spans, cells)
