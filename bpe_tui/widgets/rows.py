"""Rows of text as values: spans with roles, padded, cut, aligned and wrapped.

`lines` paints them on the screen and the shell prints them. This module imports nothing of textual,
so that printing does not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

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
