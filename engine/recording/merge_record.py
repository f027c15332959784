"""The record of a training that merges pairs: pair numbers, token ids, reported merges, steps.

A training algorithm reports each step as a `MergeReport`. The `MergeRecord` keeps the reports in
columns, an entry for each step, and makes a `PairStep` when a step is asked for.

A token has a *place*, in the order of making, and an *id*. In a run of ours they are equal. A
tokenizer from elsewhere may number otherwise (GPT-2 orders the bytes its own way, tiktoken puts
special tokens last), and a replay of its merges shows its ids. So a record is kept in places and
answers in ids; `IdMap` converts between the two.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from typing import Any, Generic, NamedTuple, Self, TypeVar

from engine.core.arrays import Integers, Ints
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.core.slow_modules import np
from engine.recording.change_log import ChangeLog

STRIDE = 2**32 - 5
"""Factor of a pair's key: left · STRIDE + right.

It is above any id. It is odd, so that the keys of pairs with one right token differ in their low
bits, which a dict uses to place them."""


def key_of(pair: Pair) -> int:
    """Return the pair as one integer."""
    return pair[0] * STRIDE + pair[1]


class PairNumbers(Sequence[Pair]):
    """Pairs numbered in the order in which they first appear.

    Counts, logs and queues are arrays over these numbers; the pair itself is needed only to show it
    or to find it. It is found by its *key*, one integer for two token ids: arrays compute many keys
    at once, and keys hash faster than tuples. One thread may add, any may read.

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
        """Return the pair's number; `None` if the pair never occurred."""
        if not 0 <= pair[1] < STRIDE:  # its key is another pair's
            return None
        return self.number_of_key.get(key_of(pair))

    def number_or_new(self, pair: Pair) -> int:
        """Return the pair's number; a new pair gets the next free one."""
        key = key_of(pair)
        number = self.number_of_key.get(key)
        if number is None:
            number = len(self._keys)
            self.add_new([key])
        return number

    def lefts(self, numbers: Integers) -> Integers:
        """Return the left tokens of some pairs.

        >>> PairNumbers([(7, 8), (9, 9), (8, 7)]).lefts(np.array([2, 0])).tolist()
        [8, 7]
        """
        return np.array([self._keys[each] for each in numbers.tolist()], np.int64) // STRIDE

    def add_new(self, keys: Sequence[int]) -> range:
        """Number new pairs, given by their keys; return their numbers."""
        first = len(self._keys)
        # Another thread may read: a pair that can be found must be readable.
        self._keys.extend(keys)
        for number, key in enumerate(keys, first):
            self.number_of_key[key] = number
        return range(first, first + len(keys))


TokensById = Sequence[bytes] | Mapping[int, bytes]
"""id → bytes: a list if the ids have no gaps, else a mapping."""


class IdMap:
    """The places of tokens and their ids, each found from the other.

    Args:
        tokens: id → bytes; in a run of ours the vocab, which grows.
        special_ids: special token → id.
        ids: the id of the token at each place; `None` in a run of ours, where id and place are
            equal. If several places have one id, the first counts.

    >>> ids = IdMap({70: b"a", 9: b"ab"}, {}, [70, 9])
    >>> ids.id_of(1), ids.place_of(70), ids.place_of(1)
    (9, 0, -1)
    """

    def __init__(
        self, tokens: TokensById, special_ids: Mapping[str, int], ids: Sequence[int] | None = None
    ) -> None:
        self.tokens = tokens
        self.special_ids = special_ids
        self.specials = frozenset(special_ids.values())
        self._ids = ids
        self._places: dict[int, int] = {}
        for place, token_id in enumerate(ids or ()):
            self._places.setdefault(token_id, place)

    def id_of(self, place: int) -> int:
        return place if self._ids is None else self._ids[place]

    def place_of(self, token_id: int) -> int:
        """Return the place of a token; −1 if no token of the run has this id."""
        return token_id if self._ids is None else self._places.get(token_id, -1)


