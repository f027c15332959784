"""What can be exported of a BPE training or replay."""

from __future__ import annotations

from bpe_tui.exports import OF_SCREENS, of_charts, of_steps
from bpe_tui.panels.charts import CHARTS
from engine.markdown import json_lines
from engine.report import markdown

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
