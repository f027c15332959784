"""The filters of the vocabulary: each keeps the pieces of which one thing is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.core.registry import Registry, registry_of
from engine.unigram.frame import UnigramFrame
from engine.unigram.lattices import Flags

SELDOM = 1.0
"""A piece that the corpus is expected to use less often than this is not used on average."""


@dataclass(frozen=True)
class PieceFilter:
    """`keeps` says of each piece of a frame whether it stays."""

    name: str
    summary: str
    keeps: Callable[[UnigramFrame], Flags]


def _seldom(frame: UnigramFrame) -> Flags:
    return np.less(frame.expected_counts, SELDOM)


def _characters(frame: UnigramFrame) -> Flags:
    return np.less(frame.numbers, frame.record.characters)


def _leaving(frame: UnigramFrame) -> Flags:
    return np.equal(frame.goes_at, frame.step + 1)


def _twins(frame: UnigramFrame) -> Flags:
    found: Flags = frame.record.columns.have_twins(frame.record.alive_at(frame.step))[frame.numbers]
    return found


PIECE_FILTERS: Registry[PieceFilter] = registry_of(
    "filter",
    PieceFilter("seldom", "expected to be used less than once", _seldom),
    PieceFilter("characters", "single characters, which are never removed", _characters),
    PieceFilter("leaving", "the next step removes it", _leaving),
    PieceFilter("twins", "differs from another only by case or a leading ▁", _twins),
)
