"""`BatchEncoder`: encodes many pretokens at once, in arrays.

The ids of all pretokens are in one array, next to it the rank of each token's merge with the next.
A round merges one pair in every pretoken: the one of lowest rank, of equal ones the leftmost. Then
it looks up the two new pairs. A pretoken without a merge is written to the result and removed. This
is the rule of all encoders, whatever the order of the merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress
from typing import NamedTuple

from engine.core.arrays import NOT_THERE, Ints, NumberTable
from engine.core.slow_modules import np
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders import RankHeap
from engine.encoding.merging import MergeArrays, MergeColumns
from engine.text.pretokenize import to_texts

BLOCK = 1 << 15
"""Pretokens per block, so that a block stays in the processor's cache."""
LONG = 1 << 10
"""Bytes; longer pretokens are encoded one by one, since each merge takes a round."""
CODE_POINTS = 0x110000

_PLACE_BITS = 32
_NEVER = 1 << 30
"""Rank of a pair that does not merge."""


class EncodedBatch(NamedTuple):
    """The ids of several pretokens in one array, and the number of ids of each."""

    ids: Ints
    counts: Ints


class BatchEncoder:
    """Gives the ids that an encoder gives, faster for thousands of pretokens.

    Args:
        alphabet: spells a pretoken before any merge.
        merges: the merges of the encoder's table.

    >>> from engine.encoding.alphabet import BYTES
    >>> from engine.encoding.merging import columns_of
    >>> encoder = BatchEncoder(BYTES, columns_of({(97, 98): (0, 256)}))
    >>> encoded = encoder.encode([b"abc", b"", b"aab"])
    >>> encoded.ids.tolist(), encoded.counts.tolist()
    ([256, 99, 97, 256], [2, 0, 2])
    """

    def __init__(self, alphabet: Alphabet, merges: MergeColumns) -> None:
        self._alphabet = alphabet
        self._one_by_one = RankHeap(alphabet, MergeArrays(merges))
        left, right, rank, made = merges
        greatest = max(int(each.max(initial=0)) for each in (left, right, made))
        ids = 1 + max(greatest, max(alphabet.token_ids))
        places = NumberTable(left * ids + right, np.arange(len(rank), dtype=np.int64))
        self._merges = _MergeLookup(ids, places, np.append(rank, _NEVER), made)
        self._id_of = np.full(CODE_POINTS, NOT_THERE, dtype=np.int64)
        self._id_of[[*map(ord, alphabet.letters)]] = [*alphabet.letters.values()]

    def encode(self, pretokens: Sequence[bytes]) -> EncodedBatch:
        """Return the ids of each pretoken."""
        found = []
        for first in range(0, len(pretokens), BLOCK):
            block = _PretokenBlock(self._spelled(pretokens[first : first + BLOCK]), self._merges)
            while len(block.owners):
                block.go_round()
            found.append(block.encoded())
        nothing = np.zeros(0, dtype=np.int64)
        ids = np.concatenate([nothing, *(each.ids for each in found)])
        return EncodedBatch(ids, np.concatenate([nothing, *(each.counts for each in found)]))

    def _spelled(self, pretokens: Sequence[bytes]) -> EncodedBatch:
        """Return the ids of each before any merge; long ones are encoded already."""
        # First the id of each letter, `NOT_THERE` if it is unknown.
        in_bytes = self._alphabet.unit == "byte"
        texts = [each.decode("latin-1") for each in pretokens] if in_bytes else to_texts(pretokens)
        codes = "".join(texts).encode("utf-32-le", "surrogatepass")
        ids = self._id_of[np.frombuffer(codes, dtype=np.uint32)]
        counts = np.fromiter(map(len, texts), np.int64, len(texts))
        apart = np.fromiter(map(len, pretokens), np.int64, len(pretokens)) > LONG
        apart[np.repeat(np.arange(len(counts)), counts)[ids == NOT_THERE]] = True
        if not apart.any():
            return EncodedBatch(ids, counts)
        spell, encode = self._alphabet.spell, self._one_by_one.encode
        one_by_one = [
            encode(each) if len(each) > LONG else spell(each) for each in compress(pretokens, apart)
        ]
        ids = ids[~np.repeat(apart, counts)]
        counts[apart] = np.fromiter(map(len, one_by_one), np.int64, len(one_by_one))
        is_apart = np.repeat(apart, counts)
        spelled = np.empty(len(is_apart), dtype=np.int64)
        spelled[~is_apart] = ids
        spelled[is_apart] = np.fromiter(chain.from_iterable(one_by_one), np.int64)
        return EncodedBatch(spelled, counts)


