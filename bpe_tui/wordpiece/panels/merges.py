"""What has been merged so far, at which score, and what will be?"""

from __future__ import annotations

from bpe_tui.views.merges import MergeList
from bpe_tui.widgets.rows import Span, left, right, spans_width
from bpe_tui.wordpiece.narration import score_text
from bpe_tui.wordpiece.panels.piece_panel import PiecePainter
from engine.wordpiece.frame import WordPieceFrame

SCORE_CELLS = 10


class PieceMergesPanel(MergeList[WordPieceFrame]):
    """The merges with the scores that won; a score gives way where its pair needs the room."""

    def merge_spans(self, frame: WordPieceFrame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        painter = PiecePainter(frame, marks=self.app.no_color)
        pair = painter.pair(merge.pair, between="│")
        if spans_width(pair) <= cells - SCORE_CELLS:
            score = right(score_text(merge.score.value), SCORE_CELLS)
            return [*left(pair, cells - SCORE_CELLS), score]
        first, second = map(painter.piece, merge.pair)
        room, needed = max(cells - 1, 6), spans_width(first)
        for_second = min(spans_width(second), max(room - needed, room // 2))
        for_first = min(needed, room - for_second)
        return [*left(first, for_first), ("│", "border"), *left(second, for_second)]
