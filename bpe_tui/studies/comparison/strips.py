"""Where do the tokenizers cut the text differently? Their strips, one above the other."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.reactive import reactive

from bpe_tui.studies.comparison.strip_layout import broken, marks, segments_of, strip
from bpe_tui.widgets.columns import left
from bpe_tui.widgets.lines import Lines, Row
from bpe_tui.widgets.visible import number, plural
from engine.analysis.comparison import TextComparison

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
