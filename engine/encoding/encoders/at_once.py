"""Many pretokens encoded at once, in arrays.

All stand one after the other in one array of ids, beside it the merge of each token with the next.
A round merges in every pretoken the pair of lowest rank, of equal ones the leftmost, and looks up
the two pairs that are new; a pretoken in which nothing merges is written down and leaves. That is
the rule that encoders follow, whatever the order of the merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.arrays import NOT_THERE, Ints, NumberTable
from engine.encoding.encoders.encoder import Encoder

BLOCK = 1 << 15
"""Pretokens that are looked at together, so that they stay in the processor's cache."""
LONG = 128
"""Longer pretokens are left to the encoder: there is a round for each merge."""

_PLACE_BITS = 32
_NEVER = 1 << 30
"""The rank of a pair that does not merge."""


class Encoded(NamedTuple):
    """The ids of pretokens one after the other, and how many each has."""

    ids: Ints
    counts: Ints


class AtOnce:
    """Gives the ids that an encoder gives, for thousands of pretokens sooner.

    >>> from engine.encoding.alphabet import ByteAlphabet
    >>> from engine.encoding.encoders.encoder import RankLoop
    >>> encoder = AtOnce(RankLoop(ByteAlphabet(range(256)), {(97, 98): (0, 256)}))
    >>> encoded = encoder.encode([b"abc", b"", b"aab"])
    >>> encoded.ids.tolist(), encoded.counts.tolist()
    ([256, 99, 97, 256], [2, 0, 2])
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._merges = _Merges.of(encoder)

    def encode(self, pretokens: Sequence[bytes]) -> Encoded:
        """The ids of each pretoken."""
        found = [
            self._encode_block(pretokens[first : first + BLOCK])
            for first in range(0, len(pretokens), BLOCK)
        ]
        nothing = np.zeros(0, dtype=np.int64)
        ids = np.concatenate([nothing, *(each.ids for each in found)])
        return Encoded(ids, np.concatenate([nothing, *(each.counts for each in found)]))

    def _encode_block(self, pretokens: Sequence[bytes]) -> Encoded:
        spell, encode = self._encoder.alphabet.spell, self._encoder.encode
        block = _Block(
            [encode(each) if len(each) > LONG else spell(each) for each in pretokens],
            self._merges,
        )
        while len(block.owners):
            block.go_round()
        return block.encoded()


class _Merges(NamedTuple):
    """The merges by pair: their ranks and what they make."""

    ids: int
    ranks: NumberTable
    made: NumberTable

    @classmethod
    def of(cls, encoder: Encoder) -> _Merges:
        table = encoder.table
        pairs = np.fromiter(chain.from_iterable(table), np.int64, 2 * len(table))
        values = np.fromiter(chain.from_iterable(table.values()), np.int64, 2 * len(table))
        made = values[1::2]
        greatest = max(max(encoder.alphabet.token_ids), made.max(initial=0), pairs.max(initial=0))
        ids = 1 + int(greatest)
        keys = pairs[::2] * ids + pairs[1::2]
        return cls(ids, NumberTable(keys, values[::2]), NumberTable(keys, made))

    def ranks_of(self, left: Ints, right: Ints) -> Ints:
        found = self.ranks.of(left * self.ids + right)
        return np.where(found == NOT_THERE, _NEVER, found)

    def made_of(self, left: Ints, right: Ints) -> Ints:
        return self.made.of(left * self.ids + right)


class _Block:
    """The pretokens in which something may still merge, and what became of the others."""

    def __init__(self, spelled: Sequence[Sequence[int]], merges: _Merges) -> None:
        self._merges = merges
        self._counts = np.fromiter(map(len, spelled), dtype=np.int64, count=len(spelled))
        self._homes = np.cumsum(self._counts) - self._counts
        total = int(self._counts.sum())
        self._ids = np.fromiter(chain.from_iterable(spelled), dtype=np.int64, count=total)
        self._result = self._ids.copy()
        self.owners = np.flatnonzero(self._counts)
        self._lengths = self._counts[self.owners]
        self._starts = self._homes[self.owners]
        self._ranks = np.full(total, _NEVER, dtype=np.int64)
        is_last = np.zeros(total, dtype=np.bool_)
        is_last[self._starts + self._lengths - 1] = True
        self._look_up(np.flatnonzero(~is_last))

    def encoded(self) -> Encoded:
        """What all are in the end: each stands where it began to, in no more places than then."""
        room = np.diff(np.append(self._homes, len(self._result)))
        within = np.arange(len(self._result)) - np.repeat(self._homes, room)
        return Encoded(self._result[within < np.repeat(self._counts, room)], self._counts)

    def go_round(self) -> None:
        """One merge in each pretoken; those without one leave."""
        keyed = (self._ranks << _PLACE_BITS) + np.arange(len(self._ranks))
        least = np.minimum.reduceat(keyed, self._starts)
        at = least & ((1 << _PLACE_BITS) - 1)
        done = least >> _PLACE_BITS == _NEVER
        if done.any():
            before = self._starts[~done]
            self._let_go(done)
            at = at[~done] - before + self._starts
        self._merge(at)

    def _let_go(self, done: npt.NDArray[np.bool_]) -> None:
        """Write down what some pretokens have become, and go on without them."""
        owners, lengths = self.owners[done], self._lengths[done]
        leaving = np.repeat(done, self._lengths)
        places = np.flatnonzero(leaving)
        homes = places + np.repeat(self._homes[owners] - self._starts[done], lengths)
        self._result[homes] = self._ids[places]
        self._counts[owners] = lengths
        self.owners, self._lengths = self.owners[~done], self._lengths[~done]
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._ids, self._ranks = self._ids[~leaving], self._ranks[~leaving]

    def _merge(self, at: Ints) -> None:
        """Merge the tokens at some places, one in each pretoken, with the next ones."""
        self._ids[at] = self._merges.made_of(self._ids[at], self._ids[at + 1])
        self._ranks[at] = _NEVER
        stays = np.ones(len(self._ids), dtype=np.bool_)
        stays[at + 1] = False
        self._ids, self._ranks = self._ids[stays], self._ranks[stays]
        at = at - np.arange(len(at))  # each pretoken before has become one shorter
        self._lengths = self._lengths - 1
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._look_up(at[at + 1 < self._starts + self._lengths])
        self._look_up(at[at > self._starts] - 1)

    def _look_up(self, places: Ints) -> None:
        """Find the ranks of the tokens at some places with the next ones."""
        self._ranks[places] = self._merges.ranks_of(self._ids[places], self._ids[places + 1])
