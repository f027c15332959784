"""The training screen of Unigram: the corpus, the pieces, the step, and what follows from it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.session.commands.command import UNIGRAM_TRAINING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.narration import told, unigram_heading
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
from bpe_tui.views.exports import OF_SCREENS, of_charts, of_steps
from bpe_tui.views.panel import ToPiece
from bpe_tui.views.panel_screen import SessionScreen, TooSmall
from bpe_tui.views.training_screen import PlayerScreen, ReadingPanel
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from engine.unigram.frame import UnigramFrame
from engine.unigram.report import json_lines, markdown

# What the screens of a Unigram training share: its frames, and the way from prune to prune.


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


class UnigramTrainingScreen(PlayerScreen, UnigramScreen):
    """Five panels round the cursor, and a line to type in."""

    BINDINGS = bindings_on(UNIGRAM_TRAINING)
    CSS_PATH = sheet("unigram-training.tcss")
    PANEL_ORDER = ("corpus", "pieces", "step", "words", "steps", "curves", "encode")
    SLOT = ("pieces", "step", "words", "steps", "curves")

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id=UNIGRAM_TRAINING)
        self.add_class("slot-step")

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        yield UnigramTransport()
        yield ReadingPanel()
        with Container(id="panels"):
            for panel in (
                PieceCorpusPanel(),
                PiecesPanel(),
                StepPanel(),
                ChangedWordsPanel(),
                StepsPanel(),
                CurvesPanel(),
            ):
                yield panel.data_bind(frame=UnigramTrainingScreen.frame)
        yield UnigramEncodeLine().data_bind(frame=UnigramTrainingScreen.frame)
        yield Static(id="narration")
        yield KeyBar()

    def heading(self, session: Session, room: int) -> str:
        return unigram_heading(session, room)

    def narration(self, session: Session, frame: UnigramFrame, room: int) -> str:
        return told(session, frame, room)

    def show_panel(self, panel: str) -> None:
        if panel in ("steps", "curves"):
            # These two share a place even where there is room for all others.
            self.set_class(panel == "curves", "-curves")
        super().show_panel(panel)

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

    def show_line(self, line: int) -> None:
        """Go to a line of the corpus."""
        self.query_one(PieceCorpusPanel).show_line(line)
        self.show_panel("corpus")

    # -- what panels ask for

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter takes what was typed to the encoding screen, or goes to what was found."""
        event.stop()
        if event.input.id == "pieces-search":
            self.show_panel("pieces")
        else:
            self.host.ways.open_encoding(event.value)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if isinstance(event.target, ToPiece):
            self.show_panel("pieces")
            self.query_one(PiecesPanel).show_piece(event.target.number)
        else:
            self.host.ways.go_to_target(event.target)

    def on_chart_sought(self, event: Chart.Sought) -> None:
        event.stop()
        self.host.seek(round(event.x))


# What can be exported of a Unigram training.

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