class PairsInIds(Sequence[Pair]):
    """A view in ids of pairs that are kept in places: number → pair."""

    def __init__(self, pairs: PairNumbers, ids: IdMap) -> None:
        self._pairs, self._ids = pairs, ids

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, number: int) -> Pair:  # type: ignore[override]
        left, right = self._pairs[number]
        return self._ids.id_of(left), self._ids.id_of(right)

    def number_of(self, pair: Pair) -> int | None:
        """Return the pair's number; `None` if the pair never occurred."""
        return self._pairs.number_of((self._ids.place_of(pair[0]), self._ids.place_of(pair[1])))

    def lefts(self, numbers: Integers) -> Integers:
        """Return the left tokens of some pairs."""
        lefts = self._pairs.lefts(numbers).tolist()
        return np.fromiter(map(self._ids.id_of, lefts), np.int64, len(lefts))


class CountChange(NamedTuple):
    """A pair whose count a merge changed.

    Attributes:
        pair: the ids of its two tokens.
        before, after: its counts; `before` is 0 if the merge created the pair.
    """

    pair: tuple[int, int]
    before: int
    after: int


class PairStep(ABC):
    """One merge during training: a thin view of the record, which computes each fact on demand.

    BPE merges the most frequent pair, WordPiece the pair of the highest score; a subclass adds the
    measure. Two steps are equal if all their facts are, even if different algorithms found them.

    Attributes:
        record: the record of the run.
        index: the rank of the merge; 0 for the first.
    """

    __slots__ = ("index", "record")

    def __init__(self, record: MergeRecord[PairStep], index: int) -> None:
        self.record, self.index = record, index

    @property
    @abstractmethod
    def count(self) -> int:
        """The number of occurrences of the pair before this step."""

    @abstractmethod
    def _shared_top(self) -> Iterable[Pair]:
        """Return all pairs, in any order, that the training's measure ranks equal to this one."""

    @abstractmethod
    def _chosen_by(self) -> dict[str, object]:
        """Return the pair's measure as plain values."""

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
        """The id of the new token."""
        return self.record.new_id(self.index)

    @property
    def token(self) -> bytes:
        """The new token's bytes: `##low` for a WordPiece inside a word."""
        return self.record.vocab[self.record.first_id + self.index]

    @property
    def covers(self) -> bytes:
        """The bytes of a pretoken that the new token represents: `low`."""
        return self.record.covers(self.new_id)

    @property
    def occurrences(self) -> int:
        """The number of replacements; less than `count` if the pair overlapped itself."""
        return self.record.occurrences[self.index]

    @property
    def pretokens(self) -> int:
        """The number of distinct pretokens that changed."""
        return self.record.pretokens[self.index]

    @property
    def tied(self) -> tuple[Pair, ...]:
        """All pairs that shared the top: this step's own first, the others by their ids."""
        return (self.pair, *sorted(pair for pair in self._shared_top() if pair != self.pair))

    @property
    def changes(self) -> tuple[CountChange, ...]:
        """The pairs whose count this step changed: its own first, then the largest changes."""
        part = self.record.part_of(self.index)
        changes = (
            CountChange(part.pairs[number], before, after)
            for number, before, after in part.counts.differences(self.index)
        )
        own = self.pair
        return tuple(
            sorted(changes, key=lambda c: (c.pair != own, -abs(c.after - c.before), c.pair))
        )

    def as_dict(self) -> dict[str, object]:
        """Return the step as plain values for JSON; tokens are in GPT-2's spelling of bytes."""
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
"""The steps of a record. Covariant: a record of BPE's steps is a record of `PairStep`s."""


class MergeReport:
    """A training algorithm's report of one step; pairs are given by their numbers.

    Attributes:
        number: the pair that was merged.
        count: its number of occurrences before.
        changed: the pairs whose count changed, this one included.
        after: their new counts, in that order; 0 for a pair that is gone.
        occurrences: number of replacements in the corpus; less than `count` only if the pair
            overlapped itself, as in `aaa`.
        pretokens: number of distinct pretokens that changed.
    """

    def __init__(
        self,
        number: int,
        count: int,
        changed: Sequence[int] | Integers,
        after: Sequence[int] | Integers,
        occurrences: int,
        pretokens: int,
    ) -> None:
        self.number, self.count = number, count
        self.changed, self.after = changed, after
        self.occurrences, self.pretokens = occurrences, pretokens


