"""`Merge`, `PairStep` and `MergeRecord`: the steps of all trainings that merge pairs.

A training algorithm reports each step as a `Merge`. The record keeps that in columns, an entry for
each step, and makes a `PairStep` of it when one is asked for.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.core.arrays import Integers, Ints, np
from engine.core.events import CountChange, Pair, largest_first
from engine.core.gpt2_bytes import spell
from engine.recording.change_log import ChangeLog
from engine.recording.numbering import NamedPairs, PairNumbers


class PairStep(ABC):
    """One merge during training: a thin view of the record. Facts are computed when asked for.

    BPE takes the most frequent pair, WordPiece the one of the highest score: a subclass says what
    the pair was chosen by. Two steps are equal if every fact about them is, whichever algorithm
    found them.

    Attributes:
        record: what wrote the step down.
        index: its rank; 0 is the first learnt.
    """

    __slots__ = ("index", "record")

    record: MergeRecord[PairStep]
    index: int

    def __init__(self, record: MergeRecord[PairStep], index: int) -> None:
        self.record = record
        self.index = index

    @property
    @abstractmethod
    def count(self) -> int:
        """How often the pair stood side by side before this step."""

    @abstractmethod
    def _shared_top(self) -> Iterable[Pair]:
        """All pairs, in any order, that by the training's measure were as good as this one."""

    @abstractmethod
    def _chosen_by(self) -> dict[str, object]:
        """The pair's measure as plain values."""

    @property
    def pair(self) -> Pair:
        """The ids of the two tokens."""
        return self.record.pair_of(self.index)

    @property
    def left(self) -> bytes:
        """The left token's bytes, as the vocabulary has them."""
        return self.record.token(self.pair[0])

    @property
    def right(self) -> bytes:
        """The right token's bytes, as the vocabulary has them."""
        return self.record.token(self.pair[1])

    @property
    def new_id(self) -> int:
        """The id of the token that it makes."""
        return self.record.new_id(self.index)

    @property
    def token(self) -> bytes:
        """The new token's bytes: `##low` for a piece of WordPiece's inside of a word."""
        return self.record.vocab[self.record.first_id + self.index]

    @property
    def covers(self) -> bytes:
        """The bytes of a pretoken that the new token stands for: `low`."""
        return self.record.covers(self.new_id)

    @property
    def occurrences(self) -> int:
        """How many were replaced; less than `count` where the pair overlapped itself."""
        return self.record.occurrences_of(self.index)

    @property
    def pretokens(self) -> int:
        """In how many distinct pretokens."""
        return self.record.pretokens_of(self.index)

    @property
    def tied(self) -> tuple[Pair, ...]:
        """All pairs that shared the top, this step's own first, the others by their ids."""
        return (self.pair, *sorted(pair for pair in self._shared_top() if pair != self.pair))

    @property
    def changes(self) -> tuple[CountChange, ...]:
        """The pairs whose count this step changed: its own first, then the largest changes."""
        changes = (
            CountChange(self.record.pairs[number], before, after)
            for number, before, after in self.record.counts.differences(self.index)
        )
        return largest_first(changes, self.pair)

    def as_dict(self) -> dict[str, object]:
        """The step as plain values for JSON; tokens in GPT-2's spelling of bytes."""
        return {
            "index": self.index,
            "pair": list(self.pair),
            "left": spell(self.left),
            "right": spell(self.right),
            "token": spell(self.token),
            "new_id": self.new_id,
            **self._chosen_by(),
            "occurrences": self.occurrences,
            "pretokens": self.pretokens,
            "tied": [list(pair) for pair in self.tied],
            "changes": [[list(c.pair), c.before, c.after] for c in self.changes],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash((self.index, self.pair))


StepT = TypeVar("StepT", bound=PairStep, covariant=True)
"""Covariant: a record of BPE's steps is a record of steps that join a pair."""


@dataclass(slots=True)
class Merge:
    """What a training algorithm reports of one step; pairs are given by their numbers.

    Attributes:
        number: the pair that was merged.
        count: how often it stood side by side before.
        changed: the pairs whose count changed, this one among them.
        after: their new counts, in that order; 0 for a pair that is gone.
        occurrences: how often the pair was replaced in the corpus; less than `count` only where it
            overlapped itself, as in `aaa`.
        pretokens: in how many distinct pretokens.
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
        """From pairs in place of numbers; `after` maps each changed pair to its new count."""
        numbers = [pairs.number_or_new(changed) for changed in after]
        number = pairs.number_or_new(pair)
        return cls(number, count, numbers, list(after.values()), occurrences, pretokens)


@dataclass(slots=True)
class MergeBatch:
    """What an algorithm reports of several steps at once: a `Merge` each, in columns.

    Attributes:
        lefts, rights: the ids of the pair that each step merges.
        numbers, counts, occurrences, pretokens: of each step what its `Merge` says.
        changed, after: what changed in all of them, one step after the other.
        changes_ends: where the changes of each step end among those of all steps of the run.
        widths: how many pairs have a number after each step.
    """

    lefts: array[int]
    rights: array[int]
    numbers: array[int]
    counts: array[int]
    occurrences: array[int]
    pretokens: array[int]
    changed: array[int]
    after: array[int]
    changes_ends: array[int]
    widths: array[int]


class MergeRecord(ABC, Generic[StepT]):
    """The steps of one run, to be appended to by one thread and read by any.

    A subclass fills the columns in its `append`, `_pretokens` last: its length is how many steps
    there are, for other threads too.

    Attributes:
        vocab: place → bytes, shared with the algorithm, which adds a token each step.
        first_id: how many tokens there are before the first merge.
        pairs: number → pair, in the order in which they first appeared; shared likewise.
        counts: the count of each pair, by its number.
    """

    vocab: list[bytes]
    first_id: int
    pairs: PairNumbers | NamedPairs
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

    def id_of(self, place: int) -> int:
        """The id of the token at a place of `vocab`."""
        return place

    def number_of(self, pair: Pair) -> int | None:
        """The pair's number; `None` for a pair that never stood side by side."""
        return self.pairs.number_of(pair)

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
