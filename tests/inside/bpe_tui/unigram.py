# ruff: noqa: F401
"""Names inside `bpe_tui/unigram` that tests need: they know the room, not its modules."""

from __future__ import annotations

from bpe_tui.unigram.encoding_screen import TextLanesPanel, UnigramEncodingScreen, WordsOfTextPanel
from bpe_tui.unigram.lesson import UnigramExplainer
from bpe_tui.unigram.narration import (
    count_text,
    describe_distance,
    json_lines,
    narrate,
    often,
    probability_text,
    report_step,
    score_text,
)
from bpe_tui.unigram.piece_table import PieceDetailPanel, PieceLanesPanel, PieceRows, PieceUsesPanel
from bpe_tui.unigram.pieces import Slices
from bpe_tui.unigram.summary_screens import (
    CHARTS,
    SECTIONS,
    UnigramChartsScreen,
    UnigramInspectionScreen,
    UnigramVocabularyScreen,
)
from bpe_tui.unigram.training_screen import (
    ChangedWordsPanel,
    PieceCorpusPanel,
    PiecesOfText,
    StepPanel,
    StepsPanel,
    UnigramTrainingScreen,
    prune_rows,
)
from bpe_tui.unigram.transcript import UnigramTranscript
from bpe_tui.unigram.walks import (
    COLUMN,
    HEAD,
    LONGEST,
    ArrivalsPanel,
    LatticeDrawing,
    LatticePanel,
    PathsPanel,
    Walkthrough,
    WhyNotPiecesPanel,
    lanes_of,
)
