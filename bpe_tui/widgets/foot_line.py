"""The line above the keys: a message, or what the signs on the screen mean."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from bpe_tui.widgets.rows import Span, spans_width, wrapped_text

MOST_ROWS = 3
"""Of a message; the panels lend them."""


class FootLine(Widget):
    """Shows `said`; while that is empty, as many of the `legend`'s entries as there is room for.

    An entry that means more stands before those that mean less.
    """

    said: reactive[str] = reactive("", layout=False)
    legend: reactive[Sequence[Sequence[Span]]] = reactive(())

    def watch_said(self) -> None:
        self.set_class(bool(self.said), "-said")
        rows = self._rows
        if self.styles.height is None or self.styles.height.value != len(rows):
            self.styles.height = len(rows)

    def on_resize(self) -> None:
        self.watch_said()

    @property
    def _room(self) -> int:
        return max(self.screen.size.width - 2, 1)

    @property
    def _rows(self) -> list[list[Span]]:
        """A message in its rows, or the legend in one."""
        if not self.said:
            return [fitting(self.legend, self._room)]
        return [[(line, "")] for line in wrapped_text(self.said, self._room)[:MOST_ROWS]]

    def render_line(self, y: int) -> Strip:
        rows = self._rows
        if y >= len(rows):
            return Strip.blank(self.size.width, self.rich_style)
        style_of = self.screen.get_component_rich_style
        base = self.rich_style
        segments = [Segment(" ", base)]
        for text, role in rows[y]:
            style = base + style_of(f"role--{role}", partial=True) if role else base
            segments.append(Segment(text, style))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1


GAP = 2


def fitting(entries: Sequence[Sequence[Span]], room: int) -> list[Span]:
    """The first entries, as many as there is room for, with gaps between.

    >>> fitting([[("a", "")], [("bc", "dim")]], 5)
    [('a', '')]
    """
    row: list[Span] = []
    for entry in entries:
        longer = [*row, (" " * GAP, ""), *entry] if row else list(entry)
        if spans_width(longer) > room:
            break
        row = longer
    return row
