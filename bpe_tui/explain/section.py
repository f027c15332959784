"""The sections of the explain screen: a name on the rail, and rows beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span, left, spans_width

STATIONS = ("count", "pick", "replace")


class Rail(NamedTuple):
    """The signs of the rail beside a station: at its name, and below it."""

    corner: str
    lit_corner: str
    stem: str
    below: str


RAILS = {
    "count": Rail("╭", "╭", "─▸ ", "│"),
    "pick": Rail("│", "├", "   ", "│"),
    "replace": Rail("╰", "╰", "── ", " "),
}
NO_RAIL = Rail(" ", " ", "   ", " ")
LIT_STEM = "─▶ "


class ExplainSection(Lines, can_focus=False):
    """A name and rows beside it."""

    def __init__(self, name: str) -> None:
        super().__init__(id=name)
        self.rail = NO_RAIL
        self.label = self.caption = ""
        self.caption_role = "dim"
        self.margin = 0
        self.is_short = False
        self.height = 1

    @property
    def room(self) -> int:
        """Cells of a row."""
        return max(self.screen.size.width - self.margin - 2, 10)

    @property
    def caption_cells(self) -> int:
        """Cells of the caption under the name: it begins where the name does."""
        return self.margin - (4 if self.is_short else 6)

    def show(self, rows: Sequence[Row], is_lit: bool = False) -> None:
        """Show rows beside the rail and the name."""
        rail, cells = self.rail, self.margin
        stem, corner = (LIT_STEM, rail.lit_corner) if is_lit else (rail.stem, rail.corner)
        name: list[Span] = [
            (f" {corner}", "border"),
            (stem[1] if self.is_short else stem, "pair" if is_lit else "border"),
            (self.label, "pair" if is_lit else "dim"),
        ]
        name.append((" " * (cells - spans_width(name)), ""))
        shown = []
        for index in range(self.height):
            row = rows[index] if index < len(rows) else Row(())
            text = self.caption if index == 1 else ""
            edge = f" {rail.below}".ljust(cells - 1 - self.caption_cells)
            caption = left([(text, self.caption_role)], self.caption_cells)
            below = [(edge, "border"), *caption, (" ", "")]
            if spans_width(row.spans) > self.room:
                row = Row(left(row.spans, self.room), row.target)
            shown.append(Row([*(below if index else name), *row.spans], row.target))
        if shown != self._rows:
            self._rows = shown
            self.make_again()
