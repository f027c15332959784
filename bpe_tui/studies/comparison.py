"""The comparison screen: one text under several tokenizers, from difference to difference.

Each tokenizer has a strip of chips, one above the other, aligned. Without colours, where any of
them cuts, all strips have a cell for a border: `│` in those that cut there, a blank in the others.
So a segment, the text from border to border, has the same cells in every strip. A character that
a tokenizer cuts is over marks of its tokens in that strip, a mark for each byte.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.session.declarations import COMPARISON
from bpe_tui.shell.dialog import Dialog
from bpe_tui.shell.panel import MARKS, needs_marks
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines, ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import CHIPS_MEET, CutSpan, Row, Span, left, paragraph, right, with_below
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text, width
from bpe_tui.words.measures import describe_merge_difference
from engine.analysis.text_comparison import (
    MergeListDifference,
    Overlap,
    TextComparison,
    first_merge_difference,
    overlap,
)
from engine.core.characters import whole_characters
from engine.core.errors import BpeError
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer
from engine.text.pretokenize import to_bytes

Result = TypeVar("Result")

BORDER, NO_BORDER = "│", " "
SAME_MARK, OTHER_MARK = " ", "▔"
CURRENT_MARK = "▲"


class Segment(NamedTuple):
    """The bytes `start`…`end`, which no tokenizer cuts.

    Attributes:
        text: the bytes as they are shown; the whole characters if it begins some.
        cells: the number of cells, with the border before the text.
        edge: the cells of that border.
        parts: the number of segments that hold whole characters only together, from this on.
            0 for the second and further ones of them, which have no text.
        cut_by: for each tokenizer whether it cuts at the start.
        difference: the number of the difference that it belongs to; −1 if none.
    """

    start: int
    end: int
    text: str
    cells: int
    edge: int
    parts: int
    cut_by: tuple[bool, ...]
    difference: int


def segments_of(
    comparison: TextComparison, start: int, end: int, widest: int, edge: int = 1
) -> list[Segment]:
    """Return the segments of a part of the text that begins and ends where all cut.

    Args:
        widest: most cells of a segment.
        edge: cells of a border.
    """
    edges = [each[np.searchsorted(each, start) :] for each in comparison.edges]
    edges = [each[: np.searchsorted(each, end, side="right")] for each in edges]
    places = np.unique(np.concatenate(edges))
    cut = np.stack([np.isin(places, each) for each in edges], axis=1).tolist()
    spans, starts = comparison.differences.spans, places[:-1]
    inside = np.searchsorted(spans[:, 0], starts, side="right") - 1
    if len(spans):
        inside[starts >= spans[inside, 1]] = -1
    drawn = drawn_parts([comparison.data[a:b] for a, b in pairwise(places.tolist())], widest)
    segments = []
    for (a, b), (text, cells, parts), cuts, difference in zip(
        pairwise(places.tolist()), drawn, cut, inside.tolist(), strict=False
    ):
        before = edge if parts else 0
        segments.append(Segment(a, b, text, before + cells, before, parts, tuple(cuts), difference))
    return segments


def drawn_parts(contents: Iterable[bytes], widest: int) -> Iterator[tuple[str, int, int]]:
    """Yield how to draw each of these parts of a text: its text, its cells, `Segment.parts`.

    >>> list(drawn_parts([b"a", b"\\xe6\\x88", b"\\x91"], 60))
    [('a', 1, 1), ('我', 2, 2), ('', 1, 0)]
    """
    for together in whole_characters(contents):
        whole, marked = visible_bytes(b"".join(together)), sum(map(len, together))
        if len(together) == 1 or max(marked, width(whole)) > widest:
            for part in together:
                text = shorten(visible_bytes(part), widest)
                yield text, width(text), 1
            continue
        *before, last = map(len, together)
        for place, cells in enumerate([*before, last + max(width(whole) - marked, 0)]):
            yield ("", cells, 0) if place else (whole, cells, len(together))


def broken(segments: Sequence[Segment], room: int) -> list[list[Segment]]:
    """Break the segments into lines of at most `room` cells, and after newlines in the text."""
    lines: list[list[Segment]] = []
    used = room
    for segment in segments:
        if segment.parts and used + segment.cells + 1 > room:
            lines.append([])
            used = 0
        lines[-1].append(segment)
        used += segment.cells
        if "⏎" in segment.text:
            used = room
    return lines


def strip(line: Sequence[Segment], tokenizer: int, current: int) -> list[Span]:
    """Draw one tokenizer's strip of a line."""
    spans: list[Span] = []
    edge = line[0].edge
    for place, segment in enumerate(line):
        parts = line[place : place + segment.parts]
        if not parts:
            continue
        is_current = any(part.difference == current >= 0 for part in parts)
        cut = segment.cut_by[tokenizer]
        if edge:
            agreed = all(segment.cut_by)
            spans.append((BORDER if cut else NO_BORDER, "border" if agreed else "tie"))
        else:
            spans += [CHIPS_MEET] * cut
        role = ("tab" if is_current else "") if edge else "current" if is_current else "base"
        cells = sum(part.cells for part in parts) - edge
        text = segment.text + " " * (cells - width(segment.text))
        is_cut = any(part.cut_by[tokenizer] for part in parts[1:])
        below = _marks_below(parts, tokenizer, is_current)
        spans.append(CutSpan.of(text, "", below) if is_cut else (text, role))
    return [*spans, (BORDER, "border")] if edge else spans


