"""The charts of Unigram: loss, size and tokens over the steps; scores and lengths at one step.

And what can be saved of a step, and what can be exported, the charts among it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.session.host import Speaker
from bpe_tui.unigram.model import UNIGRAM_CHARTS
from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.screens import UnigramScreen
from bpe_tui.views.charts import (
    ChartKind,
    ChartsScreen,
    from_start,
    length_bars,
    recorded,
    summarize_lengths,
    zipf,
)
from bpe_tui.views.dialog import SaveFile
from bpe_tui.views.exports import exports_of
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.visible import shorten, visible_text
from engine.formats.tokenizer_json import FILE, save_pieces
from engine.unigram.frame import UnigramFrame
from engine.unigram.report import json_lines, markdown

NO_STEP = "No step is recorded yet, so there is nothing to draw."
PIECE_CELLS = 12


def _loss(frame: UnigramFrame) -> Figure:
    return from_start(frame.statistics.losses(frame.recorded_steps), "nats a pretoken")


def _size(frame: UnigramFrame) -> Figure:
    return from_start(frame.statistics.sizes(frame.recorded_steps), "pieces")


def _loss_here(frame: UnigramFrame) -> str:
    return f"{score_text(frame.loss, 3)} nats · step {number(frame.step)}"


def _size_here(frame: UnigramFrame) -> str:
    """How many, and what the step took away."""
    here = plural(frame.size, "piece")
    if not frame.step:
        return here
    gone = int(frame.statistics.removed(frame.step)[-1])
    return f"{here} · step {number(frame.step)} took {number(gone)}"


def _fertility(frame: UnigramFrame) -> Figure:
    return from_start(frame.statistics.fertility(frame.recorded_steps), "tokens a pretoken")


def _fertility_here(frame: UnigramFrame) -> str:
    return f"{frame.statistics.fertility(frame.step)[-1]:.3f} tokens a pretoken · on average"


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


def _lengths(frame: UnigramFrame) -> Figure:
    longest = len(frame.statistics.lengths(0)) - 1
    return length_bars(frame.statistics.lengths(frame.step), longest, "characters", "pieces")


def _length_here(frame: UnigramFrame) -> str:
    return summarize_lengths(frame.statistics.lengths(frame.step), "characters")


def _step(frame: UnigramFrame) -> object:
    """What a figure depends on: the run, and the step."""
    return frame.statistics, frame.step


# A training has its corpus at hand, so no chart lacks one.
_kind = partial(ChartKind, why_empty=NO_STEP, needs_corpus=False)

LOSS = _kind("loss", "How improbable is the corpus?", _loss, _loss_here, recorded)
SIZE = _kind("size", "How many pieces are left?", _size, _size_here, recorded)
CHARTS = (
    LOSS,
    SIZE,
    _kind("fertility", "How many tokens does it take?", _fertility, _fertility_here, recorded),
    _kind(
        "scores", "How are the scores spread?", _scores, _best_and_worst, _step, over_steps=False
    ),
    _kind("lengths", "How long are the pieces?", _lengths, _length_here, _step, over_steps=False),
    replace(zipf("pretoken"), needs_corpus=False),
)


class CurvesPanel(Vertical):
    """Loss and size over the steps, beside the other panels of the training screen."""

    ID = "curves"
    IN_PLACE_OF = "steps"

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


class UnigramChartsScreen(ChartsScreen, UnigramScreen):
    """The six charts of Unigram."""

    NAME = UNIGRAM_CHARTS
    TILES = CHARTS


class SavePieces(SaveFile):
    """Writes the pieces with their scores, as a tokenizer.json."""

    def __init__(self, frame: UnigramFrame, suggestion: str) -> None:
        self._frame = frame
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like {FILE}: {plural(frame.size, 'piece')} with scores, and what cuts text.",
            f"{suggestion}.json",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        frame = self._frame
        left_out = save_pieces(
            frame.vocabulary,
            path,
            pattern=frame.pattern,
            special_tokens=frame.record.special_tokens,
            overwrite=overwrite,
        )
        if left_out:
            said = f"Left out, since they are no UTF-8: {plural(left_out, 'piece')}."
            cast("Speaker", self.app).tell(said, stays=True)


EXPORTS = exports_of(markdown, json_lines, CHARTS)
"""What of a Unigram training can be exported."""
