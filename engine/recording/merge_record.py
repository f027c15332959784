"""The record of a training that merges pairs: pair numbers, token ids, reported merges, steps.

A training algorithm reports each step as a `MergeReport`. The `MergeRecord` keeps the reports in
columns, an entry for each step, and makes a `PairStep` when a step is asked for.

A token has a *place*, in the order of making, and an *id*. In a run of ours they are equal. A
tokenizer from elsewhere may number otherwise (GPT-2 orders the bytes its own way, tiktoken puts
special tokens last), and a replay of its merges shows its ids. So a record is kept in places and
answers in ids; `RunIds` and `GivenIds` turn one into the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from engine.core.arrays import Integers, Ints, np
from engine.core.events import CountChange, Pair, largest_first
from engine.core.gpt2_bytes import spell
from engine.recording.change_log import ChangeLog

STRIDE = 2**32 - 5
"""key = left · STRIDE + right. Above any id; odd, so that keys with the same right token do not
share their low bits, by which a dict places them."""


def key_of(pair: Pair) -> int:
    """The pair as one integer."""
    return pair[0] * STRIDE + pair[1]


class PairNumbers(Sequence[Pair]):
    """Pairs numbered in the order in which they first appear.

    Counts, logs and queues are arrays over these numbers; a pair itself is needed only to be shown
    or to be found. It is found by its *key*, one integer for two token ids, because many keys can
    be made at once from arrays and hash faster than tuples. One thread may add, any may read.

    >>> pairs = PairNumbers([(7, 8)])
    >>> pairs.number_or_new((7, 9)), pairs.number_or_new((7, 8)), list(pairs)
    (1, 0, [(7, 8), (7, 9)])
    """

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        self._keys: MutableSequence[int] = []
        self.number_of_key: dict[int, int] = {}
        self.add_new([key_of(pair) for pair in pairs])

    def __len__(self) -> int:
        return len(self._keys)

    def __getitem__(self, number: int) -> Pair:  # type: ignore[override]
        return divmod(self._keys[number], STRIDE)

    def __iter__(self) -> Iterator[Pair]:
        return (divmod(key, STRIDE) for key in self._keys)

    def number_of(self, pair: Pair) -> int | None:
        """The pair's number; `None` for a pair that never stood side by side."""
        return self.number_of_key.get(key_of(pair))

    def number_or_new(self, pair: Pair) -> int:
        """The pair's number; the next free one if it has none yet."""
        key = key_of(pair)
        number = self.number_of_key.get(key)
        if number is None:
            number = len(self._keys)
            self.add_new([key])
        return number

    def numbers_with(self, token_id: int) -> Ints:
        """The numbers of the pairs that have a token on either side, in their order.

        >>> PairNumbers([(7, 8), (9, 9), (8, 7)]).numbers_with(7).tolist()
        [0, 2]
        """
        keys = np.array(self._keys[:], dtype=np.int64)
        return np.flatnonzero((keys // STRIDE == token_id) | (keys % STRIDE == token_id))

    def add_new(self, keys: Sequence[int]) -> range:
        """Number pairs that have no number yet, given by their keys; their numbers."""
        first = len(self._keys)
        # A pair can be read before it can be found, for whoever reads meanwhile.
        self._keys.extend(keys)
        for number, key in enumerate(keys, first):
            self.number_of_key[key] = number
        return range(first, first + len(keys))


class TokensById(Protocol):
    """id → bytes: a list where ids leave no gap, else a mapping."""

    def __getitem__(self, token_id: int, /) -> bytes: ...


class RunIds:
    """The ids of a run of ours, which are the places.

    Args:
        tokens: the run's vocab before any merge, the special tokens at its end; it grows.
        special_tokens: those, in their order.

    Attributes:
        tokens: id → bytes.
        special_ids: special token → id.
    """

    def __init__(self, tokens: Sequence[bytes], special_tokens: Sequence[str]) -> None:
        self.tokens: TokensById = tokens
        first = len(tokens) - len(special_tokens)
        self.special_ids: Mapping[str, int] = {
            token: first + number for number, token in enumerate(special_tokens)
        }

    @cached_property
    def specials(self) -> frozenset[int]:
        """The ids of the special tokens."""
        return frozenset(self.special_ids.values())

    def id_of(self, place: int) -> int:
        return place

    def place_of(self, token_id: int) -> int:
        """The inverse of `id_of`; −1 for an id that no token of the run has."""
        return token_id

    def name(self, pairs: PairNumbers) -> PairNumbers | NamedPairs:
        """The pairs in ids."""
        return pairs


class GivenIds(RunIds):
    """The ids of a tokenizer.

    Args:
        ids: the id of the token at each place; of several places with one id the first counts.

    >>> ids = GivenIds([70, 9], {70: b"a", 9: b"ab"}, {})
    >>> ids.id_of(1), ids.place_of(70), ids.place_of(1)
    (9, 0, -1)
    """

    def __init__(
        self, ids: Sequence[int], tokens: Mapping[int, bytes], special_ids: Mapping[str, int]
    ) -> None:
        self.tokens = tokens
        self.special_ids = special_ids
        self._ids = ids
        self._places: dict[int, int] = {}
        for place, token_id in enumerate(ids):
            self._places.setdefault(token_id, place)

    def id_of(self, place: int) -> int:
        return self._ids[place]

    def place_of(self, token_id: int) -> int:
        return self._places.get(token_id, -1)

    def name(self, pairs: PairNumbers) -> PairNumbers | NamedPairs:
        return NamedPairs(pairs, self)


class NamedPairs(Sequence[Pair]):
    """Pairs that are kept in places, read in ids: number → pair."""

    def __init__(self, pairs: PairNumbers, ids: RunIds) -> None:
        self._pairs = pairs
        self._ids = ids

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, number: int) -> Pair:  # type: ignore[override]
        left, right = self._pairs[number]
        return self._ids.id_of(left), self._ids.id_of(right)

    def __iter__(self) -> Iterator[Pair]:
        return map(self.__getitem__, range(len(self)))

    def number_of(self, pair: Pair) -> int | None:
        """The pair's number; `None` for a pair that never stood side by side."""
        return self._pairs.number_of((self._ids.place_of(pair[0]), self._ids.place_of(pair[1])))

    def numbers_with(self, token_id: int) -> Ints:
        """The numbers of the pairs that have a token on either side, in their order."""
        return self._pairs.numbers_with(self._ids.place_of(token_id))


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
class MergeReport:
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
    ) -> MergeReport:
        """From pairs in place of numbers; `after` maps each changed pair to its new count."""
        numbers = [pairs.number_or_new(changed) for changed in after]
        number = pairs.number_or_new(pair)
        return cls(number, count, numbers, list(after.values()), occurrences, pretokens)


@dataclass(slots=True)
class MergeBatch:
    """What an algorithm reports of several steps at once: a `MergeReport` each, in columns.

    Attributes:
        lefts, rights: the ids of the pair that each step merges.
        numbers, counts, occurrences, pretokens: of each step what its `MergeReport` says.
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
