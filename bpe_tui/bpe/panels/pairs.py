"""Which pairs are next, and what does the heap believe?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.reactive import reactive

from bpe_tui.bpe.panels.heap_views import array_rows, tree_rows
from bpe_tui.views.empty_state import GIVEN, sentence, why_uncounted
from bpe_tui.views.panel import Panel
from bpe_tui.views.pieces import TokenPainter
from bpe_tui.views.targets import ToPair
from bpe_tui.widgets.columns import left, right
from bpe_tui.widgets.lines import Row, RowsOnDemand, Span
from bpe_tui.widgets.visible import number, signed
from engine.bpe.frame import Frame
from engine.bpe.pair_queue import QueueEntry
from engine.core.events import Pair

SHOWN = 200
SLICE_SECONDS = 0.02
"""How long at a time the heap is replayed towards a far step."""
WIDE = 44
"""From so many cells on there is room for a column of changes."""


class PairsPanel(Panel):
    """The heap: its best entries in its own order, or its array, or its tree.

    In the table stale entries stand where they claim to belong.
    """

    WIDEST = 160

    view: reactive[str] = reactive("table", repaint=False)

    def __init__(self) -> None:
        super().__init__("pairs", id="pairs")

    def next_view(self) -> None:
        names = list(VIEWS)
        self.view = names[(names.index(self.view) + 1) % len(names)]

    def watch_view(self) -> None:
        self.rebuild()

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        queue = frame.queue
        views = " · ".join(f"[{view}]" if view == self.view else view for view in VIEWS)
        if frame.given:
            self.say(f"pairs  {number(queue.size)}", f"v  {views}")
        else:
            stale = number(queue.stale_count)
            self.say(f"heap  {number(queue.size)} entries · {stale} stale", f"v  {views}")
        if not frame.has_corpus:
            return sentence(why_uncounted(frame), width)
        if frame.given and not frame.recorded_steps:
            return sentence(
                f"No pairs are counted: {frame.obstacle or 'there are no merges'}.", width
            )
        if not queue.size:
            return sentence("No pair is left: every pretoken is one token.", width)
        if self.view != "table" and (instead := self._instead_of_array(frame)):
            return instead
        return VIEWS[self.view](frame, self.painter(frame), width)

    def _instead_of_array(self, frame: Frame) -> list[Row]:
        """What to show where the heap's array is not there, or not yet."""
        if not frame.tie_rule.static or not frame.by_rule:
            if frame.given:
                return sentence(GIVEN, self.room)
            text = (
                f"Under {frame.tie_rule.name} the order changes with the corpus: no heap keeps it."
                if frame.by_rule
                else "This is a fork: some of its merges were prescribed, so no heap tells them."
            )
            return sentence(text, self.room)
        done = frame.queue.prepare_array(SLICE_SECONDS)
        if done < 1:
            self.set_timer(SLICE_SECONDS, self.rebuild)
            return [Row([(f"Replaying the heap: {done:.0%}", "dim")])]
        return []


def table_rows(frame: Frame, painter: TokenPainter, width: int) -> Sequence[Row]:
    """The best entries, one a row."""
    entries = frame.queue.entries(SHOWN)
    table = _Table(painter, min(width, Panel.WIDEST), frame.next_pair, frame.byte_count)
    return RowsOnDemand(
        1 + len(entries),
        lambda place: table.row(place, entries[place - 1]) if place else table.header(),
    )


VIEWS: dict[str, Callable[[Frame, TokenPainter, int], Sequence[Row]]] = {
    "table": table_rows,
    "array": array_rows,
    "tree": tree_rows,
}


@dataclass(frozen=True)
class _Table:
    painter: TokenPainter
    width: int
    next_pair: Pair | None
    highest_count: int

    PLACE, MARK = 6, 14

    @property
    def count_width(self) -> int:
        # Counts only fall, so the widest possible number keeps the column still for good.
        return max(len(number(self.highest_count)), len("change"))

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
