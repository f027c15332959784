"""The window that finds pairs by one of their tokens (`/`)."""

from __future__ import annotations

from bpe_tui.dialogs.why import WhyWindow
from bpe_tui.views.heap_table import EntryTable
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.targets import ToQuestion
from bpe_tui.views.why_rows import Painters
from bpe_tui.widgets.rows import Row, paragraph
from bpe_tui.widgets.visible import visible_bytes
from engine.bpe.frame import Frame

PAIRS_SHOWN = 200


class FindPair(WhyWindow):
    """The window that lists the pairs of a token; Enter on a pair explains it."""

    TITLE_SAYS = "find a pair"
    ADVICE = "Type a token to see the pairs that contain it, or a pair, as th|e. · is a space."

    def __init__(self, frame: Frame, painters: Painters) -> None:
        super().__init__(frame, painters, ())
        self._entries_of = frame

    @property
    def explains_pieces(self) -> bool:
        return False

    def about_token(self, painter: TokenPainter, token_id: int, width: int) -> list[Row]:
        frame = self._entries_of
        entries = frame.queue.entries_with(token_id, PAIRS_SHOWN)
        if not entries:
            token = visible_bytes(frame.any_token(token_id))
            return paragraph(f"{token} is in no pair at this step.", width, "dim")
        table = EntryTable(frame, painter, width)
        rows = [
            table.row((0, entries[place]), ToQuestion(entries[place].pair), is_second)
            for place, is_second in table.lines(entries)
        ]
        return [table.header(), *rows]
