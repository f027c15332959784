"""The charts screen of Unigram: loss, size and tokens over the steps; scores and lengths here."""

from __future__ import annotations

from bpe_tui.session.commands.command import UNIGRAM_CHARTS
from bpe_tui.session.session import Session
from bpe_tui.unigram.narration import told, unigram_heading
from bpe_tui.unigram.panels.charts import CHARTS
from bpe_tui.unigram.panels.training import UnigramTransport
from bpe_tui.unigram.screens.training import UnigramScreen
from bpe_tui.views.charts_screen import ChartsScreen
from bpe_tui.views.commands import bindings_on
from engine.unigram.frame import UnigramFrame


class UnigramChartsScreen(ChartsScreen, UnigramScreen):
    """Six charts, all at once where there is room, else one at a time."""

    NAME = UNIGRAM_CHARTS
    CHARTS = CHARTS
    TRANSPORT = UnigramTransport
    BINDINGS = bindings_on(UNIGRAM_CHARTS)
    PANEL_ORDER = tuple(kind.id for kind in CHARTS)

    def heading(self, session: Session, room: int) -> str:
        return unigram_heading(session, room)

    def narration(self, session: Session, frame: UnigramFrame, room: int) -> str:
        return told(session, frame, room)