class _MergeLookup(NamedTuple):
    """The ranks and results of merges, by place; `places` finds left · `ids` + right."""

    ids: int
    places: NumberTable
    ranks: Ints
    made: Ints


class _PretokenBlock:
    """The pretokens that may still merge, and the results of the others."""

    def __init__(self, spelled: EncodedBatch, merges: _MergeLookup) -> None:
        self._merges = merges
        self._ids, self._counts = spelled
        self._homes = np.cumsum(self._counts) - self._counts
        total = len(self._ids)
        self._result = self._ids.copy()
        self.owners = np.flatnonzero(self._counts)
        self._lengths = self._counts[self.owners]
        self._starts = self._homes[self.owners]
        self._ranks = np.full(total, _NEVER, dtype=np.int64)
        is_last = np.zeros(total, dtype=np.bool_)
        is_last[self._starts + self._lengths - 1] = True
        self._look_up(np.flatnonzero(~is_last))

    def encoded(self) -> EncodedBatch:
        """Return the final ids. Each pretoken keeps its start and never grows."""
        room = np.diff(np.append(self._homes, len(self._result)))
        within = np.arange(len(self._result)) - np.repeat(self._homes, room)
        return EncodedBatch(self._result[within < np.repeat(self._counts, room)], self._counts)

    def go_round(self) -> None:
        """Merge once in each pretoken; those without a merge leave."""
        keyed = (self._ranks << _PLACE_BITS) + np.arange(len(self._ranks))
        least = np.minimum.reduceat(keyed, self._starts)
        at = least & ((1 << _PLACE_BITS) - 1)
        done = least >> _PLACE_BITS == _NEVER
        if done.any():
            # Write down the ids of finished pretokens, and continue without them.
            before = self._starts[~done]
            owners, lengths = self.owners[done], self._lengths[done]
            leaving = np.repeat(done, self._lengths)
            places = np.flatnonzero(leaving)
            homes = places + np.repeat(self._homes[owners] - self._starts[done], lengths)
            self._result[homes] = self._ids[places]
            self._counts[owners] = lengths
            self.owners, self._lengths = self.owners[~done], self._lengths[~done]
            self._starts = np.cumsum(self._lengths) - self._lengths
            self._ids, self._ranks = self._ids[~leaving], self._ranks[~leaving]
            at = at[~done] - before + self._starts
        self._merge(at)

    def _merge(self, at: Ints) -> None:
        """Merge the tokens at some places, one in each pretoken, with the next tokens."""
        pairs = self._ids[at] * self._merges.ids + self._ids[at + 1]
        self._ids[at] = self._merges.made[self._merges.places.of(pairs)]
        self._ranks[at] = _NEVER
        stays = np.ones(len(self._ids), dtype=np.bool_)
        stays[at + 1] = False
        self._ids, self._ranks = self._ids[stays], self._ranks[stays]
        at = at - np.arange(len(at))  # each earlier pretoken is one token shorter now
        self._lengths = self._lengths - 1
        self._starts = np.cumsum(self._lengths) - self._lengths
        self._look_up(at[at + 1 < self._starts + self._lengths])
        self._look_up(at[at > self._starts] - 1)

    def _look_up(self, places: Ints) -> None:
        """Find the ranks of the tokens at some places with the next tokens."""
        pairs = self._ids[places] * self._merges.ids + self._ids[places + 1]
        # A pair that does not merge has place −1, and the last rank is `_NEVER`.
        self._ranks[places] = self._merges.ranks[self._merges.places.of(pairs)]
