"""What can be exported of a BPE training or replay."""

from __future__ import annotations

from bpe_tui.views.charts import CHARTS
from bpe_tui.views.exports import OF_SCREENS, of_charts, of_steps
from engine.bpe.report import markdown
from engine.recording.report import json_lines

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
