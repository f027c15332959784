"""The charts screen: the run in numbers, with the timeline's cursor."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from bpe_tui.session.commands.command import TRAINING
from bpe_tui.styles import sheet
from bpe_tui.views.charts import ChartKind, ChartPanel
from bpe_tui.views.panel_screen import TiledScreen, TooSmall
from bpe_tui.views.player_screen import PlayerScreen
from bpe_tui.widgets.key_bar import KeyBar


class ChartsScreen(PlayerScreen, TiledScreen):
    """The charts of a model, all at once where there is room, else one at a time."""

    NAME: ClassVar[str]
    CHARTS: ClassVar[tuple[ChartKind, ...]] = ()
    CSS_PATH = sheet("charts.tcss")

    def __init_subclass__(cls, **options: Any) -> None:
        cls.PANEL_ORDER = tuple(kind.id for kind in cls.CHARTS)
        super().__init_subclass__(**options)

    def __init__(self) -> None:
        super().__init__(id=self.NAME)

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

    def action_leave(self) -> None:
        """Esc: out of a zoom, or back to the training screen."""
        if self.zoomed is None:
            self.host.action_show(TRAINING)
        super().action_leave()
