"""The training screen of WordPiece: the corpus, the scores, the merge, and what follows."""

from __future__ import annotations

from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.wordpiece.model import WORDPIECE_TRAINING
from bpe_tui.wordpiece.panels.merge import ScoreMergePanel
from bpe_tui.wordpiece.panels.training import (
    PieceCorpusPanel,
    PieceEncodeLine,
    PieceMergesPanel,
    PieceWordsPanel,
    ScoresPanel,
)
from bpe_tui.wordpiece.screens import WordPieceScreen


class WordPieceTrainingScreen(StepsScreen, WordPieceScreen):
    """Five panels round the cursor, and a line to type in."""

    NAME = WORDPIECE_TRAINING
    PANELS = (PieceCorpusPanel, ScoresPanel, ScoreMergePanel, PieceWordsPanel, PieceMergesPanel)
    FIRST = "merge"
    TYPED_LINE = PieceEncodeLine
