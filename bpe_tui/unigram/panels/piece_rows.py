"""Which pieces are there, how probable is each, and what would its removal cost?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import exp
from typing import NamedTuple, Protocol

import numpy as np
from textual import events
from textual.message import Message

from bpe_tui.unigram.narration import count_text, percent, score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel, Slices, step_name
from bpe_tui.views.panel import FramePanel, ToPretoken
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, Span, left, right
from bpe_tui.widgets.virtual_table import GAP, Column, Place, arranged
from engine.core.arrays import Floats, Ints
from engine.text.pretokenize import to_bytes
from engine.unigram.filters import PIECE_FILTERS
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import unspelled
from engine.unigram.record import NEVER
from engine.unigram.removals import Removals

# The columns of the tables of pieces: what each sorts by, and what stands in its cells.

PIECE_COLUMNS = (
    Column("piece", "piece", 10, 10, share=1),
    Column("score", "score", 7, 9, is_number=True),
    Column("probability", "P", 9, 6, is_number=True),
    Column("expected", "expected", 9, 8, is_number=True),
    Column("loss", "loss if gone", 12, 7, is_number=True),
)
"""What the training screen has room for."""
VOCABULARY_COLUMNS = (
    Column("id", "id", 6, 5, is_number=True),
    Column("piece", "piece", 10, 10, share=1),
    Column("length", "len", 4, 2, is_number=True),
    Column("score", "score", 7, 9, is_number=True),
    Column("probability", "P", 9, 1, is_number=True),
    Column("expected", "expected", 9, 8, is_number=True),
    Column("loss", "loss if gone", 12, 7, is_number=True),
    Column("goes", "goes at step", 12, 6, is_number=True),
)
"""What the vocabulary screen has room for."""
SMALLEST_FIRST = frozenset({"piece", "loss", "id", "goes"})
"""Columns of which the first or the smallest are the interesting ones: these go next."""
UNKNOWN_YET = "…"
STAYS = "stays"


class Weighed(Protocol):
    """What the columns are made of: a frame, and what removals would cost, as far as known."""

    def losses(self, frame: UnigramFrame) -> Floats: ...


class Cells(NamedTuple):
    """A column: what it sorts by, and its text at an index of the frame's arrays."""

    key: Callable[[Weighed, UnigramFrame], Floats | Ints]
    text: Callable[[Weighed, UnigramFrame, int], str]


def loss_text(increase: float) -> str:
    """A loss increase in nats a pretoken; a character is never removed.

    It is nothing where no best segmentation uses the piece.
    """
    if not increase:
        return "unused"
    if np.isnan(increase):
        return UNKNOWN_YET
    if np.isinf(increase):
        return STAYS
    return ("+" if increase >= 0 else "") + score_text(increase, 6)


def goes_text(frame: UnigramFrame, goes_at: int) -> str:
    """The step that removes a piece: `3, prune`; `stays` if none recorded does."""
    return STAYS if goes_at == NEVER else f"{number(goes_at)}, {step_name(frame, goes_at)}"


CELLS: dict[str, Cells] = {
    "id": Cells(
        lambda rows, frame: frame.ids,
        lambda rows, frame, at: number(int(frame.ids[at])),
    ),
    "length": Cells(
        lambda rows, frame: frame.record.columns.lengths[frame.numbers],
        lambda rows, frame, at: number(len(frame.record.texts[int(frame.numbers[at])])),
    ),
    "score": Cells(
        lambda rows, frame: frame.scores,
        lambda rows, frame, at: score_text(float(frame.scores[at])),
    ),
    "probability": Cells(
        lambda rows, frame: frame.scores,
        lambda rows, frame, at: percent(exp(float(frame.scores[at]))),
    ),
    "expected": Cells(
        lambda rows, frame: frame.expected_counts,
        lambda rows, frame, at: count_text(float(frame.expected_counts[at])),
    ),
    "loss": Cells(
        lambda rows, frame: rows.losses(frame),
        lambda rows, frame, at: loss_text(float(rows.losses(frame)[at])),
    ),
    "goes": Cells(
        lambda rows, frame: frame.goes_at,
        lambda rows, frame, at: goes_text(frame, int(frame.goes_at[at])),
    ),
    "piece": Cells(
        lambda rows, frame: frame.record.columns.alphabetical[frame.numbers],
        lambda rows, frame, at: frame.record.texts[int(frame.numbers[at])],
    ),
}
"""Each column; a piece itself is drawn, not told."""


