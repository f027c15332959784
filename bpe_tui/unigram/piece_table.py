"""The table of pieces, and the panels about the piece under its cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import exp
from typing import ClassVar, NamedTuple

import numpy as np
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.unigram.narration import (
    cost_text,
    count_text,
    fate_text,
    increase_text,
    probability_text,
    score_text,
)
from bpe_tui.unigram.pieces import Finder, PiecePainter, PiecePanel, Slices, step_name
from bpe_tui.unigram.textbook import gram_rows
from bpe_tui.views.panel import sentence
from bpe_tui.views.targets import ToPiece, ToPretoken
from bpe_tui.views.token_detail import characters_and_bytes, lane_rows
from bpe_tui.views.vocabulary_screen import CellOfColumn, VocabularyRows, VocabularyTable
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.controls import FilterSwitch
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import LONGEST_BAR, MINUS, SHORTEST_BAR, bar, number, plural, scale_of
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right
from bpe_tui.widgets.virtual_table import Column, arranged
from bpe_tui.widgets.visible import shorten
from engine.analysis.inspection import PIECE_FILTERS
from engine.core.arrays import Floats, Ints
from engine.encoding.lanes import align
from engine.text.pretokenize import to_bytes
from engine.unigram.em import PieceRemovals
from engine.unigram.frame import Occurrence, UnigramFrame, piece_occurrences
from engine.unigram.pieces import unspelled
from engine.unigram.record import NEVER
from engine.unigram.textbook import TextbookRecord

BAR = Column("bar", "", SHORTEST_BAR, 4, share=1, sorts=False)
"""The column that shows the expected count as a bar."""
PIECE_COLUMNS = (
    Column("piece", "piece", 10, 10, share=1),
    Column("score", "score", 7, 9, is_number=True),
    Column("probability", "P", 9, 3, is_number=True),
    Column("expected", "expected", 9, 9, is_number=True),
    replace(BAR, importance=8),
    Column("loss", "costs", 9, 7, is_number=True),
)
"""The columns on the training screen."""
VOCABULARY_COLUMNS = (
    Column("id", "id", 6, 5, is_number=True),
    Column("piece", "piece", 10, 10, share=1),
    Column("length", "len", 4, 2, is_number=True),
    Column("score", "score", 7, 9, is_number=True),
    Column("probability", "P", 9, 1, is_number=True),
    Column("expected", "expected", 9, 8, is_number=True),
    BAR,
    Column("loss", "costs", 9, 7, is_number=True),
    Column("goes", "goes at step", 12, 6, is_number=True),
)
"""The columns on the vocabulary screen."""
GRAM_COLUMNS = (
    Column("piece", "n-gram", 6, 10, share=1),
    Column("count", "count", 5, 9, is_number=True),
    Column("cost", "−log P", 6, 8, is_number=True),
    Column("without", "without", 8, 5, is_number=True),
    Column("increase", "increase", 9, 7, is_number=True),
    Column("fate", "fate", 5, 6),
)
"""The columns of a training that removes one n-gram a step."""
ALL_GRAM_COLUMNS = (
    Column("id", "id", 6, 3, is_number=True),
    Column("piece", "n-gram", 10, 10, share=1),
    Column("count", "count", 6, 9, is_number=True),
    Column("cost", "−log P", 7, 8, is_number=True),
    Column("without", "loss without", 13, 5, is_number=True),
    Column("increase", "increase", 9, 7, is_number=True),
    Column("fate", "goes", 6, 6),
)
FILTER_SWITCHES = (
    FilterSwitch("characters", "p", "single"),
    FilterSwitch("seldom", "u", "seldom"),
    FilterSwitch("leaving", "d", "go next"),
    FilterSwitch("twins", "W", "twins"),
)
UNKNOWN_YET = "…"
STAYS = "stays"


class PieceColumn(NamedTuple):
    """A column: the values that it sorts by, and its text at an index of the frame's arrays."""

    key: Callable[[PieceRows, UnigramFrame], Floats | Ints]
    text: Callable[[PieceRows, UnigramFrame, int], str]


def loss_text(increase: float) -> str:
    """Return a loss increase in nats a pretoken, or a word for its special values.

    0 is `unused`, as no best segmentation has the piece; NaN is not known yet; infinity stays.
    """
    if not increase:
        return "unused"
    if np.isnan(increase):
        return UNKNOWN_YET
    if np.isinf(increase):
        return STAYS
    return ("+" if increase > 0 else "") + cost_text(increase)


def goes_text(frame: UnigramFrame, goes_at: int) -> str:
    """Return the step that removes a piece: `3, prune`; `stays` if no recorded step does."""
    return STAYS if goes_at == NEVER else f"{number(goes_at)}, {step_name(frame, goes_at)}"


