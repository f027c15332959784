"""The training screen of BPE: the corpus, the heap, the merge, and what follows from it."""

from __future__ import annotations

from bpe_tui.bpe.panels.merge import MergePanel
from bpe_tui.bpe.panels.pairs import PairsPanel
from bpe_tui.bpe.panels.training import (
    CorpusPanel,
    EncodeLine,
    MergesPanel,
    PseudocodePanel,
    WordsPanel,
)
from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import TRAINING
from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import Session
from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.views.targets import ToPair
from engine.bpe.trainers import DEFAULT_TRAINER, TRAINERS
from engine.bpe.trainers.algorithm import Algorithm
from engine.core.events import Pair


class TrainingScreen(StepsScreen, BpeScreen):
    """Six panels round the cursor, and a line to type in."""

    NAME = TRAINING
    PANELS = (CorpusPanel, PairsPanel, MergePanel, WordsPanel, PseudocodePanel, MergesPanel)
    FIRST = "merge"
    TYPED_LINE = EncodeLine

    _run_with: Algorithm | None = None
    """The trainer of the run that is shown."""

    def prepare(self, session: Session) -> None:
        super().prepare(session)
        code = self.query_one(PseudocodePanel)
        if self._run_with is not session.algorithm:
            self._run_with = session.algorithm
            code.algorithm = self._algorithm_to_show(session)
        self._say_what_moves()

    @staticmethod
    def _algorithm_to_show(session: Session) -> Algorithm | None:
        """The trainer asked for; unless one was, the heap's, whose moves are there to be seen."""
        asked = isinstance(session.config, RunConfig) and session.config.trainer != DEFAULT_TRAINER
        return session.algorithm if asked or session.algorithm is None else TRAINERS["heap"]

    def _say_what_moves(self) -> None:
        """Tell the pairs panel whether the key `.` makes the moves that it shows."""
        code = self.query_one(PseudocodePanel)
        self.query_one(PairsPanel).moved_by_key = code.goes_by_moves or not code.display

    def action_pseudocode(self) -> None:
        """To the pseudocode; if it is there already, on to the next trainer's."""
        code = self.query_one(PseudocodePanel)
        if code.display and code.has_focus:
            code.next_algorithm()
        self.show_panel("pseudocode")

    def show_panel(self, panel: str) -> None:
        super().show_panel(panel)
        self.call_after_refresh(self._say_what_moves)

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
