"""`TokenIds`: which id a token of a run has.

A trainer numbers tokens in the order of their making: bytes or characters, special tokens, merges.
That number is the token's *place*; in a run of ours it is its id, too. A tokenizer from elsewhere
may number otherwise (GPT-2 orders the bytes its own way, tiktoken puts special tokens last), and
whoever looks at a replay of its merges wants to see the ids that it gives. So a record is kept in
places, and speaks in ids: the two are turned into each other here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from engine.core.events import Pair
from engine.recording.pair_numbers import PairNumbers


class TokensById(Protocol):
    """id → bytes: a list where ids leave no gap, else a mapping."""

    def __getitem__(self, token_id: int, /) -> bytes: ...


class TokenIds:
    """The ids of a run of ours: places. `tokens` is the run's vocab, which grows; as it is given,
    the special tokens stand at its end.

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
        """The inverse of `id_of`; −1 for what no token of the run has for an id."""
        return token_id

    def name(self, pairs: PairNumbers) -> PairNumbers | NamedPairs:
        """The pairs in ids."""
        return pairs


class GivenIds(TokenIds):
    """The ids of a tokenizer.

    Args:
        ids: the id of the token at each place.

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
        self._places = {token_id: place for place, token_id in enumerate(ids)}

    def id_of(self, place: int) -> int:
        return self._ids[place]

    def place_of(self, token_id: int) -> int:
        return self._places.get(token_id, -1)

    def name(self, pairs: PairNumbers) -> PairNumbers | NamedPairs:
        return NamedPairs(pairs, self)


class NamedPairs(Sequence[Pair]):
    """number → pair, in ids, of pairs that are kept in places."""

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
