"""What the engine tells while it works: the objects that callbacks receive.

`MergeStep` (one merge while training) is in `engine.bpe.record`, where it is made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

Pair = tuple[int, int]
"""Two adjacent token ids, (left, right)."""

BytesPair = tuple[bytes, bytes]
"""The two tokens of a merge, by their bytes."""


@dataclass(frozen=True)
class CountProgress:
    """How far the reading and counting of a corpus is.

    `bytes_read` and `bytes_total` are bytes of the file as it lies on disk (compressed bytes for a
    `.gz`); the total is `None` where nobody can know it, as on standard input. `pretokens` and
    `documents` count what has been counted so far, `distinct` the different pretokens among them.
    """

    bytes_read: int
    bytes_total: int | None
    documents: int
    pretokens: int
    distinct: int


@dataclass(frozen=True)
class TrainProgress:
    """How many merges have been learnt, of how many at the most."""

    merges: int
    merges_wanted: int


@dataclass(frozen=True)
class WorkProgress:
    """How far the work at hand is: what is being done, and `done` parts of `total`."""

    doing: str
    done: int
    total: int


class CountChange(NamedTuple):
    """A pair whose count a merge changed. `before` is 0 for a pair the merge made."""

    pair: Pair
    before: int
    after: int


def largest_first(changes: Iterable[CountChange], own: Pair) -> tuple[CountChange, ...]:
    """The changes of a merge: that of its own pair first, then the largest."""
    return tuple(sorted(changes, key=lambda c: (c.pair != own, -abs(c.after - c.before), c.pair)))


class StaleEntry(NamedTuple):
    """A heap entry that was popped and found out of date: it said `recorded`; true was `actual`."""

    pair: Pair
    recorded: int
    actual: int


@dataclass(frozen=True)
class EncodeStep:
    """One merge while encoding a pretoken.

    The tokens at `position` and `position + 1` of `before` are `pair`; `after` is the sequence
    with those two joined to `token_id`. `rank` is the merge's index in `merges`.
    """

    pretoken: bytes
    position: int
    pair: Pair
    rank: int
    token_id: int
    before: tuple[int, ...]
    after: tuple[int, ...]
