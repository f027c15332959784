"""Where do the tokenizers cut the text differently? Their strips, one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left
from bpe_tui.widgets.visible import shorten, visible_bytes, width
from engine.analysis.comparison import TextComparison
from engine.analysis.comparison.text_comparison import Differences
from engine.core.arrays import Ints

# One text cut by several tokenizers, in strips one above the other, aligned.
#
# Where any of them cuts, all strips have a cell for a border: `│` in those that cut there, a blank
# in the others. So what lies between two such places, a segment, takes the same cells in every
# strip, and stands under itself. A character that somebody cuts in two is spelled in bytes in all
# of them.

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


NAME_CELLS = 12
SHOWN = 1 << 13
"""Bytes of the text that are laid out; around the difference that is looked at."""
BEFORE = 1 << 11


class StripsPanel(Lines):
    """The strips of `comparison`, around the difference number `current`."""

    comparison: reactive[TextComparison | None] = reactive(None, repaint=False)
    current: reactive[int] = reactive(0, repaint=False)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="strips")
        self.border_title = Content("where do they cut differently?")
        self.names = names
        self._rows: list[Row] = []
        self._lines_of: dict[int, int] = {}  # difference → the row of its line

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        return self._rows[index]

    def watch_comparison(self) -> None:
        self.current = 0
        self.rebuild()

    def watch_current(self) -> None:
        self.rebuild()

    def go(self, by: int) -> None:
        """To another difference; beyond the last and the first nothing happens."""
        if self.comparison is not None and len(self.comparison.differences):
            last = len(self.comparison.differences) - 1
            self.current = max(0, min(self.current + by, last))

    def rebuild(self) -> None:
        self._rows, self._lines_of = [], {}
        if self.comparison is not None and self.size.width:
            self._lay_out(self.comparison)
        super().rebuild()
        if self.current in self._lines_of:
            first = self._lines_of[self.current]
            self.cursor = first
            self.scroll_to_row(min(first + len(self.names), max(self.row_count - 1, 0)))
            self.scroll_to_row(first)

    def _lay_out(self, comparison: TextComparison) -> None:
        self._say(comparison)
        if not comparison.data:
            self._rows = [Row([("There is no text yet: press e and type one.", "dim")])]
            return
        start, end = self._window(comparison)
        room = max(self.scrollable_content_region.width - NAME_CELLS, 8)
        for line in broken(segments_of(comparison, start, end, room - 2), room):
            for segment in line:
                self._lines_of.setdefault(segment.difference, len(self._rows))
            for place, name in enumerate(self.names):
                label = left([(name, "dim")], NAME_CELLS - 1)
                self._rows.append(Row([*label, (" ", ""), *strip(line, place, self.current)]))
            gap = (" " * NAME_CELLS, "")
            self._rows.append(Row([gap, *marks(line, self.current)]))

    def _window(self, comparison: TextComparison) -> tuple[int, int]:
        """What is laid out: from a place where all cut to another."""
        size = len(comparison.data)
        if size <= SHOWN:
            return 0, size
        spans = comparison.differences.spans
        focus = int(spans[self.current, 0]) if len(spans) else 0
        return comparison.agreed_before(max(focus - BEFORE, 0)), comparison.agreed_after(
            min(focus + SHOWN - BEFORE, size)
        )

    def _say(self, comparison: TextComparison) -> None:
        found = len(comparison.differences)
        size = plural(len(comparison.data), "byte")
        if not comparison.data:
            told = ""
        elif not found:
            told = f"all cut these {size} alike"
        else:
            start = int(comparison.differences.spans[self.current, 0])
            place = f"difference {number(self.current + 1)} of {number(found)}"
            told = f"{place}, at byte {number(start)} of {number(len(comparison.data))}"
        self.border_subtitle = Content(told)
