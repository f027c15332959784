"""Which pieces are there, how probable is each, and what would its removal cost?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import exp
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.unigram.narration import cost_text, count_text, percent, score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, Slices, step_name
from bpe_tui.views.targets import ToPretoken
from bpe_tui.views.vocabulary_table import VocabularyRows, VocabularyTable
from bpe_tui.widgets.key_bar import Switch
from bpe_tui.widgets.numbers import LEAST, MOST, bar, number, scale_of
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.virtual_table import Column
from engine.analysis.unigram_inspection import PIECE_FILTERS
from engine.core.arrays import Floats, Ints
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import unspelled
from engine.unigram.problem import Removals
from engine.unigram.record import NEVER

BAR = Column("bar", "", LEAST, 4, share=1, sorts=False)
"""How often a piece is expected, beside the number."""
PIECE_COLUMNS = (
    Column("piece", "piece", 10, 10, share=1),
    Column("score", "score", 7, 9, is_number=True),
    Column("probability", "P", 9, 3, is_number=True),
    Column("expected", "expected", 9, 9, is_number=True),
    replace(BAR, importance=8),
    Column("loss", "costs", 9, 7, is_number=True),
)
"""What the training screen has room for."""
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
"""What the vocabulary screen has room for."""
SMALLEST_FIRST = frozenset({"piece", "loss", "id", "goes"})
"""Columns of which the first or the smallest are the interesting ones: these go next."""
FILTER_SWITCHES = (
    Switch("characters", "p", "characters"),
    Switch("seldom", "u", "seldom"),
    Switch("leaving", "d", "go next"),
    Switch("twins", "w", "twins"),
)
UNKNOWN_YET = "…"
STAYS = "stays"


class Weighed(Protocol):
    """Where the columns find what removals would cost, as far as that is known."""

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
    return ("+" if increase > 0 else "") + cost_text(increase)


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
"""Each column; the piece itself is drawn in its colour instead."""


class PieceRows(VocabularyRows[UnigramFrame]):
    """The rows of the pieces. An entry is an index into the arrays of the frame.

    What a removal would cost is computed when the cursor of the timeline rests, and remembered.
    """

    WIDEST = 120
    TOKEN = "piece"
    COLUMNS: ClassVar[tuple[Column, ...]] = PIECE_COLUMNS
    CLICK_LOOKS = False

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("piece-rows", sorting="score", descending=True)
        self._sought = ""
        self._bar_cells, self._scale = 0, 1.0
        self._removals: dict[int, Removals] = {}
        self._weighing: int | None = None
        self._slices = Slices(self, self._sliced)

    # -- which rows, in which order

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        if old is None or new is None or old.record is not new.record:
            self._removals.clear()
            self._weighing = self._chosen = None
        super().watch_frame(old, new)

    def rebuild(self) -> None:
        frame = self.frame
        if frame is None or not self.is_seen:
            self._order = self._order[:0]  # when they are seen again, there may be fewer
            return
        self.fit_columns()
        self._bar_cells = next((p.cells for p in self.places if p.column.name == BAR.name), 0)
        self._scale = scale_of(float(frame.expected_counts.max(initial=0)))
        self._order = self._ordered(frame)
        self.show_order(self.Found(len(self._order), frame.size))
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

    def read_search(self, typed: str) -> None:
        """Take over a text that pieces have to hold; a blank stands for ▁."""
        self._sought = typed.replace(" ", "▁")

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

    def cells(self, frame: UnigramFrame, entry: int) -> Callable[[str], list[Span]]:
        def cell(column: str) -> list[Span]:
            if column == "piece":
                return [PiecePainter(frame).piece(self.token_at(frame, entry))]
            if column == BAR.name:
                share = float(frame.expected_counts[entry]) / self._scale
                return [(bar(share, min(self._bar_cells, MOST)), "border")]
            return [(CELLS[column].text(self, frame, entry), "")]

        return cell

    def target_of(self, frame: UnigramFrame, entry: int) -> object | None:
        text = frame.record.texts[self.token_at(frame, entry)]
        return ToPretoken(to_bytes(unspelled(text)))


class LookedAtRows(PieceRows):
    """Rows with more columns, beside which the piece under the cursor is explained."""

    WIDEST = 150
    FOLLOWS_RECORDING = True
    COLUMNS = VOCABULARY_COLUMNS
    CLICK_LOOKS = True


class PiecesPanel(VocabularyTable):
    """The table on the training screen, without filters."""

    ID: ClassVar[str] = "pieces"
    ROWS: ClassVar[type[PieceRows]] = PieceRows
    TOP, SEARCH, HEADER = "pieces-top", "pieces-search", "pieces-header"

    def __init__(self) -> None:
        super().__init__(id=self.ID)
        self.border_title = Content("pieces")

    def is_descending(self, column: str) -> bool:
        return column not in SMALLEST_FIRST

    def describe(self, found: VocabularyRows.Found) -> None:
        shown, of = number(found.shown), number(found.of)
        self.border_title = Content(f"pieces  {of if shown == of else f'{shown} of {of}'}")
        self.say_foot("↵ its lattice · c next column · C turn it round")


class VocabularyOfPieces(PiecesPanel):
    """The table on the vocabulary screen."""

    ROWS = LookedAtRows
    SWITCHES = FILTER_SWITCHES
