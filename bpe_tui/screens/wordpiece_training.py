"""The training screen of WordPiece: the corpus, the scores, the merge, and what follows."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.command import WORDPIECE_TRAINING
from bpe_tui.commands import bindings_on
from bpe_tui.panels.reading import ReadingPanel
from bpe_tui.panels.targets import ToPair
from bpe_tui.panels.wordpiece.corpus import PieceCorpusPanel
from bpe_tui.panels.wordpiece.encode_line import PieceEncodeLine
from bpe_tui.panels.wordpiece.merge import ScoreMergePanel
from bpe_tui.panels.wordpiece.merges import PieceMergesPanel
from bpe_tui.panels.wordpiece.pairs import ScoresPanel
from bpe_tui.panels.wordpiece.transport import WordPieceTransport
from bpe_tui.panels.wordpiece.words import PieceWordsPanel
from bpe_tui.screens.panel_screen import TooSmall
from bpe_tui.screens.session_screen import SessionScreen
from bpe_tui.session import Session
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.scrubber import Scrubber
from bpe_tui.wordpiece_narration import told, wordpiece_heading
from engine.events import Pair
from engine.wordpiece.frame import WordPieceFrame

SLOT = ("pairs", "merge", "words", "merges")
"""Panels that share a place where there is not room for all."""


class WordPieceTrainingScreen(SessionScreen):
    """Five panels round the cursor, and a line to type in."""

    BINDINGS = bindings_on(WORDPIECE_TRAINING)
    CSS_PATH = "../styles/wordpiece-training.tcss"
    PANEL_ORDER = ("corpus", "pairs", "merge", "words", "merges", "encode")

    frame: reactive[WordPieceFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id=WORDPIECE_TRAINING)
        self.add_class("slot-merge")

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        yield WordPieceTransport()
        yield ReadingPanel()
        with Container(id="panels"):
            for panel in (
                PieceCorpusPanel(),
                ScoresPanel(),
                ScoreMergePanel(),
                PieceWordsPanel(),
                PieceMergesPanel(),
            ):
                yield panel.data_bind(frame=WordPieceTrainingScreen.frame)
        yield PieceEncodeLine().data_bind(frame=WordPieceTrainingScreen.frame)
        yield Static(id="narration")
        yield KeyBar()

    def show_session(self, session: Session) -> None:
        if not self.is_current:
            return
        frame, room = session.shown, self.size.width - 2
        self.set_class(frame is None, "-reading")
        said = wordpiece_heading(session, room)
        self.query_one("#heading", Static).update(Content(said), layout=False)
        if not isinstance(frame, WordPieceFrame):
            self.frame = None
            self.query_one(ReadingPanel).show(session)
            self.show_keys()
            return
        if self.frame is None:
            self.show_panel("corpus")
            self.call_later(self.show_keys)
        self.query_one(PieceCorpusPanel).playing = session.playing or session.following
        super().show_session(session)
        self.query_one(WordPieceTransport).show(session)
        said = told(session, frame, room)
        self.query_one("#narration", Static).update(Content(said), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self.remove_class(*(f"slot-{name}" for name in SLOT))
            self.add_class(f"slot-{panel}")
        super().show_panel(panel)

    # -- commands

    def action_type(self) -> None:
        self.action_show("encode")

    def action_leave(self) -> None:
        if self.session.shown is None:
            self.app.exit()
        else:
            super().action_leave()

    # -- what panels ask for

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the line takes its text to the encoding screen."""
        event.stop()
        self.bpe_app.ways.open_encoding(event.value)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if isinstance(event.target, ToPair):
            self._go_to_pair(event.target.pair)
        else:
            self.bpe_app.ways.go_to_target(event.target)

    def _go_to_pair(self, pair: Pair) -> None:
        """To the step that merges a pair."""
        step = self.frame.step_of(pair) if self.frame is not None else None
        if step is not None:
            self.bpe_app.seek(step)
            return
        still = "" if self.session.stop_reason else " so far"
        self.notify(f"This pair does not merge{still}.", markup=False, timeout=3)

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        event.stop()
        self.bpe_app.seek(event.position)
