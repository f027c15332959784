"""The training screen: the corpus, the heap, the merge, and what follows from it."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Input, Static

from bpe_tui.bpe.panels.merge import MergePanel
from bpe_tui.bpe.panels.pairs import PairsPanel
from bpe_tui.bpe.panels.pseudocode import PseudocodePanel
from bpe_tui.bpe.panels.training import EncodeLine
from bpe_tui.session.commands.command import TRAINING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.charts import CHARTS
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.corpus import CorpusPanel
from bpe_tui.views.exports import OF_SCREENS, of_charts, of_steps
from bpe_tui.views.headings import heading
from bpe_tui.views.narration import told
from bpe_tui.views.panel import ToPair
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.views.training_panels import MergesPanel, WordsPanel
from bpe_tui.views.training_screen import PlayerScreen, ReadingPanel, Transport
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from engine.bpe.frame import Frame
from engine.bpe.report import markdown
from engine.core.events import Pair
from engine.recording.report import json_lines


class TrainingScreen(PlayerScreen):
    """Five panels round the cursor, and a line to type in."""

    BINDINGS = bindings_on(TRAINING)
    CSS_PATH = sheet("training.tcss")
    PANEL_ORDER = ("corpus", "pairs", "merge", "words", "pseudocode", "merges", "encode")
    SLOT = ("pairs", "merge", "words", "pseudocode", "merges")

    def __init__(self) -> None:
        super().__init__(id=TRAINING)
        self.add_class("slot-merge")

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        yield Transport()
        yield ReadingPanel()
        with Container(id="panels"):
            for panel in (
                CorpusPanel(),
                PairsPanel(),
                MergePanel(),
                WordsPanel(),
                PseudocodePanel(),
                MergesPanel(),
            ):
                yield panel.data_bind(frame=TrainingScreen.frame)
        yield EncodeLine().data_bind(frame=TrainingScreen.frame)
        yield Static(id="narration")
        yield KeyBar()

    def frame_of(self, session: Session) -> Frame | None:
        return session.frame

    def heading(self, session: Session, room: int) -> str:
        return heading(session, room)

    def narration(self, session: Session, frame: Frame, room: int) -> str:
        return told(session, frame, room)

    def prepare(self, session: Session) -> None:
        self.query_one(PseudocodePanel).algorithm = session.algorithm
        self.query_one(CorpusPanel).playing = session.playing or session.following

    def show_panel(self, panel: str) -> None:
        if panel in ("words", "pseudocode"):
            # These two share a place even where there is room for all others.
            self.set_class(panel == "pseudocode", "-code")
        super().show_panel(panel)

    def chosen_pair(self) -> Pair | None:
        """The pair on the row of the pairs panel that Enter would act on."""
        panel = self.query_one(PairsPanel)
        target = panel.row(panel.cursor).target if panel.row_count else None
        return target.pair if isinstance(target, ToPair) else None

    def show_line(self, line: int) -> None:
        """Go to a line of the corpus."""
        self.query_one(CorpusPanel).show_line(line)
        self.show_panel("corpus")

    def action_heap_view(self) -> None:
        """The pairs in another view, brought to sight."""
        if self.session.frame is not None:
            self.query_one(PairsPanel).next_view()
            self.show_panel("pairs")

    def action_sub_step(self) -> None:
        """One move in the heap, or one phase of a trainer that has none and is in sight."""
        code = self.query_one(PseudocodePanel)
        if not code.display or code.goes_by_moves:
            self.host.action_sub_step()
        elif not code.next_phase():
            self.host.action_step(1)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the line takes its text to the encoding screen."""
        event.stop()
        self.host.ways.open_encoding(event.value)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        self.host.ways.go_to_target(event.target)


# What can be exported of a BPE training or replay.

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
