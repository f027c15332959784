"""What has been merged so far, at which score, and what will be?"""

from __future__ import annotations

from bpe_tui.columns import left, right
from bpe_tui.panels.merges import MergeList
from bpe_tui.panels.wordpiece.piece_panel import PiecePainter
from bpe_tui.widgets.lines import Span
from bpe_tui.wordpiece.sentences import score_text
from engine.wordpiece.frame import WordPieceFrame

SCORE_CELLS = 10


class PieceMergesPanel(MergeList[WordPieceFrame]):
    """The merges with the scores that won."""

    def merge_spans(self, frame: WordPieceFrame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        pair = PiecePainter(frame, marks=self.app.no_color).pair(merge.pair, between="│")
        score = right(score_text(merge.score.value), SCORE_CELLS)
        return [*left(pair, max(cells - SCORE_CELLS, 6)), score]
