"""`MergeRecord`: what the records of all trainings share that merge pairs.

A training algorithm reports each step as a `Merge`. The record keeps that in columns, an entry for
each step, and makes a step of it when one is asked for. The columns here a subclass fills, in its
`append`, with `_pretokens` last: its length is how many steps there are, for other threads too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from engine.core.arrays import Integers, Ints
from engine.core.events import Pair
from engine.recording.change_log import ChangeLog
from engine.recording.pair_numbers import PairNumbers
from engine.recording.pair_step import PairStep

StepT = TypeVar("StepT", bound=PairStep, covariant=True)
"""Covariant: a record of BPE's steps is a record of steps that join a pair."""


@dataclass(slots=True)
class Merge:
    """What a training algorithm reports of one step; pairs are told by their numbers.

    `changed` are the pairs whose count changed, `after` their new counts (0: gone).
    `occurrences` is how many times the pair was replaced, weighted by the pretokens' counts; it is
    less than `count` only where the pair overlapped itself, as in `aaa`. `pretokens` is in how many
    distinct pretokens.
    """

    number: int
    count: int
    changed: Sequence[int] | Integers
    after: Sequence[int] | Integers
    occurrences: int
    pretokens: int

    @classmethod
    def of(
        cls,
        pairs: PairNumbers,
        pair: Pair,
        count: int,
        after: Mapping[Pair, int],
        occurrences: int,
        pretokens: int,
    ) -> Merge:
        """The report of a step told by pairs: `after` maps each changed one to its new count."""
        numbers = [pairs.number_or_new(changed) for changed in after]
        number = pairs.number_or_new(pair)
        return cls(number, count, numbers, list(after.values()), occurrences, pretokens)


class MergeRecord(ABC, Generic[StepT]):
    """The steps of one run, to be appended to by one thread and read by any.

    Attributes:
        vocab: place → bytes, shared with the algorithm, which adds a token each step.
        first_id: how many tokens there are before the first merge.
        pairs: number → pair, in the order in which they first appeared; shared likewise.
        counts: the count of each pair, by its number.
    """

    vocab: list[bytes]
    first_id: int
    pairs: Sequence[Pair]
    counts: ChangeLog

    def __init__(self) -> None:
        self._merged = array("q")
        self._occurrences = array("q")
        self._removed = array("q", (0,))  # step → tokens that merging has removed by then
        self._pretokens = array("q")

    @abstractmethod
    def _step(self, index: int) -> StepT:
        """A step that has been written down."""

    @abstractmethod
    def token(self, token_id: int) -> bytes:
        """The bytes of any token of the run."""

    @abstractmethod
    def covers(self, token_id: int) -> bytes:
        """The bytes of a pretoken that the token stands for."""

    @abstractmethod
    def new_id(self, index: int) -> int:
        """The id of the token that step `index` made."""

    @abstractmethod
    def rank_of(self, token_id: int) -> int:
        """The step that made a token; negative for one that was there before the first."""

    def __len__(self) -> int:
        return len(self._pretokens)

    def __getitem__(self, index: int) -> StepT:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._step(index)

    def pair_of(self, index: int) -> Pair:
        """The pair that step `index` merged."""
        return self.pairs[self._merged[index]]

    def occurrences_of(self, index: int) -> int:
        return self._occurrences[index]

    def pretokens_of(self, index: int) -> int:
        return self._pretokens[index]

    def removed_by(self, step: int) -> int:
        """How many tokens fewer the corpus has after the first `step` merges."""
        return self._removed[step]

    def removed_until(self, steps: int) -> Ints:
        """`removed_by` of steps 0 … `steps`, at once."""
        return copied(self._removed, steps + 1)


def copied(column: array[int], length: int) -> Ints:
    """The beginning of a column; a view of it would keep the column from growing."""
    return np.frombuffer(column[:length], dtype=np.int64)
