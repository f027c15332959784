"""Spans in columns: padded, cut, aligned."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.pieces import spans_width
from bpe_tui.visible import shorten, width
from bpe_tui.widgets.lines import Span


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
