"""Events: the objects that callbacks receive while the engine works.

They are immutable. `MergeStep` (one merge while training) is where it is made: `engine.bpe.record`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

Pair = tuple[int, int]
"""Two adjacent token ids, (left, right)."""

BytesPair = tuple[bytes, bytes]
"""The two tokens of a merge, by their bytes."""


@dataclass(frozen=True)
class CountProgress:
    """How far the reading and counting of a corpus is.

    Attributes:
        bytes_read: of the file as it lies on disk: compressed bytes for a `.gz`.
        bytes_total: of the same file; `None` where nobody can know it, as on standard input.
        documents: that have begun so far.
        pretokens: that have been counted so far.
        distinct: how many different ones are among them.
    """

    bytes_read: int
    bytes_total: int | None
    documents: int
    pretokens: int
    distinct: int


@dataclass(frozen=True)
class TrainProgress:
    """How far a training is.

    Attributes:
        merges: that have been learnt.
        merges_wanted: how many it will be, unless no pair is left before.
    """

    merges: int
    merges_wanted: int


@dataclass(frozen=True)
class WorkProgress:
    """How far the work at hand is: what is being done, and `done` parts of `total`."""

    doing: str
    done: int
    total: int


class CountChange(NamedTuple):
    """A pair whose count a merge changed.

    Attributes:
        pair: the ids of its two tokens.
        before, after: its counts; `before` is 0 for a pair that the merge made.
    """

    pair: tuple[int, int]
    before: int
    after: int


def largest_first(changes: Iterable[CountChange], own: Pair) -> tuple[CountChange, ...]:
    """The changes of a merge: that of its own pair first, then the largest."""
    return tuple(sorted(changes, key=lambda c: (c.pair != own, -abs(c.after - c.before), c.pair)))


class StaleEntry(NamedTuple):
    """A heap entry that was popped and found out of date.

    Attributes:
        pair: the ids of its two tokens.
        recorded: the count that the entry said.
        actual: the count that the pair had by then.
    """

    pair: Pair
    recorded: int
    actual: int


@dataclass(frozen=True)
class EncodeStep:
    """One merge while encoding a pretoken.

    Attributes:
        pretoken: its bytes.
        position: where the merged tokens stand: at `before[position]` and behind it.
        pair: the ids of these two.
        rank: the index of the merge in `merges`.
        token_id: what they become.
        before, after: all ids of the pretoken.
    """

    pretoken: bytes
    position: int
    pair: Pair
    rank: int
    token_id: int
    before: tuple[int, ...]
    after: tuple[int, ...]


WorkResult = TypeVar("WorkResult")
Work = Generator[WorkProgress, None, WorkResult]
"""Work in slices: whoever pulls can stop after every `WorkProgress`; the result is returned.

A screen must get a turn at least every 50 ms, so it pulls as long as there is time.
"""


def finished(work: Work[WorkResult]) -> WorkResult:
    """The result of the work, all slices of it done now.

    >>> def count_to(number):
    ...     for done in range(number):
    ...         yield WorkProgress("counting", done, number)
    ...     return number
    >>> finished(count_to(3))
    3
    """
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: WorkResult = stop.value
            return result
