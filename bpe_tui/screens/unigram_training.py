"""The training screen of Unigram: the corpus, the pieces, the step, and what follows from it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.command import UNIGRAM_TRAINING
from bpe_tui.commands import bindings_on
from bpe_tui.panels.reading import ReadingPanel
from bpe_tui.panels.targets import ToPiece
from bpe_tui.panels.unigram.corpus import PieceCorpusPanel
from bpe_tui.panels.unigram.curves import CurvesPanel
from bpe_tui.panels.unigram.encode_line import UnigramEncodeLine
from bpe_tui.panels.unigram.pieces import PiecesPanel
from bpe_tui.panels.unigram.step import StepPanel
from bpe_tui.panels.unigram.steps import StepsPanel
from bpe_tui.panels.unigram.transport import UnigramTransport
from bpe_tui.panels.unigram.words import ChangedWordsPanel
from bpe_tui.screens.panel_screen import TooSmall
from bpe_tui.screens.session_screen import SessionScreen
from bpe_tui.session import Session
from bpe_tui.unigram_narration import told, unigram_heading
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.scrubber import Scrubber
from engine.unigram.frame import UnigramFrame

SLOT = ("pieces", "step", "words", "steps", "curves")
"""Panels that share a place where there is not room for all."""


class UnigramTrainingScreen(SessionScreen):
    """Five panels round the cursor, and a line to type in."""

    BINDINGS = bindings_on(UNIGRAM_TRAINING)
    CSS_PATH = "../styles/unigram-training.tcss"
    PANEL_ORDER = ("corpus", "pieces", "step", "words", "steps", "curves", "encode")

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

    def show_session(self, session: Session) -> None:
        if not self.is_current:
            return
        frame, room = session.shown, self.size.width - 2
        self.set_class(frame is None, "-reading")
        said = unigram_heading(session, room)
        self.query_one("#heading", Static).update(Content(said), layout=False)
        if not isinstance(frame, UnigramFrame):
            self.frame = None
            self.query_one(ReadingPanel).show(session)
            self.show_keys()
            return
        if self.frame is None:
            self.show_panel("corpus")
            self.call_later(self.show_keys)
        super().show_session(session)
        self.query_one(UnigramTransport).show(session)
        said = told(session, frame, room)
        self.query_one("#narration", Static).update(Content(said), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self.remove_class(*(f"slot-{name}" for name in SLOT))
            self.add_class(f"slot-{panel}")
        if panel in ("steps", "curves"):
            # These two share a place even where there is room for all others.
            self.set_class(panel == "curves", "-curves")
        super().show_panel(panel)

    # -- commands

    def action_type(self) -> None:
        self.action_show("encode")

    def action_prune(self, direction: int) -> None:
        """Go to the nearest prune after this step or before it."""
        if self.frame is None:
            return
        prunes, here = self.frame.prunes, self.frame.step
        place = bisect_right(prunes, here) if direction > 0 else bisect_left(prunes, here) - 1
        if 0 <= place < len(prunes):
            self.bpe_app.seek(prunes[place])
        else:
            where = "after" if direction > 0 else "before"
            self.notify(f"No prune {where} this step.", markup=False, timeout=3)

    def action_search(self) -> None:
        if self.frame is not None:
            self.show_panel("pieces")
            self.set_focus(self.query_one("#pieces-search"))

    def action_sort(self) -> None:
        self.query_one(PiecesPanel).sort_by_next()

    def action_reverse(self) -> None:
        self.query_one(PiecesPanel).reverse()

    def show_line(self, line: int) -> None:
        """Go to a line of the corpus."""
        self.query_one(PieceCorpusPanel).show_line(line)
        self.show_panel("corpus")

    def action_leave(self) -> None:
        if self.session.shown is None:
            self.app.exit()
        else:
            super().action_leave()

    # -- what panels ask for

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter takes what was typed to the encoding screen, or goes to what was found."""
        event.stop()
        if event.input.id == "pieces-search":
            self.show_panel("pieces")
        else:
            self.bpe_app.ways.open_encoding(event.value)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if isinstance(event.target, ToPiece):
            self.show_panel("pieces")
            self.query_one(PiecesPanel).show_piece(event.target.number)
        else:
            self.bpe_app.ways.go_to_target(event.target)

    def on_chart_sought(self, event: Chart.Sought) -> None:
        event.stop()
        self.bpe_app.seek(round(event.x))

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        event.stop()
        self.bpe_app.seek(event.position)
