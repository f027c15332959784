"""One text cut by several tokenizers, in strips one above the other, aligned.

Where any of them cuts, all strips have a cell for a border: `│` in those that cut there, a blank in
the others. So what lies between two such places, a segment, takes the same cells in every strip,
and stands under itself. A character that somebody cuts in two is spelled in bytes in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bpe_tui.widgets.lines import Span
from bpe_tui.widgets.visible import shorten, visible_bytes, width
from engine.analysis.comparison import TextComparison
from engine.analysis.comparison.differences import Differences
from engine.core.arrays import Ints

BORDER, NO_BORDER = "│", " "
SAME_MARK, OTHER_MARK = " ", "▔"
CURRENT_MARK = "▲"


@dataclass(frozen=True)
class Segment:
    """The bytes `start`…`end`, which nobody cuts.

    Attributes:
        text: how it is shown.
        cut_by: which tokenizers cut where it begins.
        difference: the place in the list of differences, −1 outside of all.
    """

    start: int
    end: int
    text: str
    cut_by: tuple[bool, ...]
    difference: int

    @property
    def cells(self) -> int:
        """What it takes, the border before it included."""
        return 1 + width(self.text)


def segments_of(comparison: TextComparison, start: int, end: int, widest: int) -> list[Segment]:
    """The segments of a stretch of the text that begins and ends where all cut."""
    edges = [each[np.searchsorted(each, start) :] for each in comparison.edges]
    edges = [each[: np.searchsorted(each, end, side="right")] for each in edges]
    places = np.unique(np.concatenate(edges))
    cut = np.stack([np.isin(places, each) for each in edges], axis=1).tolist()
    inside = _differences_at(comparison.differences, places[:-1]).tolist()
    ends = places.tolist()
    return [
        Segment(a, b, shorten(visible_bytes(comparison.data[a:b]), widest), tuple(cuts), number)
        for a, b, cuts, number in zip(ends, ends[1:], cut, inside, strict=False)
    ]


def _differences_at(differences: Differences, places: Ints) -> Ints:
    """The difference that each place stands in, −1 for none."""
    spans = differences.spans
    if not len(spans):
        return np.full(len(places), -1, dtype=np.int64)
    found = np.searchsorted(spans[:, 0], places, side="right") - 1
    return np.where((found >= 0) & (places < spans[found, 1]), found, -1)


def broken(segments: Sequence[Segment], room: int) -> list[list[Segment]]:
    """The segments in lines of at most so many cells; a newline in the text ends one, too."""
    lines: list[list[Segment]] = []
    used = room
    for segment in segments:
        if used + segment.cells + 1 > room:
            lines.append([])
            used = 0
        lines[-1].append(segment)
        used += segment.cells
        if "⏎" in segment.text:
            used = room
    return lines


def strip(line: Sequence[Segment], tokenizer: int, current: int) -> list[Span]:
    """One tokenizer's strip of a line."""
    spans: list[Span] = []
    for segment in line:
        differs = segment.difference >= 0
        role = ("fresh" if segment.difference == current else "pair") if differs else ""
        cut = segment.cut_by[tokenizer]
        agreed = all(segment.cut_by)
        spans.append((BORDER if cut else NO_BORDER, "border" if agreed else "tie"))
        spans.append((segment.text, role))
    spans.append((BORDER, "border"))
    return spans


def marks(line: Sequence[Segment], current: int) -> list[Span]:
    """The line under the strips: what differs, and where the eye should be."""
    spans: list[Span] = []
    before = -1
    for segment in line:
        inside = segment.difference
        joins = inside == before
        spans.append((_mark(inside if joins else -1, current), "tie"))
        spans.append((_mark(inside, current) * (segment.cells - 1), "tie"))
        before = inside
    return spans


def _mark(difference: int, current: int) -> str:
    if difference < 0:
        return SAME_MARK
    return CURRENT_MARK if difference == current else OTHER_MARK
