"""The numbers of pairs, and the ids of tokens: `PairNumbers` and `TokenIds`.

A token has a *place*, in the order of making, and an *id*. In a run of ours they are the same. A
tokenizer from elsewhere may number otherwise (GPT-2 orders the bytes its own way, tiktoken puts
special tokens last), and whoever looks at a replay of its merges wants to see the ids that it
gives. So a record is kept in places, and speaks in ids: the two are turned into each other here
and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from functools import cached_property
from typing import Protocol

from engine.core.arrays import Ints, np
from engine.core.events import Pair

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


class TokenIds:
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


class GivenIds(TokenIds):
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

    def __init__(self, pairs: PairNumbers, ids: TokenIds) -> None:
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
