"""All ways to cut tokens into two others.

Slicing each token at each place and looking both parts up in a dict takes a second for 200,000
tokens. Here all places are looked at together, by a hash that can be told of any part of a text
from the hashes of its beginnings: the sum of byte · B^place, modulo 2 ** 64. Divided by B^start
(B is odd, so it has an inverse) it is the same wherever the part stands.

Two texts may have one hash, so a split found here is a claim: whoever uses it compares the bytes.
A split that is there is never missed, provided that no two tokens have one hash; if two have, none
is claimed at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.core.arrays import Ints
from engine.core.number_table import NOT_THERE, NumberTable

BLOCK = 1 << 18
"""Bytes of tokens that are looked at together: what is made of them takes fifty times the room."""

_BASE = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64
_SIGN = np.uint64(_MODULUS // 2 - 1)

Hashes = npt.NDArray[np.uint64]


class Splits(NamedTuple):
    """Token `whole` is token `left` and then token `right`; all are places in the list given."""

    whole: Ints
    left: Ints
    right: Ints


class _Powers(NamedTuple):
    """B^n and B^−n for each n."""

    up: Hashes
    down: Hashes


class _Block(NamedTuple):
    """Some tokens: the place of the first, where each begins and ends, sums up to each byte."""

    first: int
    starts: Ints
    ends: Ints
    sums: Hashes


def splits_of(tokens: Sequence[bytes]) -> Splits:
    """Each split of each token into two of the tokens, as far as hashes tell.

    >>> splits_of([b"a", b"b", b"ab"])
    Splits(whole=array([2]), left=array([0]), right=array([1]))
    """
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    powers = _powers(BLOCK + int(lengths.max(initial=0)) + 1)
    blocks = list(_blocks(tokens, lengths, powers))
    hashes = [_hashes(each, each.starts, each.ends, powers) for each in blocks]
    rows = np.arange(len(tokens), dtype=np.int64)
    keys = np.concatenate([rows[:0], *hashes])
    table = NumberTable(keys, rows)
    if not np.array_equal(table.of(keys), rows):
        return Splits(rows[:0], rows[:0], rows[:0])
    found = [_splits_in(each, table, powers) for each in blocks]
    return Splits(*(np.concatenate([rows[:0], *column]) for column in zip(*found, strict=True)))


def _powers(count: int) -> _Powers:
    def powers_of(base: int) -> Hashes:
        factors = np.full(count, base, dtype=np.uint64)
        factors[0] = 1
        return np.cumprod(factors, dtype=np.uint64)

    return _Powers(powers_of(_BASE), powers_of(pow(_BASE, -1, _MODULUS)))


def _blocks(tokens: Sequence[bytes], lengths: Ints, powers: _Powers) -> Iterator[_Block]:
    ends = np.cumsum(lengths)
    first = done = 0
    while first < len(tokens):
        behind = int(np.searchsorted(ends, done + BLOCK, side="right"))
        behind = max(behind, first + 1)
        joined = np.frombuffer(b"".join(tokens[first:behind]), dtype=np.uint8)
        sums = np.zeros(len(joined) + 1, dtype=np.uint64)
        # One more than the byte: else a zero in front of a text would not count.
        np.cumsum((joined + np.uint64(1)) * powers.up[: len(joined)], out=sums[1:])
        own_ends = ends[first:behind] - done
        yield _Block(first, own_ends - lengths[first:behind], own_ends, sums)
        first, done = behind, int(ends[behind - 1])


def _hashes(block: _Block, starts: Ints, ends: Ints, powers: _Powers) -> Ints:
    """The hashes of parts of the block's text, the sign cut off."""
    hashes = (block.sums[ends] - block.sums[starts]) * powers.down[starts]
    return (hashes & _SIGN).view(np.int64)


def _splits_in(block: _Block, table: NumberTable, powers: _Powers) -> Splits:
    inner = np.maximum(block.ends - block.starts - 1, 0)
    owner = np.repeat(np.arange(len(inner), dtype=np.int64), inner)
    place = np.arange(len(owner), dtype=np.int64) - np.repeat(np.cumsum(inner) - inner, inner)
    place += block.starts[owner] + 1
    left = table.of(_hashes(block, block.starts[owner], place, powers))
    known = np.flatnonzero(left != NOT_THERE)
    owner, place, left = owner[known], place[known], left[known]
    right = table.of(_hashes(block, place, block.ends[owner], powers))
    known = np.flatnonzero(right != NOT_THERE)
    return Splits(owner[known] + block.first, left[known], right[known])
