"""What can be exported of a Unigram training."""

from __future__ import annotations

from bpe_tui.exports import OF_SCREENS, of_charts
from bpe_tui.panels.unigram.charts import CHARTS

EXPORTS = (*OF_SCREENS, of_charts(CHARTS))
