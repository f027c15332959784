"""Spans in columns and lines: padded, cut, aligned, wrapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import chop_cells

from bpe_tui.widgets.rows import Row, Span
from bpe_tui.widgets.visible import shorten, width


def spans_width(spans: Sequence[Span]) -> int:
    """Cells that the spans take."""
    return sum(width(text) for text, _ in spans)


def left(spans: Sequence[Span], cells: int) -> list[Span]:
    """The spans in exactly so many cells, aligned left, cut with `…` where they are too long."""
    fitted: list[Span] = []
    room = cells
    total = spans_width(spans)
    for text, role in spans:
        if total <= cells:
            fitted.append((text, role))
            room -= width(text)
            continue
        # Keep a cell for the mark that says something is missing.
        taken = width(text)
        if taken < room:
            fitted.append((text, role))
            room -= taken
        else:
            short = shorten(text + "……", room)
            fitted.append((short, role))
            room -= width(short)
            break
    return [*fitted, (" " * max(room, 0), "")]


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
