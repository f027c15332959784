"""Lanes of a text in rows: its bytes, and what stands over them, aligned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bpe_tui.views.lane_layout import Label, broken, byte_widths, character_text, flush_left
from bpe_tui.widgets.lines import Row, Span
from engine.encoding.lanes import Lanes

NAME_CELLS = 12

Drawn = Callable[[Sequence[Label], Sequence[int], int, int], Iterator[Span]]


class Lane(NamedTuple):
    """A lane: its name, what it says of which bytes, and how it is drawn."""

    name: str
    labels: Sequence[Label]
    draw: Drawn = flush_left


def characters_and_bytes(lanes: Lanes) -> list[Lane]:
    """The two lanes that every text has."""
    characters = [
        Label(c.start, c.end, character_text(lanes, c), "" if c.text is not None else "loss")
        for c in lanes.characters
    ]
    data = [Label(n, n + 1, f"{byte:02X}", "dim") for n, byte in enumerate(lanes.data)]
    return [Lane("characters", characters), Lane("bytes", data)]


def lane_rows(lanes: Lanes, shown: Sequence[Lane], width: int) -> Iterator[Row]:
    """A row for each lane and line of the text, and a blank one between two lines."""
    cells = byte_widths(lanes)
    for place, (start, end) in enumerate(broken(lanes, cells, max(width - NAME_CELLS, 8))):
        if place:
            yield Row([])
        for name, labels, draw in shown:
            title: Span = (name.ljust(NAME_CELLS), "strong")
            yield Row([title, *draw(labels, cells, start, end)])
