"""The charts screen of BPE: compression, counts, token lengths and words over the steps."""

from __future__ import annotations

from bpe_tui.bpe.narration import NARRATOR
from bpe_tui.session.commands.command import CHARTS as NAME
from bpe_tui.views.charts import CHARTS
from bpe_tui.views.charts_screen import ChartsScreen
from bpe_tui.views.commands import bindings_on


class BpeChartsScreen(ChartsScreen):
    """Five charts, with BPE's heading and sentences."""

    NAME = NAME
    BINDINGS = bindings_on(NAME)
    CHARTS = CHARTS
    NARRATOR = NARRATOR
