"""The columns that a vocabulary can be sorted by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.core.arrays import Ints
from engine.core.registry import Registry

if TYPE_CHECKING:
    from engine.recording.vocabulary.vocabulary import Vocabulary

SortKey = Callable[["Vocabulary"], Ints]
"""A number for each token, by row; the least comes first, a negative one means nothing."""


def _ids(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.ids[: len(vocabulary)]


def _bytes(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.byte_order[: len(vocabulary)]


def _text(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.reading_order[: len(vocabulary)]


def _length(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.lengths[: len(vocabulary)]


def _rank(vocabulary: Vocabulary) -> Ints:
    return vocabulary.ranks


def _count(vocabulary: Vocabulary) -> Ints:
    return _ids(vocabulary) * 0 if vocabulary.counts is None else vocabulary.counts


def _parents(vocabulary: Vocabulary) -> Ints:
    left, right = vocabulary.parents
    return left * len(vocabulary.table) + right


def _children(vocabulary: Vocabulary) -> Ints:
    return vocabulary.children


COLUMNS: Registry[SortKey] = Registry(
    "column",
    {
        "id": _ids,
        "bytes": _bytes,
        "text": _text,
        "length": _length,
        "rank": _rank,
        "count": _count,
        "parents": _parents,
        "children": _children,
    },
)
