"""The comparison screen: one text under several tokenizers, from difference to difference.

Each tokenizer has a strip of chips, one above the other, aligned. Without colours, where any of
them cuts, all strips have a cell for a border: `│` in those that cut there, a blank in the others.
So a segment, the text from border to border, has the same cells in every strip. A character that
a tokenizer cuts is over marks of its tokens in that strip, a mark for each byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

import numpy as np
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.session.declarations import COMPARISON
from bpe_tui.shell.panel import MARKS, needs_marks
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import sheet
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.lines import Lines, ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import CHIPS_MEET, CutSpan, Row, Span, left, right, with_below
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text, width
from bpe_tui.words.measures import short_names
from bpe_tui.words.narration import first_fitting
from engine.analysis.text_comparison import TextComparison
from engine.core.characters import whole_characters
from engine.core.errors import BpeError
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer
from engine.text.pretokenize import to_bytes, to_text

Result = TypeVar("Result")

BORDER, NO_BORDER = "│", " "
SHARED_MARK = "▲"


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
        differs = "apart" if any(part.difference >= 0 for part in parts) else "" if edge else "base"
        role = ("tab" if edge else "current") if is_current else differs
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


def marks(line: Sequence[Segment]) -> Span:
    """Draw the line under the strips, which marks the borders that all tokenizers have."""
    signs = (SHARED_MARK if all(segment.cut_by) else " " for segment in line)
    return "".join(
        sign.ljust(segment.cells) for sign, segment in zip(signs, line, strict=True)
    ).rstrip(), "tie"


NAME_CELLS = 12
"""Least cells of the names beside the strips."""
LONGEST_HEADING = 500
SHOWN = 1 << 13
"""Bytes of the text that are laid out, around the current difference."""
BEFORE = 1 << 11


class StripsPanel(Lines):
    """The strips of a comparison, around the difference number `current`."""

    comparison: reactive[TextComparison | None] = reactive(None, repaint=False)
    current: ShownInRows[int] = ShownInRows(0)

    names: Sequence[str] = ()

    def __init__(self) -> None:
        super().__init__(id="strips")
        self.border_title = Content(tr("where do they cut differently?"))
        self._lines_of: dict[int, int] = {}  # difference → the row of its line

    def watch_comparison(self) -> None:
        self.current = 0
        self.rebuild()

    def action_choose(self) -> None:
        """Go to the next difference, as Enter goes on from row to row elsewhere."""
        self.go(1)

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
            self._rows = [Row([(tr("There is no text yet: press / and type one."), "dim")])]
            return
        rows: list[Row] = []
        # The part of the text to lay out; all tokenizers cut at both ends.
        start, end = 0, len(comparison.data)
        if end > SHOWN:
            spans = comparison.differences.spans
            focus = int(spans[self.current, 0]) if len(spans) else 0
            first, last = max(focus - BEFORE, 0), min(focus + SHOWN - BEFORE, end)
            start, end = comparison.agreed_around(first, last)
        cells = self.scrollable_content_region.width
        label = min(max(map(width, self.names)) + 2, max(NAME_CELLS, cells // 3))
        counts = list(map(number, comparison.token_counts))
        room = cells - label - max(map(len, counts)) - 2
        edge = int(needs_marks(self.app))
        lines = broken(segments_of(comparison, start, end, room - 2, edge), room)
        for line in lines:
            for segment in line:
                self._lines_of.setdefault(segment.difference, len(rows))
            is_last = line is lines[-1] and line[-1].end == len(comparison.data)
            for place, name in enumerate(self.names):
                named = left([(name, "dim")], label - 2)
                drawn = [*named, ("  ", ""), *strip(line, place, self.current)]
                if is_last:  # where the text ends: the number of tokens that it has
                    drawn.append((f"  {counts[place]}", "strong"))
                rows += map(Row, with_below(drawn))
            rows.append(Row([(" " * label, ""), marks(line)]))
        self._rows = rows

    def _say(self, comparison: TextComparison) -> None:
        found, size = len(comparison.differences), len(comparison.data)
        if not size:
            subtitle = ""
        elif not found:
            subtitle = tr("all cut these {size} alike", size=plural(size, "byte"))
        else:
            start = int(comparison.differences.spans[self.current, 0])
            place = tr("difference {current} of {found}", current=self.current + 1, found=found)
            subtitle = tr("{place}, at byte {start} of {n}", place=place, start=start, n=size)
        self.border_subtitle = Content(subtitle)


LABEL_CELLS, COLUMN = 20, 12
"""Cells of the labels, and least cells of a column."""


class NumbersPanel(Lines):
    """The numbers of each tokenizer on a text."""

    comparison: ShownInRows[TextComparison | None] = ShownInRows(None)

    names: Sequence[str] = ()

    def __init__(self) -> None:
        super().__init__(id="numbers")
        self.border_title = Content(tr("how do they compare?"))

    def rebuild(self) -> None:
        self._rows = list(self._made()) if self.size.width and self.names else []
        super().rebuild()

    def _made(self) -> Iterable[Row]:
        room = self.scrollable_content_region.width
        longest = max(COLUMN, *(width(name) + 2 for name in self.names))
        columns = min(longest, max((room - LABEL_CELLS) // len(self.names), 6))
        yield _line("", [shorten(name, columns - 1) for name in self.names], columns, "strong")
        if (comparison := self.comparison) is not None:
            compression = (f"{each:.3f}" for each in comparison.bytes_per_token)
            yield _line(tr("tokens"), map(number, comparison.token_counts), columns)
            first = shorten(f"× {self.names[0]}", LABEL_CELLS - 1)
            yield _line(first, (f"{each:.2f}" for each in comparison.times_first), columns)
            yield _line(tr("bytes/token"), compression, columns)


def _line(label: str, values: Iterable[str], columns: int, role: str = "") -> Row:
    spans: list[Span] = left([(label, "dim")], LABEL_CELLS)
    return Row([*spans, *(right(value, columns, role) for value in values)])


class ComparedTokenizer(NamedTuple):
    """A tokenizer to compare.

    Attributes:
        name: its path, or the name of a run and its step.
        open: opens it; called in a thread, since it may take seconds.
    """

    name: str
    open: Callable[[], Tokenizer]


def of_files(paths: Sequence[str]) -> ComparedTokenizer:
    """Return the tokenizer in files, to be opened when it is compared."""
    return ComparedTokenizer(paths[0], lambda: open_tokenizer(*paths).tokenizer)


class ComparisonScreen(PanelScreen):
    """The strips of a text, the numbers, and a line to type another text.

    Args:
        compared: the tokenizers, at least two.
        data: the text to begin with.
        specials: whether special tokens in the text are one id each.
    """

    NAME = COMPARISON
    CSS_PATH = sheet("comparison.tcss")
    PANEL_ORDER = ("strips", "numbers", "other-text")
    TYPED = "other-text"

    def __init__(
        self, compared: Sequence[ComparedTokenizer], data: bytes, *, specials: bool = True
    ) -> None:
        super().__init__()
        self._compared, self._data, self._specials = compared, data, specials
        self._tokenizers: Sequence[Tokenizer] = ()

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield StripsPanel()
            yield NumbersPanel()
        with Vertical(id="other-text") as line:
            line.border_title = Content(tr("text"))
            yield (field := TextLine(id="other-text-input"))
            field.show_text(to_text(self._data))

    def on_mount(self) -> None:
        self._open()

    def on_resize(self) -> None:
        self.call_after_refresh(self.show_heading)

    def _open(self) -> None:
        """Open the tokenizers, then compare them."""
        names = short_names([each.name for each in self._compared])
        self._names, self._tokenizers = [visible_text(each, spaces=False) for each in names], ()
        strips, numbers = self.query_one(StripsPanel), self.query_one(NumbersPanel)
        strips.names = numbers.names = self._names
        strips.comparison = numbers.comparison = None
        self._head(tr("Opening {names} …", names=" │ ".join(self._names)))
        compared, specials = self._compared, self._specials

        def open_all() -> list[Tokenizer]:
            found = [each.open() for each in compared]
            return found if specials else [each.allowing([]) for each in found]

        self._start("open", open_all, self._compare_all)

    def _head(self, text: str) -> None:
        self.say("#heading", shorten(text, LONGEST_HEADING))

    def show_heading(self) -> None:
        """Name the tokenizers with their sizes, and at the right the keys that lead on."""
        if not self._tokenizers:
            return
        sizes = (number(len(each.vocab)) for each in self._tokenizers)
        named = map("  ".join, zip(self._names, sizes, strict=True))
        names, room = " │ ".join(named), self.heading_room
        keys = (f"o {tr('other')}", f"↵ {tr('where they part')}", f"/ {tr('text')}")
        sides = ("  ".join(keys[start:]) for start in range(len(keys)))
        whole = (f"{names}{' ' * (room - width(names + side))}{side}" for side in sides)
        self._head(first_fitting(room, *whole, names))

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
                self._head(visible_message(found))
            else:
                show(found)

        self.notifier.jobs.find(self, name, find, take)

    def _compare_all(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Compare the tokenizers on the text."""
        self._tokenizers = tokenizers
        self.show_heading()
        self._compare()

    def _compare(self) -> None:
        tokenizers, field = self._tokenizers, self.query_one(TextLine)
        data = to_bytes(field.text) if field.value else self._data
        if not tokenizers:
            return

        def compare_text() -> TextComparison:
            comparison = TextComparison(tokenizers, data)
            _ = comparison.differences  # computed here, not by the screen
            return comparison

        def show(comparison: TextComparison) -> None:
            self.show_heading()
            self.query_one(StripsPanel).comparison = comparison
            self.query_one(NumbersPanel).comparison = comparison

        self._start("text", compare_text, show)

    # -- commands

    def on_input_changed(self) -> None:
        self._compare()

    def on_input_submitted(self) -> None:
        self.show_panel("strips")

    def action_following(self, by: int) -> None:
        self.query_one(StripsPanel).go(by)

    def take_other(self, paths: Sequence[str]) -> None:
        """Compare another tokenizer instead of the last one."""
        self._compared = [*self._compared[:-1], of_files(paths)]
        self._open()

    @property
    def closes(self) -> bool:
        return super().closes or self._covers_another

    @property
    def _covers_another(self) -> bool:
        """Whether there is a screen to go back to."""
        return len(self.app.screen_stack) > 2

    def leave_panel(self) -> None:
        """Go back to the screen that it was opened on."""
        if self._covers_another:
            self.dismiss()
        else:
            super().leave_panel()
