"""The charts screen of WordPiece: pieces per word, what won by which score, ties, lengths."""

from __future__ import annotations

from typing import Any

from bpe_tui.session.commands.command import WORDPIECE_CHARTS
from bpe_tui.session.session import Session
from bpe_tui.views.charts_screen import ChartsScreen
from bpe_tui.views.commands import bindings_on
from bpe_tui.wordpiece.narration import told, wordpiece_heading
from bpe_tui.wordpiece.panels.charts import CHARTS
from bpe_tui.wordpiece.panels.training import WordPieceTransport


class WordPieceChartsScreen(ChartsScreen):
    """The charts, all at once where there is room, else one at a time."""

    NAME = WORDPIECE_CHARTS
    BINDINGS = bindings_on(NAME)
    CHARTS = CHARTS
    TRANSPORT = WordPieceTransport
    PANEL_ORDER = tuple(kind.id for kind in CHARTS)

    def heading(self, session: Session, room: int) -> str:
        return wordpiece_heading(session, room)

    def narration(self, session: Session, frame: Any, room: int) -> str:
        return told(session, frame, room)
