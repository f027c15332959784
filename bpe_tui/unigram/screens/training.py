"""The training screen of Unigram: the corpus, the pieces, the step, and what follows from it."""

from __future__ import annotations

from textual.widgets import Input

from bpe_tui.unigram.model import UNIGRAM_TRAINING
from bpe_tui.unigram.panels.pieces import PiecesPanel
from bpe_tui.unigram.panels.step import StepPanel
from bpe_tui.unigram.panels.training import (
    ChangedWordsPanel,
    PieceCorpusPanel,
    StepsPanel,
    UnigramEncodeLine,
)
from bpe_tui.unigram.screens import UnigramScreen
from bpe_tui.unigram.screens.charts import CurvesPanel
from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.views.targets import ToPiece


class UnigramTrainingScreen(StepsScreen, UnigramScreen):
    """Six panels round the cursor, and a line to type in."""

    NAME = UNIGRAM_TRAINING
    PANELS = (
        PieceCorpusPanel,
        PiecesPanel,
        StepPanel,
        ChangedWordsPanel,
        StepsPanel,
        CurvesPanel,
    )
    FIRST = "step"
    TYPED_LINE = UnigramEncodeLine

    # -- commands

    def action_search(self) -> None:
        if self.frame is not None:
            self.show_panel("pieces")
            self.set_focus(self.query_one("#pieces-search"))

    def action_sort(self) -> None:
        self.show_panel("pieces")
        self.query_one(PiecesPanel).sort_by_next()

    def action_reverse(self) -> None:
        self.show_panel("pieces")
        self.query_one(PiecesPanel).reverse()

    # -- what panels ask for

    def enter(self, field: Input) -> None:
        """Enter takes what was typed to the encoding screen, or goes to what was found."""
        if field.id == "pieces-search":
            self.show_panel("pieces")
        else:
            super().enter(field)

    def follow(self, target: object) -> None:
        if isinstance(target, ToPiece):
            self.show_panel("pieces")
            self.query_one(PiecesPanel).show_token(target.number)
        else:
            super().follow(target)
