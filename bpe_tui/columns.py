"""Spans in columns and lines: padded, cut, aligned, wrapped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from bpe_tui.pieces import spans_width
from bpe_tui.visible import shorten, width
from bpe_tui.widgets.rows import Row, Span


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


def paragraph(text: str, cells: int, role: str = "") -> list[Row]:
    """A visible text in rows, broken at blanks."""
    return [
        Row([(line, role)]) for line in textwrap.wrap(text, max(cells, 10), break_on_hyphens=False)
    ]