class PieceRows(PiecePanel):
    """The pieces that the search and the filters leave, in the order of a column.

    What a removal would cost is computed when the cursor of the timeline rests, and remembered.
    When the rows change, the cursor keeps to the piece that the reader chose.
    """

    WIDEST = 120

    class Found(Message):
        """The rows have changed."""

        def __init__(self, shown: int, of: int) -> None:
            super().__init__()
            self.shown, self.of = shown, of

    class Pointed(Message):
        """The cursor is on this piece now; `None` if there is none."""

        def __init__(self, number: int | None) -> None:
            super().__init__()
            self.number = number

    def __init__(self, columns: Sequence[Column]) -> None:
        super().__init__("", id="piece-rows")
        self.sorting, self.descending = "score", True
        self.filters: frozenset[str] = frozenset()
        self.places: list[Place] = []
        self._columns = columns
        self._sought = ""
        self._order: Ints = np.zeros(0, dtype=np.int64)
        self._removals: dict[int, Removals] = {}
        self._weighing: int | None = None
        self._slices = Slices(self, self._sliced)
        self._chosen: int | None = None

    # -- which rows, in which order

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        if old is None or new is None or old.record is not new.record:
            self._removals.clear()
            self._weighing = self._chosen = None
        super().watch_frame(old, new)

    def rebuild(self) -> None:
        frame = self.frame
        if frame is None or not self.display or not self.size.width:
            self._order = self._order[:0]  # when they are seen again, there may be fewer
            return
        self.places = arranged(self._columns, self.room - 1)  # a blank before the scrollbar
        self._order = self._ordered(frame)
        super(FramePanel, self).rebuild()
        self.show_piece(self._chosen)
        self._tell()
        self.post_message(self.Found(len(self._order), frame.size))
        if frame.step not in self._removals and frame.step != self._weighing:
            self._weighing = frame.step
            self._slices.start(self._removing(frame))

    def _ordered(self, frame: UnigramFrame) -> Ints:
        """Indexes into the arrays of the frame."""
        key = CELLS[self.sorting].key(self, frame)
        order = np.argsort(-key if self.descending else key, kind="stable")
        for name in self.filters:
            order = order[PIECE_FILTERS[name].keeps(frame)[order]]
        if not self._sought:
            return order
        texts = frame.texts
        found = [index for index in order.tolist() if self._sought in texts[index]]
        return np.array(found, dtype=np.int64)

    def search(self, typed: str) -> None:
        """Leave only pieces that hold a text; a blank stands for ▁."""
        self._sought = typed.replace(" ", "▁")
        self._chosen = None
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    # -- the cursor

    @property
    def number(self) -> int | None:
        """The piece that the cursor is on."""
        if self.frame is None or self.cursor >= len(self._order):
            return None
        return int(self.frame.numbers[self._order[self.cursor]])

    def show_piece(self, number: int | None) -> bool:
        """Put the cursor on a piece; `False` if it is not among the rows."""
        if number is None or self.frame is None:
            return False
        index = self.frame.index_of(number)
        rows = [] if index is None else np.flatnonzero(self._order == index).tolist()
        if rows:
            self._chosen = number
            self.cursor = rows[0]
            self.scroll_to_row(self.cursor)
        return bool(rows)

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._tell()

    def _choose(self, index: int) -> None:
        self._chosen = self.number
        super()._choose(index)

    def _tell(self) -> None:
        # Whatever had the rows changed, they are the sender: a message from a widget that holds
        # its sender would not rise above that widget.
        self.post_message(self.Pointed(self.number).set_sender(self))

    def action_move(self, by: int) -> None:
        super().action_move(by)
        self._chosen = self.number

    # -- what a removal costs

    def _removing(self, frame: UnigramFrame) -> Iterator[object]:
        self._removals[frame.step] = yield from frame.removals()

    def _sliced(self, is_last: bool) -> None:
        if is_last:
            self.rebuild()

    @property
    def removals(self) -> Removals | None:
        """What removals would cost at this step, once that is known."""
        return None if self.frame is None else self._removals.get(self.frame.step)

    def losses(self, frame: UnigramFrame) -> Floats:
        """By how much the loss would grow without each piece; not a number while not known."""
        known = self._removals.get(frame.step)
        if known is None:
            return np.full(frame.size, np.nan)
        losses: Floats = known.loss_increases[frame.numbers]
        return losses

    # -- painting

    @property
    def row_count(self) -> int:
        return max(len(self._order), 1)

    def row(self, index: int) -> Row:
        frame = self.frame
        assert frame is not None
        if not len(self._order):
            return Row([("No piece is left: change the search or the filters.", "dim")])
        at = int(self._order[index])
        number = int(frame.numbers[at])
        spans: list[Span] = []
        for place in self.places:
            if place.column.name == "piece":
                spans += left([PiecePainter(frame).piece(number)], place.cells)
            else:
                text = CELLS[place.column.name].text(self, frame, at)
                spans.append(right(text, place.cells))
            spans.append((" " * GAP, ""))
        return Row(spans, ToPretoken(to_bytes(unspelled(frame.record.texts[number]))))


class LookedAtRows(PieceRows):
    """Rows beside which the piece under the cursor is told about."""

    WIDEST = 150
    FOLLOWS_RECORDING = True

    def on_click(self, event: events.Click) -> None:
        """The first click on a row looks at its piece, the next one opens its lattice."""
        event.prevent_default()
        offset = event.get_content_offset(self)
        index = -1 if offset is None else offset.y + self.scroll_offset.y
        if index == self.cursor:
            self.action_choose()
        elif 0 <= index < self.row_count:
            self.cursor = index
            self._chosen = self.number
