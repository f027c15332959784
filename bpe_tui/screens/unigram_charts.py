"""The charts screen of Unigram: loss, size and tokens over the steps; scores and lengths here."""

from __future__ import annotations

from bpe_tui.command import UNIGRAM_CHARTS
from bpe_tui.commands import bindings_on
from bpe_tui.panels.unigram.charts import CHARTS
from bpe_tui.panels.unigram.transport import UnigramTransport
from bpe_tui.screens.charts import ChartsScreen
from bpe_tui.screens.unigram_screen import UnigramScreen
from bpe_tui.session import Session
from bpe_tui.unigram.headings import told, unigram_heading
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
