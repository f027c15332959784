"""The training screen of WordPiece: the corpus, the scores, the merge, and what follows."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.session.commands.command import WORDPIECE_TRAINING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.exports import OF_SCREENS, of_charts, of_steps
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.views.training_screen import PlayerScreen, ReadingPanel
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.wordpiece.narration import told, wordpiece_heading
from bpe_tui.wordpiece.panels.charts import CHARTS
from bpe_tui.wordpiece.panels.merge import ScoreMergePanel
from bpe_tui.wordpiece.panels.pairs import ScoresPanel
from bpe_tui.wordpiece.panels.training import (
    PieceCorpusPanel,
    PieceEncodeLine,
    PieceMergesPanel,
    PieceWordsPanel,
    WordPieceTransport,
)
from engine.recording.report import json_lines
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.report import markdown


class WordPieceTrainingScreen(PlayerScreen):
    """Five panels round the cursor, and a line to type in."""

    BINDINGS = bindings_on(WORDPIECE_TRAINING)
    CSS_PATH = sheet("wordpiece-training.tcss")
    PANEL_ORDER = ("corpus", "pairs", "merge", "words", "merges", "encode")
    SLOT = ("pairs", "merge", "words", "merges")

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

    def frame_of(self, session: Session) -> WordPieceFrame | None:
        return session.shown if isinstance(session.shown, WordPieceFrame) else None

    def heading(self, session: Session, room: int) -> str:
        return wordpiece_heading(session, room)

    def narration(self, session: Session, frame: WordPieceFrame, room: int) -> str:
        return told(session, frame, room)

    def prepare(self, session: Session) -> None:
        self.query_one(PieceCorpusPanel).playing = session.playing or session.following

    # -- what panels ask for

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the line takes its text to the encoding screen."""
        event.stop()
        self.host.ways.open_encoding(event.value)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.host.ways.go_to_target(event.target)


# What can be exported of a WordPiece training.

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
