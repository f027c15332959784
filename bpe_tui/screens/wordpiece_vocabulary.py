"""The vocabulary screen of WordPiece: all pieces, what each is made of, and its characters."""

from __future__ import annotations

from typing import Any

from bpe_tui.command import WORDPIECE_VOCABULARY
from bpe_tui.commands import bindings_on
from bpe_tui.panels.wordpiece.lanes import PieceLanesPanel
from bpe_tui.panels.wordpiece.vocabulary import (
    PieceTreePanel,
    PieceVocabularyPanel,
)
from bpe_tui.screens.vocabulary import VocabularyScreen
from bpe_tui.visible import number


class WordPieceVocabularyScreen(VocabularyScreen):
    """The pieces of the timeline's step."""

    NAME = WORDPIECE_VOCABULARY
    BINDINGS = bindings_on(NAME)
    TABLE = PieceVocabularyPanel
    TREE = PieceTreePanel
    LANES = PieceLanesPanel

    def heading(self, frame: Any) -> str:
        return (
            f"WordPiece's vocabulary after step {number(frame.step)} of "
            f"{number(frame.recorded_steps)} · {number(frame.vocab_size)} pieces · "
            f"{number(frame.token_count)} in the corpus"
        )
