"""The training screen of Unigram: the corpus, the pieces, the step, and what follows from it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.session.commands.command import UNIGRAM_TRAINING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.narration import told, unigram_heading
from bpe_tui.unigram.panels.charts import CurvesPanel
from bpe_tui.unigram.panels.corpus import PieceCorpusPanel
from bpe_tui.unigram.panels.encode_line import UnigramEncodeLine
from bpe_tui.unigram.panels.pieces import PiecesPanel
from bpe_tui.unigram.panels.step import StepPanel
from bpe_tui.unigram.panels.steps import StepsPanel
from bpe_tui.unigram.panels.transport import UnigramTransport
from bpe_tui.unigram.panels.words import ChangedWordsPanel
from bpe_tui.unigram.screens.screen import UnigramScreen
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.views.player_screen import PlayerScreen
from bpe_tui.views.reading import ReadingPanel
from bpe_tui.views.targets import ToPiece
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from engine.unigram.frame import UnigramFrame


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
