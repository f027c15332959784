"""What can be exported of a Unigram training."""

from __future__ import annotations

from bpe_tui.unigram.panels.charts import CHARTS
from bpe_tui.views.exports import OF_SCREENS, of_charts, of_steps
from engine.unigram.report import json_lines, markdown

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
