"""The charts screen of Unigram: loss, size and tokens over the steps; scores and lengths here."""

from __future__ import annotations

from bpe_tui.unigram.model import UNIGRAM_CHARTS
from bpe_tui.unigram.narration import NARRATOR
from bpe_tui.unigram.panels.charts import CHARTS
from bpe_tui.unigram.panels.training import UnigramTransport
from bpe_tui.unigram.screens.training import UnigramScreen
from bpe_tui.views.charts_screen import ChartsScreen
from bpe_tui.views.commands import bindings_on


class UnigramChartsScreen(ChartsScreen, UnigramScreen):
    """Six charts, with Unigram's heading and sentences."""

    NAME = UNIGRAM_CHARTS
    BINDINGS = bindings_on(NAME)
    CHARTS = CHARTS
    TRANSPORT = UnigramTransport
    NARRATOR = NARRATOR
