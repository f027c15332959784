"""The charts of a Unigram training, one declaration each."""

from __future__ import annotations

import numpy as np
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.unigram.narration import score_text
from bpe_tui.views.charts import (
    LENGTHS,
    NO_PRETOKEN,
    ChartKind,
    corpus,
    from_start,
    most_frequent,
    recorded,
    zipf,
)
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import shorten, visible_text
from engine.unigram.frame import UnigramFrame

NO_STEP = "No step is recorded yet, so there is nothing to draw."
PIECE_CELLS = 12


def _loss(frame: UnigramFrame) -> Figure:
    return from_start(frame.statistics.losses(frame.recorded_steps), "nats a pretoken")


def _size(frame: UnigramFrame) -> Figure:
    return from_start(frame.statistics.sizes(frame.recorded_steps), "pieces")


def _loss_here(frame: UnigramFrame) -> str:
    return f"{score_text(frame.loss, 3)} nats at step {number(frame.step)}"


def _size_here(frame: UnigramFrame) -> str:
    """How many, and what the step took away."""
    here = plural(frame.size, "piece")
    if not frame.step:
        return here
    gone = int(frame.statistics.removed(frame.step)[-1])
    return f"{here}; step {number(frame.step)} took {number(gone)}"


def _fertility(frame: UnigramFrame) -> Figure:
    return from_start(frame.statistics.fertility(frame.recorded_steps), "tokens a pretoken")


def _fertility_here(frame: UnigramFrame) -> str:
    return f"{frame.statistics.fertility(frame.step)[-1]:.3f} tokens a pretoken on average"


def _scores(frame: UnigramFrame) -> Figure | None:
    scores = frame.statistics.sorted_scores(frame.step)
    if not len(scores):
        return None
    return Figure(np.arange(1, len(scores) + 1), scores, "rank", "score", log_x=True)


def _best_and_worst(frame: UnigramFrame) -> str:
    scores = frame.scores
    if not len(scores):
        return ""
    text = frame.record.texts[int(frame.numbers[int(scores.argmax())])]
    best = shorten(visible_text(text), PIECE_CELLS)
    lowest, highest = score_text(float(scores.min())), score_text(float(scores.max()))
    return f"{highest} ({best}) to {lowest}"


def _lengths(frame: UnigramFrame) -> Figure | None:
    series = frame.statistics.lengths(frame.step)
    last = max(len(frame.statistics.lengths(0)) - 1, LENGTHS)
    pieces = np.zeros(last, dtype=np.int64)
    pieces[: len(series) - 1] = series[1:]
    return Figure(np.arange(1, last + 1), pieces, "characters", "pieces", bars=True)


def _length_here(frame: UnigramFrame) -> str:
    series = frame.statistics.lengths(frame.step)
    mean = (series * np.arange(len(series))).sum() / max(series.sum(), 1)
    return f"mean {mean:.1f} characters, longest {max(len(series) - 1, 0)}"


def _most_frequent(frame: UnigramFrame) -> str:
    commonest = frame.statistics.commonest_pretoken
    told = "" if commonest is None else visible_text(commonest)
    return most_frequent(frame.statistics.pretoken_counts, told)


def _step(frame: UnigramFrame) -> object:
    """What a figure depends on that is another at each step."""
    return frame.statistics, frame.step


LOSS = ChartKind(
    "loss",
    "How improbable is the corpus?",
    _loss,
    _loss_here,
    recorded,
    why_empty=NO_STEP,
    needs_corpus=False,
)
SIZE = ChartKind(
    "size",
    "How many pieces are left?",
    _size,
    _size_here,
    recorded,
    why_empty=NO_STEP,
    needs_corpus=False,
)
CHARTS = (
    LOSS,
    SIZE,
    ChartKind(
        "fertility",
        "How many tokens does it take?",
        _fertility,
        _fertility_here,
        recorded,
        why_empty=NO_STEP,
        needs_corpus=False,
    ),
    ChartKind(
        "scores",
        "How are the scores spread?",
        _scores,
        _best_and_worst,
        _step,
        over_steps=False,
        why_empty=NO_STEP,
        needs_corpus=False,
    ),
    ChartKind(
        "lengths",
        "How long are the pieces?",
        _lengths,
        _length_here,
        _step,
        over_steps=False,
        needs_corpus=False,
    ),
    ChartKind(
        "zipf",
        "How frequent is a pretoken?",
        zipf,
        _most_frequent,
        corpus,
        over_steps=False,
        why_empty=NO_PRETOKEN,
        needs_corpus=False,
    ),
)


# How do the loss and the number of pieces go over the steps?


class CurvesPanel(Vertical):
    """Two charts with the cursor of the timeline, anew when more steps are recorded."""

    ID = "curves"

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id=self.ID)
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