class MergeBatch(NamedTuple):
    """A report of several steps at once: the values of their `MergeReport`s, in columns.

    Attributes:
        lefts, rights: the ids of the pair that each step merges.
        numbers, counts, occurrences, pretokens: an entry for each step.
        changed, after: the changes of all steps, one step after the other.
        changes_ends: the end of each step's changes among the changes of the whole run.
        widths: the number of numbered pairs after each step.
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


class PhaseStart(NamedTuple):
    """A border between two phases of a run; merges after it are chosen in another way.

    Attributes:
        step: the number of merges before the border; the next merge is the first of the phase.
        label: the new phase in a few words, such as `pattern none`. It may contain foreign text.
    """

    step: int
    label: str


class MergeRecord(ABC, Generic[StepT]):
    """The steps of one run. One thread appends, any thread may read.

    A subclass fills the columns in its `append`, `pretokens` last: its length is the number of
    steps, for other threads too. Here the id of a token is its place.

    Attributes:
        vocab: place → bytes, shared with the algorithm, which adds a token in each step.
        first_id: number of tokens before the first merge.
        pairs: number → pair, in the order of first appearance; shared with the algorithm.
        counts: the count of each pair after each step, by its number.
        merged: the number of the pair that each step merged.
        occurrences: the number of replacements in each step.
        pretokens: the number of distinct pretokens that each step changed.
        removed: the tokens that the corpus has lost after the first 0, 1, … steps.
        min_count: the least count of a pair that the training merges.
        parts: the parts of the run, each a record with pairs and counts of its own from a step on;
            they share all else. The first is the record itself.
    """

    vocab: list[bytes]
    first_id: int
    min_count: int
    pairs: PairNumbers | PairsInIds
    counts: ChangeLog
    _step_type: type[StepT]

    def __init__(self) -> None:
        self.merged = array("q")
        self.occurrences = array("q")
        self.removed = array("q", (0,))
        self.pretokens = array("q")
        self.parts: list[Any] = [self]

    @property
    def phase_starts(self) -> list[PhaseStart]:
        """The borders between phases, in order; none in a run of one phase."""
        return []

    def token(self, token_id: int) -> bytes:
        """Return the bytes of any token of the run."""
        return self.vocab[token_id]

    @abstractmethod
    def covers(self, token_id: int) -> bytes:
        """Return the bytes of a pretoken that the token represents."""

    def new_id(self, index: int) -> int:
        """Return the id of the token that step `index` made."""
        return self.first_id + index

    def rank_of(self, token_id: int) -> int:
        """Return the index of the step that made a token; negative if no step made it."""
        return token_id - self.first_id

    def __len__(self) -> int:
        return len(self.pretokens)

    def __getitem__(self, index: int) -> StepT:
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self._step_type(self.parts[0], index)

    def id_of(self, place: int) -> int:
        """Return the id of the token at a place of `vocab`."""
        return place

    def part_of(self, index: int) -> Self:
        """Return the part of the run that has a step; the counts of that step are there."""
        part: Self
        for part in self.parts[:0:-1]:
            if part.counts.first <= index:
                return part
        part = self.parts[0]
        return part

    def histories(self, pair: Pair, until: int) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the states of each part at which the count of a pair was set, and its counts.

        Parts before its first occurrence are left out.
        """
        is_known = False
        for part in self.parts:
            number, last = part.pairs.number_of(pair), min(until, part.counts.last)
            if part.counts.first <= last and number is not None:
                is_known, found = True, part.counts.history(number, last)
                yield found[0].tolist(), found[1].tolist()
            elif part.counts.first <= last and is_known:
                yield [part.counts.first], [0]

    def pair_of(self, index: int) -> Pair:
        """Return the pair that step `index` merged."""
        return self.part_of(index).pairs[self.merged[index]]

    def first_pairs(self, steps: int) -> list[Pair]:
        """Return the pairs that the first steps merged."""
        found: list[Pair] = []
        for part, end in zip(self.parts, [*self.parts[1:], None], strict=True):
            last = steps if end is None else min(end.counts.first, steps)
            found += map(part.pairs.__getitem__, self.merged[len(found) : last])
        return found


def copied(column: array[int], length: int) -> Ints:
    """Copy the beginning of a column; a view would prevent the column from growing."""
    return np.frombuffer(column[:length], dtype=np.int64)
