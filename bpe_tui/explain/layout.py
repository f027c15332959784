"""The rows and columns of the explain screen at a size, and which sections give way."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import cycle

LEAST, MOST = (4, 2, 2), (10, 5, 10)
"""Least and largest numbers of rows of bars, of words, of the corpus."""
BARS, WORDS, CORPUS = range(3)
TURNS: tuple[int, ...] = (BARS, CORPUS, BARS, WORDS, CORPUS)
TURNS_OF_DENSE: tuple[int, ...] = (CORPUS, CORPUS, CORPUS, BARS, WORDS)
"""The order in which sections get the rows that are left."""

PICK_ROWS = TEXT_ROWS = 2
ROOMY = 36
"""Least height at which the user's text has one more row."""


@dataclass(frozen=True)
class Layout:
    """Rows and columns of the sections.

    Attributes:
        bars: rows of bars.
        pick: rows of the reason.
        words: rows of words, below the row with the rule.
        corpus: rows of the corpus, which takes the rest.
        text: rows of the user's text and its count; one may stay empty.
        gap: empty rows below each station; none if dense.
        margin: cells at the left, for the rail and the names.
        name: cells of a bar's name.
        head_gap: empty rows below the heading.
        is_short: whether the rail is short.
    """

    bars: int
    pick: int
    words: int
    corpus: int
    text: int
    gap: int
    margin: int
    name: int
    head_gap: int
    is_short: bool


def layout(width: int, height: int, is_dense: bool = False, has_text: bool = True) -> Layout:
    """Divide a screen of this size into sections.

    Args:
        width: cells of a row.
        height: number of rows.
        is_dense: whether the corpus gets the empty rows.
        has_text: whether the user's text has rows.

    >>> sizes = (100, 80, 60), (29, 23, 19)
    >>> [(each.bars, each.words, each.corpus) for each in map(layout, *sizes)]
    [(7, 3, 5), (5, 2, 3), (4, 2, 2)]
    >>> layout(80, 16, is_dense=True, has_text=False).corpus
    5
    """
    is_short = width < 76
    margin, name = 15 if is_short else 19, 15 if width >= 96 else 13
    head_gap, has_legend = int(height >= 22), height >= 24
    heading = keys = rule = 1
    text = TEXT_ROWS if is_dense else TEXT_ROWS + (height >= 23) + (height >= ROOMY)
    text *= has_text
    pick, gap = PICK_ROWS, int(not is_dense)
    others = 4 * gap  # below three stations and the corpus
    spare = height - heading - head_gap - pick - rule - text - others - has_legend - keys
    parts = list(LEAST)
    # The sections take turns; once all have their most rows, the corpus gets the rest.
    turn = cycle(TURNS_OF_DENSE if is_dense else TURNS)
    for _ in range(spare - sum(parts)):
        growing = [place for place in range(len(parts)) if parts[place] < MOST[place]]
        parts[next(one for one in turn if one in growing) if growing else CORPUS] += 1
    bars, words, corpus = parts
    return Layout(bars, pick, words, corpus, text, gap, margin, name, head_gap, is_short)