CELLS: dict[str, PieceColumn] = {
    "id": PieceColumn(
        lambda rows, frame: frame.ids,
        lambda rows, frame, at: number(int(frame.ids[at])),
    ),
    "length": PieceColumn(
        lambda rows, frame: frame.record.columns.lengths[frame.numbers],
        lambda rows, frame, at: number(len(frame.record.texts[int(frame.numbers[at])])),
    ),
    "score": PieceColumn(
        lambda rows, frame: frame.scores,
        lambda rows, frame, at: score_text(float(frame.scores[at])),
    ),
    "probability": PieceColumn(
        lambda rows, frame: frame.scores,
        lambda rows, frame, at: probability_text(exp(float(frame.scores[at]))),
    ),
    "expected": PieceColumn(
        lambda rows, frame: frame.expected_counts,
        lambda rows, frame, at: count_text(float(frame.expected_counts[at])),
    ),
    "loss": PieceColumn(
        lambda rows, frame: rows.losses(frame),
        lambda rows, frame, at: loss_text(float(rows.losses(frame)[at])),
    ),
    "count": PieceColumn(
        lambda rows, frame: frame.expected_counts,
        lambda rows, frame, at: number(float(frame.expected_counts[at])),
    ),
    "cost": PieceColumn(
        lambda rows, frame: -frame.scores,
        lambda rows, frame, at: score_text(-float(frame.scores[at]), 3),
    ),
    "without": PieceColumn(
        lambda rows, frame: rows.losses(frame),
        lambda rows, frame, at: score_text(frame.loss + float(rows.losses(frame)[at]), 3),
    ),
    "increase": PieceColumn(
        lambda rows, frame: rows.losses(frame),
        lambda rows, frame, at: increase_text(float(rows.losses(frame)[at])),
    ),
    "fate": PieceColumn(
        lambda rows, frame: frame.goes_at,
        lambda rows, frame, at: fate_text(frame, int(frame.goes_at[at])),
    ),
    "goes": PieceColumn(
        lambda rows, frame: frame.goes_at,
        lambda rows, frame, at: goes_text(frame, int(frame.goes_at[at])),
    ),
    "piece": PieceColumn(
        lambda rows, frame: frame.record.columns.alphabetical[frame.numbers],
        lambda rows, frame, at: frame.record.texts[int(frame.numbers[at])],
    ),
}
"""Name → column. The piece itself is drawn in its own colour."""


