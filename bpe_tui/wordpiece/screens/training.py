"""The training screen of WordPiece: the corpus, the scores, the merge, and what follows."""

from __future__ import annotations

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.exports import exports_of
from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.wordpiece.model import WORDPIECE_TRAINING
from bpe_tui.wordpiece.narration import NARRATOR
from bpe_tui.wordpiece.panels.charts import CHARTS
from bpe_tui.wordpiece.panels.merge import ScoreMergePanel
from bpe_tui.wordpiece.panels.pairs import ScoresPanel
from bpe_tui.wordpiece.panels.training import (
    PieceCorpusPanel,
    PieceEncodeLine,
    PieceMergesPanel,
    PieceWordsPanel,
    WordPieceTransport,
)
from engine.recording.report import json_lines
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.report import markdown

EXPORTS = exports_of(markdown, json_lines, CHARTS)


class WordPieceTrainingScreen(StepsScreen):
    """Five panels round the cursor, and a line to type in."""

    NAME = WORDPIECE_TRAINING
    BINDINGS = bindings_on(NAME)
    CSS_PATH = sheet("wordpiece-training.tcss")
    TRANSPORT = WordPieceTransport
    NARRATOR = NARRATOR
    PANELS = (PieceCorpusPanel, ScoresPanel, ScoreMergePanel, PieceWordsPanel, PieceMergesPanel)
    FIRST = "merge"
    TYPED_LINE = PieceEncodeLine

    def frame_of(self, session: Session) -> WordPieceFrame | None:
        return session.shown if isinstance(session.shown, WordPieceFrame) else None
