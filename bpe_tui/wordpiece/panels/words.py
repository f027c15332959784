"""Which words did this merge touch?"""

from __future__ import annotations

from bpe_tui.views.words import TouchedPanel
from bpe_tui.widgets.rows import Span
from bpe_tui.wordpiece.panels.piece_panel import PiecePainter
from engine.wordpiece.frame import WordPieceFrame


class PieceWordsPanel(TouchedPanel[WordPieceFrame]):
    """The words that hold the merged pair, in their pieces before and after."""

    THING = "word"

    def drawn(self, frame: WordPieceFrame, ids: tuple[int, ...]) -> list[Span]:
        return PiecePainter(frame, marks=self.app.no_color).pieces(ids)
