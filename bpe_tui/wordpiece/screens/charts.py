"""The charts screen of WordPiece: pieces per word, what won by which score, ties, lengths."""

from __future__ import annotations

from bpe_tui.views.charts_screen import ChartsScreen
from bpe_tui.views.commands import bindings_on
from bpe_tui.wordpiece.model import WORDPIECE_CHARTS
from bpe_tui.wordpiece.narration import NARRATOR
from bpe_tui.wordpiece.panels.charts import CHARTS
from bpe_tui.wordpiece.panels.training import WordPieceTransport


class WordPieceChartsScreen(ChartsScreen):
    """Six charts, with WordPiece's heading and sentences."""

    NAME = WORDPIECE_CHARTS
    BINDINGS = bindings_on(NAME)
    CHARTS = CHARTS
    TRANSPORT = WordPieceTransport
    NARRATOR = NARRATOR
