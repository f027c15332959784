"""The charts screen: the run in numbers, with the timeline's cursor."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from bpe_tui.session.commands.command import CHARTS as NAME
from bpe_tui.session.commands.command import TRAINING
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.charts import CHARTS, ChartKind, ChartPanel
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.headings import heading
from bpe_tui.views.narration import told
from bpe_tui.views.panel_screen import TiledScreen, TooSmall
from bpe_tui.views.training_screen import Transport
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.scrubber import Scrubber


class ChartsScreen(TiledScreen):
    """The charts, all at once where there is room, else one at a time.

    These are BPE's; a subclass says which those of another model are.
    """

    NAME: ClassVar[str] = NAME
    CHARTS: ClassVar[tuple[ChartKind, ...]] = CHARTS
    TRANSPORT: ClassVar[type[Transport]] = Transport
    BINDINGS = bindings_on(NAME)
    CSS_PATH = sheet("charts.tcss")
    PANEL_ORDER = tuple(kind.id for kind in CHARTS)

    def __init__(self) -> None:
        super().__init__(id=self.NAME)

    def heading(self, session: Session, room: int) -> str:
        """What is trained on what, in so many cells."""
        return heading(session, room)

    def narration(self, session: Session, frame: Any, room: int) -> str:
        """The step in one sentence."""
        return told(session, frame, room)

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        yield self.TRANSPORT()
        yield Static(id="panel-names")
        with Container(id="panels"):
            for kind in self.CHARTS:
                yield ChartPanel(kind).data_bind(frame=ChartsScreen.frame)
        yield Static(id="narration")
        yield KeyBar()

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        room = self.size.width - 2
        heading = self.heading(session, room)
        self.query_one("#heading", Static).update(Content(heading), layout=False)
        self.query_one(Transport).show(session)
        said = self.narration(session, frame, room)
        self.query_one("#narration", Static).update(Content(said), layout=False)

    def action_leave(self) -> None:
        """Esc: out of a zoom, or back to the training screen."""
        if self.zoomed is None:
            self.host.action_show(TRAINING)
        super().action_leave()

    def on_chart_sought(self, event: Chart.Sought) -> None:
        event.stop()
        self.host.seek(round(event.x))

    def on_scrubber_sought(self, event: Scrubber.Sought) -> None:
        event.stop()
        self.host.seek(event.position)
