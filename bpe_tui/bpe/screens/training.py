"""The training screen of BPE: the corpus, the heap, the merge, and what follows from it."""

from __future__ import annotations

from bpe_tui.bpe.panels.merge import MergePanel
from bpe_tui.bpe.panels.pairs import PairsPanel
from bpe_tui.bpe.panels.pseudocode import PseudocodePanel
from bpe_tui.bpe.panels.training import CorpusPanel, EncodeLine, MergesPanel, WordsPanel
from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import TRAINING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.views.targets import ToPair
from engine.core.events import Pair


class TrainingScreen(StepsScreen, BpeScreen):
    """Six panels round the cursor, and a line to type in."""

    NAME = TRAINING
    CSS_PATH = sheet("training.tcss")
    PANELS = (CorpusPanel, PairsPanel, MergePanel, WordsPanel, PseudocodePanel, MergesPanel)
    FIRST = "merge"
    TAKES_TURNS = ("words", "pseudocode")
    TYPED_LINE = EncodeLine

    def prepare(self, session: Session) -> None:
        super().prepare(session)
        self.query_one(PseudocodePanel).algorithm = session.algorithm

    def chosen_pair(self) -> Pair | None:
        """The pair on the row of the pairs panel that Enter would act on."""
        panel = self.query_one(PairsPanel)
        target = panel.row(panel.cursor).target if panel.row_count else None
        return target.pair if isinstance(target, ToPair) else None

    def action_heap_view(self) -> None:
        """The pairs in another view, brought to sight."""
        if self.session.frame is not None:
            self.query_one(PairsPanel).next_view()
            self.show_panel("pairs")

    def action_find_pair(self) -> None:
        """Find a pair in the heap by one of its tokens."""
        self.host.navigation.find_pair()

    def action_characters(self) -> None:
        """Characters above their bytes in the corpus, or not."""
        corpus = self.query_one(CorpusPanel)
        corpus.shows_characters = not corpus.shows_characters
        self.show_panel("corpus")

    def action_sub_step(self) -> None:
        """One move in the heap, or one phase of a trainer that has none and is in sight."""
        code = self.query_one(PseudocodePanel)
        if not code.display or code.goes_by_moves:
            self.host.action_sub_step()
        elif not code.next_phase():
            self.host.action_step(1)
