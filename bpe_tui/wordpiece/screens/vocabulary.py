"""The vocabulary screen of WordPiece: all pieces, what each is made of, and its characters."""

from __future__ import annotations

from typing import Any

from bpe_tui.views.commands import bindings_on
from bpe_tui.views.narration import Facts, fitting
from bpe_tui.views.vocabulary_screen import VocabularyScreen
from bpe_tui.widgets.numbers import number
from bpe_tui.wordpiece.model import WORDPIECE_VOCABULARY
from bpe_tui.wordpiece.panels.vocabulary import (
    PieceLanesPanel,
    PieceTreePanel,
    PieceVocabularyPanel,
)


class WordPieceVocabularyScreen(VocabularyScreen):
    """The pieces of the timeline's step."""

    NAME = WORDPIECE_VOCABULARY
    BINDINGS = bindings_on(NAME)
    TABLE = PieceVocabularyPanel
    TREE = PieceTreePanel
    LANES = PieceLanesPanel

    def heading(self, frame: Any) -> str:
        facts: Facts = [
            (0, "WordPiece's vocabulary"),
            (1, f"step {number(frame.step)} of {number(frame.recorded_steps)}"),
            (2, f"{number(frame.vocab_size)} pieces"),
            (3, f"{number(frame.token_count)} in the corpus"),
        ]
        return fitting(facts, self.size.width - 2)
