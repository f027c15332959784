"""Events: immutable objects that callbacks receive while the engine works.

Other rooms have their own, as `MergeStep` and `TrainProgress` in `bpe`, `EncodeStep` in `encoding`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, NamedTuple, TypeVar

Pair = tuple[int, int]
"""Two adjacent token ids, (left, right)."""

BytesPair = tuple[bytes, bytes]
"""The two tokens of a merge, by their bytes."""

PAIR_SIGN: Final = "+"
"""The sign between the two tokens of a pair. Borders of tokens and pretokens have other signs."""


class CountProgress(NamedTuple):
    """Progress of reading and counting a corpus.

    Attributes:
        bytes_read: bytes read of the file on disk: compressed bytes for a `.gz`.
        bytes_total: size of the same file; `None` if unknown, as for standard input.
        documents: number of documents begun so far.
        pretokens: number of pretokens counted so far.
        distinct: number of different pretokens among them.
    """

    bytes_read: int
    bytes_total: int | None
    documents: int
    pretokens: int
    distinct: int


class WorkProgress(NamedTuple):
    """Progress of any work: its description, and `done` parts of `total`."""

    doing: str
    done: int
    total: int


WorkResult = TypeVar("WorkResult")
Work = Generator[WorkProgress, None, WorkResult]
"""Work in slices: a generator that yields `WorkProgress` and returns its result at the end.

The caller may stop after each slice. A screen must respond within 50 ms, so it pulls slices only
as long as there is time.
"""


def finished(work: Work[WorkResult]) -> WorkResult:
    """Do all slices of the work now and return its result.

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