class PieceRows(VocabularyRows[UnigramFrame]):
    """The rows of the pieces; an entry is an index into the frame's arrays.

    The costs of removals are computed when the timeline's cursor rests, and kept.
    """

    WIDEST = 120
    TOKEN = "piece"
    COLUMNS: ClassVar[tuple[Column, ...]] = PIECE_COLUMNS
    GRAM_COLUMNS: ClassVar[tuple[Column, ...]] = GRAM_COLUMNS
    CLICK_LOOKS = False

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    sorting = "score"
    descending = True

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._sought = ""
        self._bar_cells, self._scale = 0, 1.0
        self._removals: dict[int, PieceRemovals] = {}
        self._weighing: int | None = None
        self._slices = Slices(self, self._sliced)

    # -- which rows, in which order

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        if old is None or new is None or old.record is not new.record:
            self._removals.clear()
            self._weighing = self._chosen = None
            if new is not None and self.sorting not in {each.name for each in self.columns(new)}:
                of_grams = isinstance(new.record, TextbookRecord)
                self.sorting, self.descending = ("increase", False) if of_grams else ("score", True)
        super().watch_frame(old, new)

    def columns(self, frame: UnigramFrame) -> tuple[Column, ...]:
        """Return the columns for the training of a frame."""
        return self.GRAM_COLUMNS if isinstance(frame.record, TextbookRecord) else self.COLUMNS

    def rebuild(self) -> None:
        frame = self.frame
        if frame is None or not self.is_seen:
            self._order = self._order[:0]  # there may be fewer rows when they are shown again
            return
        self.places = arranged(self.columns(frame), self.room - 1)  # a blank before the scrollbar
        self._bar_cells = next((p.cells for p in self.places if p.column.name == BAR.name), 0)
        self._scale = scale_of(float(frame.expected_counts.max(initial=0)))
        key = CELLS[self.sorting].key(self, frame)
        order = np.argsort(-key if self.descending else key, kind="stable")
        for name in self.filters:
            order = order[PIECE_FILTERS[name].keeps(frame)[order]]
        if self._sought:
            texts = frame.texts
            found = [index for index in order.tolist() if self._sought in texts[index]]
            order = np.array(found, dtype=np.int64)
        self._order = order
        self.show_order(self.Found(len(self._order), frame.size))
        if frame.step not in self._removals and frame.step != self._weighing:
            self._weighing = frame.step
            self._slices.start(self._removing(frame))

    def search(self, typed: str) -> None:
        """Search for pieces that contain a text; a blank means ▁."""
        self._sought = typed.replace(" ", "▁")
        super().search(typed)

    def token_at(self, frame: UnigramFrame, entry: int) -> int:
        return int(frame.numbers[entry])

    def entry_of(self, frame: UnigramFrame, token: int) -> int | None:
        return frame.index_of(token)

    def _choose(self, index: int) -> None:
        self.choose_token()
        super()._choose(index)

    # -- what a removal costs

    def _removing(self, frame: UnigramFrame) -> Iterator[object]:
        self._removals[frame.step] = yield from frame.removals()

    def _sliced(self, is_last: bool) -> None:
        if is_last:
            self.rebuild()

    @property
    def removals(self) -> PieceRemovals | None:
        """The costs of all removals at this step; None until they are known."""
        return None if self.frame is None else self._removals.get(self.frame.step)

    def losses(self, frame: UnigramFrame) -> Floats:
        """Return the loss increase without each piece; NaN until it is known."""
        if isinstance(frame.record, TextbookRecord):
            # Rounded, so that equal ones stay in their order.
            known_increases: Floats = frame.record.increases_at(frame.step).round(9)
            return known_increases
        known = self._removals.get(frame.step)
        if known is None:
            return np.full(frame.size, np.nan)
        losses: Floats = known.loss_increases[frame.numbers]
        return losses

    # -- painting

    def why_none(self, frame: UnigramFrame) -> str:
        if "leaving" not in self.filters or frame.leaving:
            return super().why_none(frame)
        if frame.step == frame.recorded_steps:
            return f"None goes next: step {number(frame.step)} is the last."
        return f"No piece goes with step {number(frame.step + 1)}."

    def draw_entry(self, frame: UnigramFrame, entry: int) -> tuple[CellOfColumn, object | None]:
        piece = self.token_at(frame, entry)

        def cell(column: str) -> list[Span]:
            if column == "piece":
                return [PiecePainter(frame).piece(piece)]
            if column == BAR.name:
                share = float(frame.expected_counts[entry]) / self._scale
                return [(bar(share, min(self._bar_cells, LONGEST_BAR)), "border")]
            return [(CELLS[column].text(self, frame, entry), "")]

        return cell, ToPretoken(to_bytes(unspelled(frame.record.texts[piece])))


class UnigramVocabularyRows(PieceRows):
    """Rows with more columns, beside panels about the piece at the cursor."""

    WIDEST = 150
    FOLLOWS_RECORDING = True
    COLUMNS = VOCABULARY_COLUMNS
    GRAM_COLUMNS = ALL_GRAM_COLUMNS
    CLICK_LOOKS = True


class PiecesPanel(VocabularyTable):
    """The table on the training screen, without filters."""

    ID: ClassVar[str] = "pieces"
    ROWS: ClassVar[type[PieceRows]] = PieceRows
    # Of the other columns, the smallest values go next.
    LARGEST_FIRST = frozenset({"length", "score", "probability", "expected", "count"})
    TOP, SEARCH, HEADER, LIST = "pieces-top", "pieces-search", "pieces-header", "piece-rows"

    def __init__(self) -> None:
        super().__init__(id=self.ID)
        self.border_title = Content("pieces")

    def describe(self, found: VocabularyRows.Found) -> str:
        shown, of = number(found.shown), number(found.of)
        piece = self.frame.record.PIECE if self.frame is not None else "piece"
        self.border_title = Content(f"{piece}s  {of if shown == of else f'{shown} of {of}'}")
        return "↵ its lattice · c next column · C turn it round"


class UnigramVocabularyPanel(PiecesPanel):
    """The table on the vocabulary screen."""

    ROWS = UnigramVocabularyRows
    SWITCHES = FILTER_SWITCHES


TITLE_CELLS = 24
ROOMY = 70
"""Least width, in cells, for the numbers of a piece on one line."""
NO_HISTORY = "No piece is under the table's cursor."
WORDS_SOUGHT = 100
"""Most words that the search for uses of a piece collects."""


class AboutPiecePanel(PiecePanel):
    """A panel about the piece `number` at the table's cursor."""

    number: reactive[int | None] = reactive(None, repaint=False)

    def watch_number(self) -> None:
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        if self.number is None or frame.index_of(self.number) is None:
            self.say(self.named)
            return sentence("No piece is under the table's cursor.", width)
        return list(self.about(frame, self.number, width - 1))  # a blank before the scrollbar

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        """Yield the rows about a piece of the frame's vocabulary."""
        raise NotImplementedError


