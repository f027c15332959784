"""What is the piece under the cursor worth?

Its numbers, what would stand in its place and what its removal would cost; how it fared from step
to step; the words that use it; and its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

import numpy as np
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.unigram.narration import count_text, percent, score_text
from bpe_tui.unigram.panels.piece_panel import Finder, PiecePainter, PiecePanel
from bpe_tui.unigram.panels.pieces import goes_text
from bpe_tui.views.panel import sentence
from bpe_tui.views.targets import ToPiece, ToPretoken
from bpe_tui.views.token_detail import characters_and_bytes, lane_rows
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import MINUS, number, plural
from bpe_tui.widgets.rows import Row, left, paragraph, right
from bpe_tui.widgets.visible import shorten
from engine.encoding.lanes import align
from engine.text.pretokenize import to_bytes
from engine.unigram.changes import Occurrence, piece_occurrences
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import unspelled
from engine.unigram.problem import Removals
from engine.unigram.record import NEVER

TITLE_CELLS = 24
ROOMY = 70
"""From so many cells on its numbers stand on one line."""
NO_HISTORY = "No piece is under the table's cursor."
MOST = 100
"""Words that are looked for."""


class AboutPiecePanel(PiecePanel):
    """A panel about the piece `number`, which the cursor of the table is on."""

    number: reactive[int | None] = reactive(None, repaint=False)

    def watch_number(self) -> None:
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        if self.number is None or frame.index_of(self.number) is None:
            return sentence("No piece is under the table's cursor.", width)
        return list(self.about(frame, self.number, width - 1))  # a blank before the scrollbar

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        """The rows about a piece that is there."""
        raise NotImplementedError


class PieceDetailPanel(AboutPiecePanel):
    """Its numbers, the best segmentation without it, and the arithmetic of its loss increase.

    `removals` is what removals would cost at this step, once somebody has computed that.
    """

    ID = "piece"
    FOLLOWS_RECORDING = True

    removals: Drawn[Removals | None] = Drawn(None)

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        name = shorten(PiecePainter(frame).piece(piece)[0], TITLE_CELLS)
        is_character = piece < frame.record.characters
        self.say(f"piece {name}", "" if is_character else "↵ to what stands in for it")
        yield from self._numbers(frame, piece, width)
        yield Row([])
        if is_character:
            said = "A single character is never removed, so that every text keeps a segmentation."
            yield from paragraph(said, width)
            return
        yield from _instead(frame, piece, width)
        yield Row([])
        yield from self._cost(frame, piece, width)

    def _numbers(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        at = frame.index_of(piece)
        assert at is not None
        text, score = frame.record.texts[piece], float(frame.scores[at])
        goes_at = int(frame.goes_at[at])
        stays = "stays to the last step recorded"
        goes = stays if goes_at == NEVER else f"goes at step {goes_text(frame, goes_at)}"
        expected = count_text(float(frame.expected_counts[at]))
        facts = (
            f"id {number(int(frame.ids[at]))} · {plural(len(text), 'character')}",
            f"score {score_text(score)} · P {percent(exp(score))}",
            f"expected {expected}",
        )
        for said in (" · ".join(facts),) if width >= ROOMY else facts:
            yield Row(left([(said, "")], width))
        yield Row([(goes, "stale-truth" if goes_at != NEVER else "")])

    def _cost(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        yield Row([("what its removal costs", "strong")])
        if self.removals is None:
            yield Row([("Weighing all pieces …", "dim")])
            return
        cost = self.removals.cost_of(piece, frame.record.problem.pretokens)
        if cost is None:
            yield from paragraph("Nothing: no best segmentation uses it.", width)
            return
        uses, change = number(cost.uses), cost.before - cost.after
        all_tokens = plural(round(cost.total), "token")
        instead = plural(len(cost.alternative), "token")
        yield from paragraph(
            f"{uses} of {all_tokens} are it: log P {score_text(cost.before)}",
            width,
        )
        yield from paragraph(
            f"{instead} in its place: log P {score_text(cost.after)}",
            width,
        )
        sign = "+" if cost.loss_increase >= 0 else ""
        yield from paragraph(
            f"{uses} ÷ {number(cost.pretokens)} pretokens × {score_text(change)} = "
            f"{sign}{score_text(cost.loss_increase, 6)} nats",
            width,
            "loss" if cost.loss_increase > 0 else "gain",
        )


def _instead(frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
    """The best segmentation of the piece without itself, part by part, against the piece."""
    text = frame.record.texts[piece]
    other = frame.alternative(text)
    assert other is not None  # its characters are pieces
    painter, at = PiecePainter(frame), frame.index_of(piece)
    assert at is not None
    yield Row([("in its place", "strong")])
    for edge in other.edges:
        score = score_text(edge.score)
        yield Row(
            [*left([painter.piece(edge.piece)], width - 8), (f"{score:>8}", "")],
            ToPiece(edge.piece),
        )
    own = float(frame.scores[at])
    behind = own - other.score
    told = f"{score_text(other.score)} together; the piece {score_text(own)}"
    worse = f"{MINUS if behind >= 0 else '+'}{abs(behind):.2f}"
    yield Row([*left([(told, "dim")], width - 8), (f"{worse:>8}", "loss" if behind > 0 else "")])


class PieceHistoryPanel(Horizontal):
    """Expected count and score, up to the step that removes the piece."""

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


class PieceUsesPanel(AboutPiecePanel):
    """The pretokens whose best segmentation has the piece, the most frequent first.

    They are looked for as long as the cursors rest; those found so far are shown.
    """

    def __init__(self) -> None:
        super().__init__("used in", id="uses")
        self._about: tuple[UnigramFrame, int] | None = None
        self._finder: Finder[Occurrence] = Finder(self, MOST)

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        about = self._about
        if about is None or about[1] != piece or not about[0].looks_like(frame):
            self._about = frame, piece
            self._finder.look(piece_occurrences(frame, piece))
        found = self._finder.found
        self.say("used in", self._finder.describe_count() if found else "")
        if not found:
            none = "No best segmentation of a pretoken uses it."
            yield Row([(none if self._finder.is_done else "Looking through the words …", "dim")])
            return
        painter, cells = PiecePainter(frame), len(number(found[0].times))
        for use in found:
            yield Row(
                [
                    right(number(use.times), cells, "dim"),
                    ("  ", ""),
                    *left(painter.cut(use.text, use.edges), width - cells - 2),
                ],
                ToPretoken(to_bytes(unspelled(use.text))),
            )


class PieceLanesPanel(AboutPiecePanel):
    """Characters and bytes of the piece, aligned."""

    WIDEST = 1000

    def __init__(self) -> None:
        super().__init__("two lanes", id="piece-lanes")

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        lanes = align([(piece, to_bytes(frame.record.texts[piece]))])
        self.say(
            f"two lanes  {plural(len(lanes.characters), 'character')} · "
            f"{plural(len(lanes.data), 'byte')}",
            "▁ (U+2581) stands for a space",
        )
        return iter(lane_rows(lanes, characters_and_bytes(lanes), width))
