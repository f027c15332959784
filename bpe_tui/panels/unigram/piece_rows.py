"""Which pieces are there, how probable is each, and what would its removal cost?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp

import numpy as np
from textual.message import Message

from bpe_tui.columns import left, right
from bpe_tui.panels.panel import FramePanel
from bpe_tui.panels.targets import ToPretoken
from bpe_tui.panels.unigram.piece_panel import (
    PiecePainter,
    PiecePanel,
    count_text,
    percent,
    score_text,
)
from bpe_tui.panels.unigram.slices import Slices
from bpe_tui.widgets.lines import Row, Span
from bpe_tui.widgets.virtual_table import GAP, Column, Place, arranged
from engine.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattices import Floats, Ints
from engine.unigram.metaspace import unspelled
from engine.unigram.removals import Removals

PIECE_COLUMNS = (
    Column("piece", "piece", 10, 10, share=1),
    Column("score", "score", 7, 9, is_number=True),
    Column("probability", "P", 9, 6, is_number=True),
    Column("expected", "expected", 9, 8, is_number=True),
    Column("loss", "loss if gone", 12, 7, is_number=True),
)
SMALLEST_FIRST = frozenset({"piece", "loss"})
"""Columns of which the first or the smallest are the interesting ones: these go next."""
UNKNOWN_YET = "…"


class PieceRows(PiecePanel):
    """The pieces that the search leaves, in the order of a column.

    What a removal would cost is computed when the cursor of the timeline rests, and remembered.
    """

    WIDEST = 120

    class Found(Message):
        """The rows have changed."""

        def __init__(self, shown: int, of: int) -> None:
            super().__init__()
            self.shown, self.of = shown, of

    def __init__(self) -> None:
        super().__init__("", id="piece-rows")
        self.sorting, self.descending = "score", True
        self.places: list[Place] = []
        self._sought = ""
        self._order: Ints = np.zeros(0, dtype=np.int64)
        self._removals: dict[int, Removals] = {}
        self._slices = Slices(self, self._sliced)
        self._ranks: Ints | None = None

    # -- which rows, in which order

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        if old is None or new is None or old.record is not new.record:
            self._removals.clear()
            self._ranks = None
        super().watch_frame(old, new)

    def rebuild(self) -> None:
        frame = self.frame
        if frame is None or not self.display or not self.size.width:
            return
        self.places = arranged(PIECE_COLUMNS, self.room - 1)  # a blank before the scrollbar
        self._order = self._ordered(frame)
        super(FramePanel, self).rebuild()
        self.post_message(self.Found(len(self._order), frame.size))
        if self._shows_losses and frame.step not in self._removals:
            self._slices.start(self._removing(frame))

    @property
    def _shows_losses(self) -> bool:
        return any(place.column.name == "loss" for place in self.places)

    def _ordered(self, frame: UnigramFrame) -> Ints:
        """Indexes into the arrays of the frame."""
        key = KEYS[self.sorting](self, frame)
        order = np.argsort(-key if self.descending else key, kind="stable")
        if not self._sought:
            return order
        texts = frame.texts
        found = [index for index in order.tolist() if self._sought in texts[index]]
        return np.array(found, dtype=np.int64)

    def search(self, typed: str) -> None:
        """Leave only pieces that hold a text; a blank stands for ▁."""
        self._sought = typed.replace(" ", "▁")
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def show_piece(self, number: int) -> bool:
        """Put the cursor on a piece; `False` if it is not among the rows."""
        index = self.frame.index_of(number) if self.frame is not None else None
        rows = [] if index is None else np.flatnonzero(self._order == index).tolist()
        if rows:
            self.cursor = rows[0]
            self.scroll_to_row(self.cursor)
        return bool(rows)

    # -- what a removal costs

    def _removing(self, frame: UnigramFrame) -> Iterator[object]:
        self._removals[frame.step] = yield from frame.removals()

    def _sliced(self, is_last: bool) -> None:
        if is_last:
            self.rebuild()

    def losses(self, frame: UnigramFrame) -> Floats:
        """By how much the loss would grow without each piece; not a number while not known."""
        known = self._removals.get(frame.step)
        if known is None:
            return np.full(frame.size, np.nan)
        losses: Floats = known.loss_increases[frame.numbers]
        return losses

    def text_ranks(self, frame: UnigramFrame) -> Ints:
        """The alphabetical place of each piece."""
        if self._ranks is None:
            texts = frame.record.texts
            self._ranks = np.empty(len(texts), dtype=np.int64)
            self._ranks[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
        ranks: Ints = self._ranks[frame.numbers]
        return ranks

    # -- painting

    @property
    def row_count(self) -> int:
        return max(len(self._order), 1)

    def row(self, index: int) -> Row:
        frame = self.frame
        assert frame is not None
        if not len(self._order):
            return Row([("No piece is left: change the search.", "dim")])
        at = int(self._order[index])
        text = frame.texts[at]
        spans: list[Span] = []
        for place in self.places:
            if place.column.name == "piece":
                cell = [PiecePainter(frame).piece(int(frame.numbers[at]))]
                spans += left(cell, place.cells)
            else:
                spans.append(right(self._number(frame, place.column.name, at), place.cells))
            spans.append((" " * GAP, ""))
        return Row(spans, ToPretoken(to_bytes(unspelled(text))))

    def _number(self, frame: UnigramFrame, column: str, at: int) -> str:
        score = float(frame.scores[at])
        if column == "score":
            return score_text(score)
        if column == "probability":
            return percent(exp(score))
        if column == "expected":
            return count_text(float(frame.expected_counts[at]))
        return loss_text(float(self.losses(frame)[at]))


def loss_text(increase: float) -> str:
    """A loss increase in nats a pretoken; a character is never removed."""
    if np.isnan(increase):
        return UNKNOWN_YET
    if np.isinf(increase):
        return "stays"
    return ("+" if increase >= 0 else "") + score_text(increase, 6)


KEYS: dict[str, Callable[[PieceRows, UnigramFrame], Floats | Ints]] = {
    "piece": lambda rows, frame: rows.text_ranks(frame),
    "score": lambda rows, frame: frame.scores,
    "probability": lambda rows, frame: frame.scores,
    "expected": lambda rows, frame: frame.expected_counts,
    "loss": lambda rows, frame: rows.losses(frame),
}
"""What each column sorts by."""
