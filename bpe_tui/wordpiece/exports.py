"""What can be exported of a WordPiece training."""

from __future__ import annotations

from bpe_tui.views.exports import OF_SCREENS, of_charts, of_steps
from bpe_tui.wordpiece.panels.charts import CHARTS
from engine.recording.report import json_lines
from engine.wordpiece.report import markdown

EXPORTS = (*OF_SCREENS, *of_steps(markdown, json_lines), of_charts(CHARTS))
