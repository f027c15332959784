"""The training screen of Unigram, and what all its screens share.

The corpus, the pieces, the step, and what follows from it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from textual.widgets import Input

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_TRAINING
from bpe_tui.unigram.narration import NARRATOR
from bpe_tui.unigram.panels.charts import CHARTS, CurvesPanel
from bpe_tui.unigram.panels.pieces import PiecesPanel
from bpe_tui.unigram.panels.step import StepPanel
from bpe_tui.unigram.panels.training import (
    ChangedWordsPanel,
    PieceCorpusPanel,
    StepsPanel,
    UnigramEncodeLine,
    UnigramTransport,
)
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.exports import exports_of
from bpe_tui.views.panel import ToPiece
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import StepsScreen
from engine.unigram.frame import UnigramFrame
from engine.unigram.report import json_lines, markdown

EXPORTS = exports_of(markdown, json_lines, CHARTS)


class UnigramScreen(SessionScreen):
    """A screen that shows a Unigram frame.

    A class that another base gives its looks names that one first: styles go by the first base.
    """

    def frame_of(self, session: Session) -> UnigramFrame | None:
        return session.shown if isinstance(session.shown, UnigramFrame) else None

    def action_prune(self, direction: int) -> None:
        """Go to the nearest prune after this step or before it."""
        frame = self.frame_of(self.session)
        if frame is None:
            return
        prunes, here = frame.prunes, frame.step
        place = bisect_right(prunes, here) if direction > 0 else bisect_left(prunes, here) - 1
        if 0 <= place < len(prunes):
            self.host.seek(prunes[place])
        else:
            where = "after" if direction > 0 else "before"
            self.notify(f"No prune {where} this step.", markup=False, timeout=3)


class UnigramTrainingScreen(StepsScreen, UnigramScreen):
    """Six panels round the cursor, and a line to type in."""

    NAME = UNIGRAM_TRAINING
    BINDINGS = bindings_on(NAME)
    CSS_PATH = sheet("unigram-training.tcss")
    TRANSPORT = UnigramTransport
    NARRATOR = NARRATOR
    PANELS = (
        PieceCorpusPanel,
        PiecesPanel,
        StepPanel,
        ChangedWordsPanel,
        StepsPanel,
        CurvesPanel,
    )
    FIRST = "step"
    TAKES_TURNS = ("steps", "curves")
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

    def submit(self, field: Input) -> None:
        """Enter takes what was typed to the encoding screen, or goes to what was found."""
        if field.id == "pieces-search":
            self.show_panel("pieces")
        else:
            super().submit(field)

    def go_to(self, target: object) -> None:
        if isinstance(target, ToPiece):
            self.show_panel("pieces")
            self.query_one(PiecesPanel).show_piece(target.number)
        else:
            super().go_to(target)
