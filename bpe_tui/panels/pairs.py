"""Which pairs are next, and what does the heap believe?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.columns import left, right
from bpe_tui.panels.panel import Panel
from bpe_tui.panels.targets import ToPair
from bpe_tui.pieces import TokenPainter
from bpe_tui.visible import number, signed
from bpe_tui.widgets.lines import Row, RowsOnDemand, Span
from engine.events import Pair
from engine.frame import Frame, QueueEntry

SHOWN = 200
WIDE = 44
"""From so many cells on there is room for a column of changes."""


class PairsPanel(Panel):
    """The heap's best entries in its own order; stale ones stand where they claim to belong."""

    def __init__(self) -> None:
        super().__init__("pairs", id="pairs")

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        size = number(frame.queue_size)
        self.say(f"heap  {size} entries · {number(frame.stale_count)} stale", "↵ to its merge")
        entries = frame.queue_entries(SHOWN)
        if not entries:
            return [Row([("No pair is left: every pretoken is one token.", "dim")])]
        table = _Table(self.painter(frame), width, frame.next_pair)
        return RowsOnDemand(
            1 + len(entries),
            lambda place: table.row(place, entries[place - 1]) if place else table.header(),
        )


@dataclass(frozen=True)
class _Table:
    painter: TokenPainter
    width: int
    next_pair: Pair | None

    PLACE, MARK = 6, 14

    @property
    def count_width(self) -> int:
        # Counts only fall, so the widest possible number keeps the column still for good.
        return len(number(self.painter.frame.byte_count))

    @property
    def delta_width(self) -> int:
        return self.count_width + 1 if self.width >= WIDE else 0

    @property
    def pair_width(self) -> int:
        taken = self.PLACE + self.count_width + 1 + 2 + self.MARK
        if self.delta_width:
            taken += self.delta_width + 1
        return max(self.width - taken, 8)

    def header(self) -> Row:
        spans = [
            (" " * self.PLACE, ""),
            *left([("pair", "dim")], self.pair_width),
            right("count", self.count_width + 1, "dim"),
        ]
        if self.delta_width:
            spans.append(right("change", self.delta_width + 1, "dim"))
        return Row(spans)

    def row(self, place: int, entry: QueueEntry) -> Row:
        wins = entry.pair == self.next_pair
        spans: list[Span] = [
            ("▸" if wins else " ", "pair"),
            right(str(place), 3, "dim"),
            ("  ", ""),
            *left(self.painter.pair(entry.pair), self.pair_width),
            right(number(entry.recorded), self.count_width + 1, "stale" if entry.stale else ""),
        ]
        if self.delta_width:
            delta = signed(entry.delta) if entry.delta else ""
            spans.append(right(delta, self.delta_width + 1, "gain" if entry.delta > 0 else "loss"))
        return Row([*spans, ("  ", ""), self._mark(entry, wins)], ToPair(entry.pair))

    def _mark(self, entry: QueueEntry, wins: bool) -> Span:
        if entry.stale:
            return f"stale: {number(entry.count)}" if entry.count else "stale: gone", "stale-truth"
        if wins:
            return ("next, tied" if entry.tied else "next"), "pair"
        return ("tied", "tie") if entry.tied else ("", "")
