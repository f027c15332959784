"""The columns of the tables of pieces: what each sorts by, and what stands in its cells."""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import NamedTuple, Protocol

import numpy as np

from bpe_tui.unigram.numbers import count_text, percent, score_text
from bpe_tui.unigram.panels.piece_panel import step_name
from bpe_tui.widgets.virtual_table import Column
from bpe_tui.widgets.visible import number
from engine.core.arrays import Floats, Ints
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import NEVER

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
