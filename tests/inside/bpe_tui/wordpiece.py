# ruff: noqa: F401
"""Names inside `bpe_tui/wordpiece` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.wordpiece.encoding_screen import (
    ProbesPanel,
    TypedWordsPanel,
    WordLanesPanel,
    WordPieceEncodingScreen,
    WordPieceLanesPanel,
)
from bpe_tui.wordpiece.lesson import WordPieceExplainer
from bpe_tui.wordpiece.narration import explain_merge, narrate_tie, report_step, score_text
from bpe_tui.wordpiece.summary_screens import (
    CHARTS,
    EXPORTS,
    WordPieceChartsScreen,
    WordPieceRows,
    WordPieceVocabularyScreen,
)
from bpe_tui.wordpiece.training_screen import (
    ScoreMergePanel,
    ScoresPanel,
    TouchedWordsPanel,
    TypedWordPieces,
    WordPieceCorpusPanel,
    WordPieceMergesPanel,
    WordPieceTrainingScreen,
    format_change,
)
from bpe_tui.wordpiece.transcript import WordPieceTranscript
