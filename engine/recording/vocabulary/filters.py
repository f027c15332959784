"""The filters: each keeps the tokens of which one odd thing is true."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Bools
from engine.core.registry import Registry

if TYPE_CHECKING:
    from engine.recording.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class Filter:
    """`keeps` says of each token of a vocabulary, by row, whether it stays."""

    name: str
    summary: str
    keeps: Callable[[Vocabulary], Bools]


def _partial(vocabulary: Vocabulary) -> Bools:
    return ~vocabulary.table.is_text[: len(vocabulary)]


def _unused(vocabulary: Vocabulary) -> Bools:
    if vocabulary.counts is None:
        return np.zeros(len(vocabulary), dtype=np.bool_)
    return np.equal(vocabulary.counts, 0)


def _unreachable(vocabulary: Vocabulary) -> Bools:
    return ~vocabulary.table.is_reachable[: len(vocabulary)]


def _twins(vocabulary: Vocabulary) -> Bools:
    return vocabulary.table.least_twins[: len(vocabulary)] < len(vocabulary)


FILTERS: Registry[Filter] = Registry(
    "filter",
    {
        entry.name: entry
        for entry in (
            Filter("partial", "not valid UTF-8 by itself", _partial),
            Filter("unused", "never used in the corpus now", _unused),
            Filter("unreachable", "encoding its own bytes gives something else", _unreachable),
            Filter("twins", "differs from another only by case or a leading space", _twins),
        )
    },
)
