"""How did this piece fare: its expected count and its score, up to the step that removes it."""

from __future__ import annotations

import numpy as np
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.unigram.numbers import count_text, score_text
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure
from engine.unigram.frame import UnigramFrame

NO_HISTORY = "No piece is under the table's cursor."


class PieceHistoryPanel(Horizontal):
    """Two charts over the steps, with the cursor of the timeline."""

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)
    number: reactive[int | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id="history")
        self._drawn: object = None

    def compose(self) -> ComposeResult:
        for chart in (Chart("expected-chart"), Chart("score-chart")):
            chart.why_empty = NO_HISTORY
            yield chart

    def on_show(self) -> None:
        self.show_history()

    def watch_frame(self) -> None:
        self.show_history()

    def watch_number(self) -> None:
        self.show_history()

    def show_history(self) -> None:
        """Draw anew if it is another piece, or if more steps are recorded."""
        frame, piece = self.frame, self.number
        if frame is None or not self.is_mounted or not self.display:
            return
        expected = self.query_one("#expected-chart", Chart)
        score = self.query_one("#score-chart", Chart)
        if self._drawn != (drawn := (frame.record, frame.recorded_steps, piece)):
            self._drawn = drawn
            expected.figure, score.figure = (
                (None, None) if piece is None else _figures(frame, piece)
            )
        expected.at = score.at = frame.step
        at = None if piece is None else frame.index_of(piece)
        used = "" if at is None else count_text(float(frame.expected_counts[at]))
        scored = "" if at is None else score_text(float(frame.scores[at]))
        expected.border_title, expected.border_subtitle = Content("expected"), Content(used)
        score.border_title, score.border_subtitle = Content("score"), Content(scored)


def _figures(frame: UnigramFrame, piece: int) -> tuple[Figure, Figure]:
    """Expected count and score of a piece at each step where it is there."""
    history = frame.history_of(piece)
    steps = np.arange(len(history.scores))
    return (
        Figure(steps, history.expected_counts, "step", "expected count"),
        Figure(steps, history.scores, "step", "score"),
    )