def _marks_below(parts: Sequence[Segment], tokenizer: int, is_current: bool) -> list[Span]:
    """Draw a mark for each byte below characters that a tokenizer cuts, by turns."""
    turn, below = 1, list[Span]()
    for part in parts:
        turn = 1 - turn if part.cut_by[tokenizer] else turn
        role = "mark-joining" if is_current else "mark-base"
        below.append((MARKS[turn] * (part.cells - part.edge), role))
    return below


def marks(line: Sequence[Segment], current: int) -> list[Span]:
    """Draw the line under the strips, which marks the differences and the current one."""
    spans: list[Span] = []
    before: int | None = None
    sign_of = {current: CURRENT_MARK, -1: SAME_MARK}
    for segment in line:
        sign = sign_of.get(segment.difference, OTHER_MARK)
        joins = segment.difference == before
        spans.append(((sign if joins else SAME_MARK) * segment.edge, "tie"))
        spans.append((sign * (segment.cells - segment.edge), "tie"))
        before = segment.difference
    return spans


NAME_CELLS = 12
LONGEST_HEADING = 500
SHOWN = 1 << 13
"""Bytes of the text that are laid out, around the current difference."""
BEFORE = 1 << 11


class StripsPanel(Lines):
    """The strips of a comparison, around the difference number `current`."""

    comparison: reactive[TextComparison | None] = reactive(None, repaint=False)
    current: ShownInRows[int] = ShownInRows(0)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="strips")
        self.border_title = Content(tr("where do they cut differently?"))
        self.names = names
        self._lines_of: dict[int, int] = {}  # difference → the row of its line

    def watch_comparison(self) -> None:
        self.current = 0
        self.rebuild()

    def go(self, by: int) -> None:
        """Go `by` differences further, at most to the first or the last."""
        if self.comparison is not None:
            last = len(self.comparison.differences) - 1
            self.current = max(0, min(self.current + by, last))

    def rebuild(self) -> None:
        self._rows, self._lines_of = (), {}
        if self.comparison is not None and self.size.width:
            self._lay_out(self.comparison)
        super().rebuild()
        if self.current in self._lines_of:
            self.cursor = self._lines_of[self.current]
            self.scroll_to_row(self.cursor + len(self.names))
            self.scroll_to_row(self.cursor)

    def _lay_out(self, comparison: TextComparison) -> None:
        self._say(comparison)
        if not comparison.data:
            self._rows = [Row([(tr("There is no text yet: press e and type one."), "dim")])]
            return
        rows: list[Row] = []
        # The part of the text to lay out; all tokenizers cut at both ends.
        start, end = 0, len(comparison.data)
        if end > SHOWN:
            spans = comparison.differences.spans
            focus = int(spans[self.current, 0]) if len(spans) else 0
            first, last = max(focus - BEFORE, 0), min(focus + SHOWN - BEFORE, end)
            start, end = comparison.agreed_around(first, last)
        room = self.scrollable_content_region.width - NAME_CELLS
        edge = int(needs_marks(self.app))
        for line in broken(segments_of(comparison, start, end, room - 2, edge), room):
            for segment in line:
                self._lines_of.setdefault(segment.difference, len(rows))
            for place, name in enumerate(self.names):
                label = left([(name, "dim")], NAME_CELLS - 1)
                drawn = [*label, (" ", ""), *strip(line, place, self.current)]
                rows += map(Row, with_below(drawn))
            rows.append(Row([(" " * NAME_CELLS, ""), *marks(line, self.current)]))
        self._rows = rows

    def _say(self, comparison: TextComparison) -> None:
        found = len(comparison.differences)
        size = plural(len(comparison.data), "byte")
        if not comparison.data:
            subtitle = ""
        elif not found:
            subtitle = tr("all cut these {size} alike", size=size)
        else:
            start = int(comparison.differences.spans[self.current, 0])
            place = tr("difference {current} of {found}", current=self.current + 1, found=found)
            said = "{place}, at byte {start} of {n}"
            subtitle = tr(said, place=place, start=start, n=len(comparison.data))
        self.border_subtitle = Content(subtitle)


