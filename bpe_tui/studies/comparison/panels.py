"""The panels of the comparison: the strips of a text, and the numbers.

Each tokenizer has a strip, one above the other, aligned. Where any of them cuts, all strips have a
cell for a border: `│` in those that cut there, a blank in the others. So what lies between two such
places, a segment, takes the same cells in every strip, and stands under itself. A character that
somebody cuts in two is spelled in bytes in all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.widgets.lines import Drawn, Lines
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right
from bpe_tui.widgets.visible import shorten, visible_bytes, width
from engine.analysis.comparison import Overlap, Parting, TextComparison
from engine.analysis.comparison.text_comparison import Differences
from engine.core.arrays import Ints
from engine.core.events import BytesPair

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
        role = "fresh" if segment.difference == current >= 0 else ""
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
    current: Drawn[int] = Drawn(0)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="strips")
        self.border_title = Content("where do they cut differently?")
        self.names = names
        self._lines_of: dict[int, int] = {}  # difference → the row of its line

    def watch_comparison(self) -> None:
        self.current = 0
        self.rebuild()

    def go(self, by: int) -> None:
        """To another difference; beyond the last and the first nothing happens."""
        if self.comparison is not None and len(self.comparison.differences):
            last = len(self.comparison.differences) - 1
            self.current = max(0, min(self.current + by, last))

    def rebuild(self) -> None:
        self._rows, self._lines_of = (), {}
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
        rows: list[Row] = []
        start, end = self._window(comparison)
        room = max(self.scrollable_content_region.width - NAME_CELLS, 8)
        for line in broken(segments_of(comparison, start, end, room - 2), room):
            for segment in line:
                self._lines_of.setdefault(segment.difference, len(rows))
            for place, name in enumerate(self.names):
                label = left([(name, "dim")], NAME_CELLS - 1)
                rows.append(Row([*label, (" ", ""), *strip(line, place, self.current)]))
            gap = (" " * NAME_CELLS, "")
            rows.append(Row([gap, *marks(line, self.current)]))
        self._rows = rows

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


LABEL_CELLS, COLUMN = 20, 12
SCRIPTS = 6
EXAMPLES = 6


@dataclass(frozen=True)
class Vocabularies:
    """What vocabularies and merges have in common; the partings are from the first tokenizer."""

    overlap: Overlap
    partings: tuple[Parting | None, ...]


class NumbersPanel(Lines):
    """How do the tokenizers compare? Tokens of the text, tokens a word, vocabularies, merges."""

    comparison: Drawn[TextComparison | None] = Drawn(None)
    vocabularies: Drawn[Vocabularies | None] = Drawn(None)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="numbers")
        self.border_title = Content("how do they compare?")
        self.names = names

    def rebuild(self) -> None:
        self._rows = list(self._made()) if self.size.width else []
        super().rebuild()

    def _made(self) -> Iterable[Row]:
        room = self.scrollable_content_region.width
        columns = min(COLUMN, max((room - LABEL_CELLS) // len(self.names), 6))
        yield _line("", [shorten(name, columns - 1) for name in self.names], columns, "strong")
        if self.comparison is not None:
            yield from _text_rows(self.comparison, columns)
        if self.vocabularies is None:
            yield Row([("Comparing the vocabularies …", "dim")])
            return
        yield Row([])
        yield from _vocabulary_rows(self.names, self.vocabularies, columns, room)


def _text_rows(comparison: TextComparison, columns: int) -> Iterable[Row]:
    yield _line("tokens", map(number, comparison.token_counts), columns)
    yield _line("bytes/token", (f"{each:.3f}" for each in comparison.bytes_per_token), columns)
    for script in comparison.fertility[:SCRIPTS]:
        label = shorten(f"tokens/word, {script.script}", LABEL_CELLS - 1)
        yield _line(label, (f"{each:.2f}" for each in script.tokens_per_word), columns)


def _vocabulary_rows(
    names: Sequence[str], found: Vocabularies, columns: int, room: int
) -> Iterable[Row]:
    yield _line("vocabulary", map(number, found.overlap.sizes), columns)
    yield _line("only here", (number(len(only)) for only in found.overlap.only), columns)
    yield _line("in all of them", [number(found.overlap.shared)], columns)
    for name, only in zip(names, found.overlap.only, strict=True):
        if only:
            shown = "  ".join(visible_bytes(token) for token in only[:EXAMPLES])
            yield Row([(f"only {shorten(name, 12)}  ", "dim"), (shorten(shown, room - 19), "")])
    for name, parting in zip(names[1:], found.partings, strict=True):
        yield from paragraph(f"{names[0]} and {name}: {_parted(parting, (names[0], name))}", room)


def _parted(parting: Parting | None, names: tuple[str, str]) -> str:
    if parting is None:
        return "the same merges"
    if parting.rank == 0 and None in parting.merges:
        return f"{names[parting.merges.index(None)]} has no merges"
    one, other = map(_merge, parting.merges)
    return f"part at merge {number(parting.rank + 1)}, {one} and {other}"


def _merge(merge: BytesPair | None) -> str:
    return "no more" if merge is None else " + ".join(map(visible_bytes, merge))


def _line(label: str, values: Iterable[str], columns: int, role: str = "") -> Row:
    spans: list[Span] = left([(label, "dim")], LABEL_CELLS)
    return Row([*spans, *(right(value, columns, role) for value in values)])
