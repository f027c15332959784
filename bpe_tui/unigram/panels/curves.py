"""How do the loss and the number of pieces go over the steps?"""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.unigram.numbers import score_text
from bpe_tui.unigram.panels.charts import LOSS, NO_STEP, SIZE
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.visible import number
from engine.unigram.frame import UnigramFrame


class CurvesPanel(Vertical):
    """Two charts with the cursor of the timeline, anew when more steps are recorded."""

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id="curves")
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        for chart in (Chart("loss-chart"), Chart("size-chart")):
            chart.why_empty = NO_STEP
            yield chart

    def on_show(self) -> None:
        self.watch_frame()

    def watch_frame(self) -> None:
        frame = self.frame
        if frame is None or not self.is_mounted:
            return
        loss, size = self.query_one("#loss-chart", Chart), self.query_one("#size-chart", Chart)
        if self._drawn != (drawn := (frame.record, frame.recorded_steps)):
            self._drawn = drawn
            loss.figure, size.figure = LOSS.figure(frame), SIZE.figure(frame)
        loss.at = size.at = frame.step
        loss.border_title = Content(f"loss  {score_text(frame.loss, 3)} nats")
        size.border_title = Content(f"pieces  {number(frame.size)}")