LABEL_CELLS, COLUMN = 20, 12
EXAMPLES = 6


class Vocabularies(NamedTuple):
    """The comparison of vocabularies, and of the merges of each tokenizer with the first.

    Attributes:
        has_merges: whether the first has any.
    """

    overlap: Overlap
    merge_differences: tuple[MergeListDifference | None, ...]
    has_merges: bool


class NumbersPanel(Lines):
    """The numbers of each tokenizer: of a text, of its vocabulary and merges."""

    comparison: ShownInRows[TextComparison | None] = ShownInRows(None)
    vocabularies: ShownInRows[Vocabularies | None] = ShownInRows(None)

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(id="numbers")
        self.border_title = Content(tr("how do they compare?"))
        self.names = names

    def rebuild(self) -> None:
        self._rows = list(self._made()) if self.size.width else []
        super().rebuild()

    def _made(self) -> Iterable[Row]:
        room = self.scrollable_content_region.width
        columns = min(COLUMN, max((room - LABEL_CELLS) // len(self.names), 6))
        yield _line("", [shorten(name, columns - 1) for name in self.names], columns, "strong")
        if (comparison := self.comparison) is not None:
            compression = (f"{each:.3f}" for each in comparison.bytes_per_token)
            yield _line("tokens", map(number, comparison.token_counts), columns)
            first = shorten(f"× {self.names[0]}", LABEL_CELLS - 1)
            yield _line(first, (f"{each:.2f}" for each in comparison.times_first), columns)
            yield _line("bytes/token", compression, columns)
        if (found := self.vocabularies) is None:
            yield Row([(tr("Comparing the vocabularies …"), "dim")])
            return
        yield Row([])
        yield _line("vocabulary", map(number, found.overlap.sizes), columns)
        yield _line("only here", (number(len(only)) for only in found.overlap.only), columns)
        yield _line("in all of them", [number(found.overlap.shared)], columns)
        for name, only in zip(self.names, found.overlap.only, strict=True):
            if only:
                shown = "  ".join(visible_bytes(token) for token in only[:EXAMPLES])
                said = "only {name}  "
                yield Row(
                    [(tr(said, name=shorten(name, 12)), "dim"), (shorten(shown, room - 19), "")]
                )
        for name, difference in zip(self.names[1:], found.merge_differences, strict=True):
            text = describe_merge_difference(
                difference, self.names[0], name, has_merges=found.has_merges
            )
            yield from paragraph(text, room)


def _line(label: str, values: Iterable[str], columns: int, role: str = "") -> Row:
    spans: list[Span] = left([(label, "dim")], LABEL_CELLS)
    return Row([*spans, *(right(value, columns, role) for value in values)])


class ComparisonScreen(PanelScreen):
    """The strips of a text, the numbers, and a line to type another text.

    Args:
        names: the names of the tokenizers.
        open_all: opens the tokenizers; called in a thread, since it may take seconds.
        data: the text to begin with.
    """

    NAME = COMPARISON
    CSS_PATH = sheet("comparison.tcss")
    SLOT = ("strips", "numbers")
    PANEL_ORDER = (*SLOT, "other-text")
    TAKES_TURNS = True
    HIDDEN: ClassVar[Mapping[str, str]] = {"strips": "strips", "numbers": "numbers"}
    TYPED = "other-text"

    def __init__(
        self, names: Sequence[str], open_all: Callable[[], Sequence[Tokenizer]], data: bytes
    ) -> None:
        super().__init__()
        self._names = [visible_text(name, spaces=False) for name in names]
        self._open_all = open_all
        self._data = data
        self._tokenizers: Sequence[Tokenizer] = ()

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield StripsPanel(self._names)
            yield NumbersPanel(self._names)
        with Vertical(id="other-text") as line:
            line.border_title = Content(tr("another text"))
            yield Field(placeholder=tr("type here (e)"), id="other-text-input", compact=True)

    def on_mount(self) -> None:
        self._head(tr("Opening {names} …", names=tr(" and ").join(self._names)))
        self._start("open", self._open_all, self._compare_all)

    def _head(self, text: str) -> None:
        self.say("#heading", shorten(text, LONGEST_HEADING))

    # -- work in threads

    def _start(
        self, name: str, work: Callable[[], Result], show: Callable[[Result], object]
    ) -> None:
        """Work in a thread, then show the result; show an error in the heading."""

        def find() -> Result | BpeError:
            try:
                return work()
            except BpeError as error:
                return error

        def take(found: Result | BpeError) -> None:
            if isinstance(found, BpeError):
                self._head(visible_text(str(found), spaces=False))
            else:
                show(found)

        self.notifier.jobs.find(self, name, find, take)

    def _compare_all(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Compare the tokenizers on the text, and their vocabularies and merges."""
        self._tokenizers = tokenizers
        self._compare(self._data)

        def compare_vocabularies() -> Vocabularies:
            first = tokenizers[0]
            found = (first_merge_difference(first, each) for each in tokenizers[1:])
            return Vocabularies(overlap(tokenizers), tuple(found), bool(first.merges))

        show = partial(setattr, self.query_one(NumbersPanel), "vocabularies")
        self._start("vocabularies", compare_vocabularies, show)

    def _compare(self, data: bytes) -> None:
        tokenizers = self._tokenizers
        if not tokenizers:
            return
        self._head(tr("Comparing {names} …", names=tr(" and ").join(self._names)))

        def compare_text() -> TextComparison:
            comparison = TextComparison(tokenizers, data)
            _ = comparison.differences  # computed here, not by the screen
            return comparison

        def show(comparison: TextComparison) -> None:
            self._head(" │ ".join(self._names))
            self.query_one(StripsPanel).comparison = comparison
            self.query_one(NumbersPanel).comparison = comparison

        self._start("text", compare_text, show)

    # -- commands

    def on_input_changed(self, event: Input.Changed) -> None:
        self._compare(to_bytes(event.value) if event.value else self._data)

    def on_input_submitted(self) -> None:
        self.show_panel("strips")

    def action_following(self, by: int) -> None:
        self.query_one(StripsPanel).go(by)

    @property
    def way_back(self) -> str:
        return "leave" if len(self.app.screen_stack) > 2 else ""

    def action_go_back(self) -> None:
        if self.way_back:
            self.dismiss()


class CompareWith(Dialog):
    """A dialog that asks for the path of a tokenizer, or the name of a known encoding."""

    def __init__(self) -> None:
        super().__init__("compare with", "A tokenizer: a file or a directory in any known format.")

    def answer(self, value: str) -> None:
        if value:
            self.dismiss(os.path.expanduser(value))
        else:
            self.refuse("Name a file or a directory.")


def comparison_with(
    name: str,
    first: Callable[[], Tokenizer],
    paths: Sequence[str],
    text: str,
    specials: bool = True,
) -> ComparisonScreen:
    """Return the screen that compares a tokenizer with one from files, on a text.

    Args:
        name, first: the name of the one, and what opens it.
        specials: whether special tokens in the text are one id each.
    """

    def open_all() -> list[Tokenizer]:
        tokenizers = [first(), open_tokenizer(*paths).tokenizer]
        return tokenizers if specials else [each.allowing([]) for each in tokenizers]

    return ComparisonScreen([name, Path(paths[0]).name or paths[0]], open_all, to_bytes(text))
