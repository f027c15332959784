"""The window behind `/`: the pairs in the heap that have a token, on the left or on the right."""

from __future__ import annotations

from bpe_tui.dialogs.why import WhyWindow
from bpe_tui.views.about_tokens import Painters
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.targets import ToQuestion
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, RowColumn, RowTable, Span, paragraph
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame
from engine.bpe.pair_queue import QueueEntry

SHOWN = 200
COUNT_CELLS, MARK_CELLS = 10, 16


class FindPair(WhyWindow):
    """Lists the pairs of the token in its line; Enter on one tells what became of it."""

    TITLE_SAYS = "find a pair"
    ADVICE = "Type a token to see the pairs that it stands in, or a pair, as th|e. · is a space."

    def __init__(self, frame: Frame, painters: Painters) -> None:
        super().__init__(frame, painters, ())
        self._queue = frame.queue

    def about_token(self, painter: TokenPainter, token_id: int, width: int) -> list[Row]:
        entries = self._queue.entries_with(token_id, SHOWN)
        if not entries:
            token = visible_bytes(painter.frame.any_token(token_id))
            return paragraph(f"{token} is in no pair of the heap at this step.", width, "dim")
        table = RowTable(_columns(painter), width, least=12)
        rows = [table.row(entry, ToQuestion(entry.pair)) for entry in entries]
        return [table.header(), *rows]


def _columns(painter: TokenPainter) -> list[RowColumn]:
    def mark(entry: QueueEntry) -> list[Span]:
        if entry.stale:
            truth = number(entry.count) if entry.count else "gone"
            return [("  ", ""), (f"stale: {truth}", "stale-truth")]
        return [("  ", ""), ("tied at the top" if entry.tied else "", "tie")]

    def count(entry: QueueEntry) -> list[Span]:
        return [(number(entry.recorded), "stale" if entry.stale else "")]

    return [
        RowColumn("pair", 0, lambda entry: painter.pair(entry.pair)),
        RowColumn("count", COUNT_CELLS, count, is_number=True),
        RowColumn("", MARK_CELLS + 2, mark),
    ]
