"""How do the loss and the number of pieces go over the steps?"""

from __future__ import annotations

import numpy as np
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.panels.unigram.piece_panel import score_text
from bpe_tui.visible import number
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure
from engine.unigram.frame import UnigramFrame


class CurvesPanel(Vertical):
    """Two charts with the cursor of the timeline, anew when more steps are recorded."""

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id="curves")
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        for chart in (Chart("loss-chart"), Chart("size-chart")):
            chart.why_empty = "No step is recorded yet, so there is nothing to draw."
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
            loss.figure, size.figure = figures(frame) if frame.recorded_steps else (None, None)
        loss.at = size.at = frame.step
        loss.border_title = Content(f"loss  {score_text(frame.loss, 3)} nats")
        size.border_title = Content(f"pieces  {number(frame.size)}")


def figures(frame: UnigramFrame) -> tuple[Figure, Figure]:
    """The loss and the number of pieces at each recorded step."""
    record, steps = frame.record, np.arange(frame.recorded_steps + 1)
    losses = np.array([record.loss_at(step) for step in steps.tolist()])
    sizes = np.array([record.size_at(step) for step in steps.tolist()])
    return Figure(steps, losses, "step", "loss"), Figure(steps, sizes, "step", "pieces")
