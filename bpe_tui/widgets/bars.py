"""Bars beside numbers: half a row high, so that bars one above the other stay apart."""

from __future__ import annotations

from math import frexp

BODY, HALF, TRACE = "▄", "▖", "┄"
"""A whole cell, half a cell, and what stands for a part that is only claimed, or gone."""

LEAST, MOST = 5, 24
"""A shorter bar says too little, a longer one no more."""


def bar_room(spare: int) -> int:
    """Cells of the longest bar, of cells that are left over; 0 where there is no room for one.

    They come behind a gap of two. What stands beside the bar has half of what is left over.

    >>> bar_room(6), bar_room(7), bar_room(20), bar_room(80)
    (0, 5, 10, 24)
    """
    return min(max(spare // 2, LEAST), MOST) if spare >= LEAST + 2 else 0


def bar(share: float, cells: int) -> str:
    """A share of so many cells, exact to half a cell; what is not nothing is seen.

    >>> bar(0.5, 5), bar(0.001, 5), bar(0, 5)
    ('▄▄▖', '▖', '')
    """
    halves = min(max(round(share * cells * 2), 1 if share > 0 else 0), cells * 2)
    return BODY * (halves // 2) + HALF * (halves % 2)


def trace(share: float, cells: int, body: str) -> str:
    """What a greater share adds behind a bar, in whole cells.

    >>> trace(0.8, 5, bar(0.5, 5))
    '┄'
    """
    return TRACE * max(min(round(share * cells), cells) - len(body), 0)


def scale_of(highest: float) -> float:
    """What a bar of full length stands for, where the longest stands for `highest`.

    The next power of two: the longest bar takes between half and all of the room, and the scale
    changes only a dozen times while a count falls from thousands to a few. It follows from what is
    shown, so going back and forth agrees.

    >>> scale_of(599), scale_of(512), scale_of(0.3), scale_of(0)
    (1024.0, 512.0, 0.5, 1.0)
    """
    if highest <= 0:
        return 1.0
    mantissa, exponent = frexp(highest)
    return 2.0 ** (exponent - (mantissa == 0.5))