class PieceDetailPanel(AboutPiecePanel):
    """The numbers of a piece, the best segmentation without it, the arithmetic of its cost.

    `removals` is None until the costs of all removals at this step are computed.
    """

    ID = "piece"
    FOLLOWS_RECORDING = True

    removals: Drawn[PieceRemovals | None] = Drawn(None)

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        name = shorten(PiecePainter(frame).piece(piece)[0], TITLE_CELLS)
        record = frame.record
        if isinstance(record, TextbookRecord):
            self.say(f"n-gram {name}")
            yield from self._numbers(frame, piece, width)
            yield Row([])
            yield from gram_rows(frame, record, piece, width)
            return
        is_character = piece < record.characters
        self.say(f"piece {name}", "" if is_character else "↵ to its replacement")
        yield from self._numbers(frame, piece, width)
        yield Row([])
        if is_character:
            line = "A single character is never removed, so that every text keeps a segmentation."
            yield from paragraph(line, width)
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
        facts: tuple[str, ...] = (
            f"id {number(int(frame.ids[at]))} · {plural(len(text), 'character')}",
        )
        if not isinstance(frame.record, TextbookRecord):
            facts += (
                f"score {score_text(score)} · P {probability_text(exp(score))}",
                f"expected {expected}",
            )
        for line in (" · ".join(facts),) if width >= ROOMY else facts:
            yield Row(left([(line, "")], width))
        yield Row([(goes, "stale-truth" if goes_at != NEVER else "")])

    def _cost(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        yield Row([("what its removal costs", "strong")])
        if self.removals is None:
            yield Row([("Weighing all pieces …", "dim")])
            return
        cost = self.removals.cost_of(piece, frame.record.corpus.pretokens)
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
    scores = f"{score_text(other.score)} together; the piece {score_text(own)}"
    worse = f"{MINUS if behind >= 0 else '+'}{abs(behind):.2f}"
    yield Row([*left([(scores, "dim")], width - 8), (f"{worse:>8}", "loss" if behind > 0 else "")])


class PieceHistoryPanel(Horizontal):
    """Charts of a piece's expected count and score, up to the step that removes it."""

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)
    number: reactive[int | None] = reactive(None, repaint=False)

    _drawn: object = None
    """The run, its number of steps, and the piece that the charts show."""

    def compose(self) -> ComposeResult:
        for chart in (Chart("expected-chart"), Chart("score-chart")):
            chart.why_empty = NO_HISTORY
            yield chart

    def show_history(self) -> None:
        """Update the charts; draw new ones for another piece or more recorded steps."""
        frame, piece = self.frame, self.number
        if frame is None or not self.is_mounted or not self.display:
            return
        expected = self.query_one("#expected-chart", Chart)
        score = self.query_one("#score-chart", Chart)
        if self._drawn != (drawn := (frame.record, frame.recorded_steps, piece)):
            self._drawn = drawn
            expected.figure = score.figure = None
            if piece is not None:
                history = frame.record.history_of(piece, frame.recorded_steps)
                steps = np.arange(len(history.scores))
                expected.figure = Figure(steps, history.expected_counts, "step", "expected count")
                known = np.isfinite(history.scores)  # an unused n-gram has no score
                if known.any():
                    score.figure = Figure(steps[known], history.scores[known], "step", "score")
        expected.at = score.at = frame.step
        at = None if piece is None else frame.index_of(piece)
        used = "" if at is None else count_text(float(frame.expected_counts[at]))
        scored = "" if at is None else score_text(float(frame.scores[at]))
        expected.border_title, expected.border_subtitle = Content("expected"), Content(used)
        score.border_title, score.border_subtitle = Content("score"), Content(scored)

    on_show = watch_frame = watch_number = show_history


class PieceUsesPanel(AboutPiecePanel):
    """The pretokens whose best segmentation contains the piece, the most frequent first.

    The search runs while the cursors rest, and results appear as they are found.
    """

    def __init__(self) -> None:
        super().__init__("used in", id="uses")
        self._about: tuple[UnigramFrame, int] | None = None
        self._finder: Finder[Occurrence] = Finder(self, WORDS_SOUGHT)

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        about = self._about
        if about is None or about[1] != piece or not about[0].looks_like(frame):
            self._about = frame, piece
            self._finder.look(piece_occurrences(frame, piece))
        found = self._finder.found
        self.say("used in", self._finder.describe_count(frame) if found else "")
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

    ID, TITLE = "piece-lanes", "two lanes"
    WIDEST = 1000

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        lanes = align([(piece, to_bytes(frame.record.texts[piece]))])
        self.say(
            f"two lanes  {plural(len(lanes.characters), 'character')} · "
            f"{plural(len(lanes.data), 'byte')}",
            "▁ (U+2581) stands for a space",
        )
        return iter(lane_rows(lanes, characters_and_bytes(lanes), width))
