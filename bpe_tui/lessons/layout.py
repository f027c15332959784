"""How many rows each section of the lesson view has at a size, and what gives way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice

LEAST = (4, 2, 2)
MOST = (10, 5, 10)
"""Rows of bars, of words, of the corpus."""
BARS, WORDS, CORPUS = range(3)
TURNS = (BARS, CORPUS, BARS, WORDS, CORPUS)
"""Who gets the next row that is left, in turn."""

PICK_ROWS = TEXT_ROWS = 2
ROOMY = 36
"""Rows from which on the reader's text has one more."""


@dataclass(frozen=True)
class Layout:
    """Rows of the sections, and columns.

    Attributes:
        bars: rows of what is counted.
        words: rows below the one with the rule.
        corpus: rows of the corpus; what is left goes to it.
        text: rows of the reader's text and its count; where there is a legend, one may stay empty.
        margin: cells at the left, for the rail and the names.
        name: cells for what a bar is of.
        head_gap: empty rows below the heading.
        has_legend: whether there is a row that explains the signs.
    """

    bars: int
    words: int
    corpus: int
    text: int
    margin: int
    name: int
    head_gap: int
    has_legend: bool

    @property
    def is_short(self) -> bool:
        """Whether the rail is drawn short."""
        return self.margin < 14

    @property
    def has_captions(self) -> bool:
        return self.margin >= 17


def layout(width: int, height: int) -> Layout:
    """The sections in a screen of so many cells.

    >>> [(each.bars, each.words, each.corpus) for each in map(layout, (100, 80, 60), (30, 24, 20))]
    [(8, 3, 5), (5, 2, 3), (5, 2, 2)]
    """
    margin, name = (19, 15) if width >= 96 else (16, 13) if width >= 76 else (13, 10)
    head_gap, has_legend = int(height >= 22), height >= 24
    heading = keys = rule = 1
    gaps, legend = 4, int(has_legend)
    text = TEXT_ROWS + has_legend + (height >= ROOMY)
    spare = height - heading - head_gap - PICK_ROWS - rule - text - gaps - legend - keys
    parts = list(LEAST)
    for place in islice(_turns(), max(spare - sum(LEAST), 0)):
        parts[place] += 1
    bars, words, corpus = parts
    return Layout(bars, words, corpus, text, margin, name, head_gap, has_legend)


def _turns() -> Iterator[int]:
    """Which section gets the next row; the corpus, when all have what they want."""
    wanted = [most - least for most, least in zip(MOST, LEAST, strict=True)]
    for place in cycle(TURNS):
        if wanted[place]:
            wanted[place] -= 1
            yield place
        elif not any(wanted):
            break
    yield from cycle((CORPUS,))
