"""Ways to merge one pretoken, the pair that was learnt first again and again.

All give the same ids, in whatever order the merges are: of the adjacent pairs the one of lowest
rank merges, of several the leftmost. `merge_in_list` is for words, `RankHeap` for long pretokens,
`Encoder` chooses between them. Whole texts are encoded in C: see `engine.encoding.text_encoder`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import pairwise
from math import inf
from typing import NamedTuple

from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.merging import as_dict

MergeTable = Mapping[Pair, tuple[int, int]]
"""pair of token ids → (rank of the merge, id of its result), in order of rank."""


class EncodeStep(NamedTuple):
    """One merge while encoding a pretoken.

    Attributes:
        pretoken: its bytes.
        position: the index of the left one of the two merged tokens in `before`.
        pair: the ids of the two tokens.
        rank: the index of the merge in `merges`.
        token_id: the id of the token that replaces them.
        before, after: all ids of the pretoken before and after the merge.
    """

    pretoken: bytes
    position: int
    pair: Pair
    rank: int
    token_id: int
    before: tuple[int, ...]
    after: tuple[int, ...]


LONG = 128
"""Bytes; for longer pretokens a heap is faster than looking at all pairs."""

WaitingPair = tuple[int, int, int, int]
"""(rank, position of the left token's first symbol, left id, right id)."""


def merge_in_list(spelled: list[int], table: MergeTable) -> list[int]:
    """Merge the pair of lowest rank, one occurrence at a time, until no pair merges.

    The merges of all pairs are in a list, where `min` finds the lowest rank. A merge changes only
    two pairs, so only two are looked up again.

    Args:
        spelled: the tokens before any merge; the list is changed.
        table: the merges; no two share a rank, so the first of the lowest is the leftmost.

    >>> merge_in_list([97, 98, 97, 98], {(97, 98): (0, 256), (256, 256): (1, 257)})
    [257]
    """
    ids, merge_of, never = spelled, as_dict(table).get, (inf, 0)
    merges = [merge_of(pair, never) for pair in pairwise(ids)]
    while merges and (first := min(merges)) < never:
        at = merges.index(first)
        ids[at] = made = first[1]
        del ids[at + 1], merges[at]
        if at:
            merges[at - 1] = merge_of((ids[at - 1], made), never)
        if at < len(merges):
            merges[at] = merge_of((made, ids[at + 1]), never)
    return ids


class RankHeap:
    """An encoder for long pretokens: candidates are in a heap, tokens in a linked list.

    A list of all pairs is quadratic: fine for words, hopeless for a pretoken of a megabyte. Here
    each merge looks at its two neighbours only.

    Args:
        alphabet: spells a pretoken before any merge.
        table: the merges, read at each call: it may grow.
    """

    def __init__(self, alphabet: Alphabet, table: MergeTable) -> None:
        self.alphabet = alphabet
        self.table = table

    def encode(self, pretoken: bytes, merges: float = inf) -> list[int]:
        """Return the ids of a pretoken by the first merges, those of ranks below `merges`."""
        return self.merged(self.alphabet.spell(pretoken), merges)

    def merged(self, spelled: list[int], merges: float = inf) -> list[int]:
        """Return the ids of a pretoken that is spelled; the list is changed."""
        tokens = _Linked(spelled)
        for _ in self._merges(tokens, merges):
            pass
        return tokens.ids()

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """Yield the merges that encode a pretoken, one occurrence at a time."""
        tokens = _Linked(self.alphabet.spell(pretoken))
        before = tuple(tokens.ids())
        for start, left, right in self._merges(tokens):
            rank, token_id = self.table[left, right]
            after = tuple(tokens.ids())
            position = start - tokens.at[:start].count(tokens.GONE)
            yield EncodeStep(pretoken, position, (left, right), rank, token_id, before, after)
            before = after

    def merges_at(self, pretoken: bytes) -> Iterator[tuple[int, int, Pair]]:
        """Yield the merges in order: start and end of the new token in bytes, and its parts.

        The merges of `steps` without the whole sequence at each step, so it works for a megabyte.
        """
        edges = self.alphabet.edges(pretoken)
        tokens = _Linked(self.alphabet.spell(pretoken))
        for start, left, right in self._merges(tokens):
            yield edges[start], edges[tokens.following[start]], (left, right)

    def _merges(self, tokens: _Linked, merges: float = inf) -> Iterator[tuple[int, int, int]]:
        """Merge by ranks below `merges`; yield the first symbol, left id and right id of each."""
        table = as_dict(self.table)

        def candidate(start: int) -> WaitingPair | None:
            """Return the token at `start` with the next one; `None` if they do not merge."""
            following = tokens.following[start]
            if following == len(tokens.at):
                return None
            left, right = tokens.at[start], tokens.at[following]
            found = table.get((left, right))
            if found is None or found[0] >= merges:
                return None
            return found[0], start, left, right

        waiting = list(filter(None, map(candidate, range(len(tokens.at)))))
        heapify(waiting)
        while waiting:
            _, start, left, right = heappop(waiting)
            # Another merge may have taken either token since the candidate was added.
            following = tokens.following[start]
            if following == len(tokens.at) or tokens.at[start] != left:
                continue
            if tokens.at[following] != right:
                continue
            tokens.join(start, table[left, right][1])
            yield start, left, right
            for place in (tokens.previous[start], start):
                if place != tokens.GONE and (found := candidate(place)) is not None:
                    heappush(waiting, found)


class _Linked:
    """Token ids in a doubly linked list; a token is identified by the position of its first symbol.

    Attributes:
        at: the id of the token that begins at a position; `GONE` inside of a token.
        following, previous: where the tokens on either side begin; `GONE` before the first.
    """

    GONE = -1

    def __init__(self, ids: list[int]) -> None:
        self.at = ids
        self.following = list(range(1, len(ids) + 1))
        self.previous = list(range(self.GONE, len(ids) - 1))

    def join(self, start: int, token_id: int) -> None:
        gone = self.following[start]
        self.at[start], self.at[gone] = token_id, self.GONE
        self.following[start] = self.following[gone]
        if self.following[gone] < len(self.at):
            self.previous[self.following[gone]] = start

    def ids(self) -> list[int]:
        return [token_id for token_id in self.at if token_id != self.GONE]


class Encoder:
    """An encoder of single pretokens: words in a list, longer ones in a heap.

    Args:
        alphabet: spells a pretoken before any merge.
        table: the merges, read at each call: it may grow by merges with ranks of their own.
    """

    def __init__(self, alphabet: Alphabet, table: MergeTable) -> None:
        self.alphabet = alphabet
        self.table = table

    # Made for the first pretoken: a tokenizer that is only inspected does not need them.

    @cached_property
    def _heap(self) -> RankHeap:
        return RankHeap(self.alphabet, self.table)

    @cached_property
    def _longest_in_list(self) -> int:
        ranks = {rank for rank, _ in self.table.values()}
        return LONG if len(ranks) == len(self.table) else 0  # see `merge_in_list`

    def encode(self, pretoken: bytes) -> list[int]:
        """Return the token ids of a pretoken."""
        if len(pretoken) > self._longest_in_list:
            return self._heap.encode(pretoken)
        return merge_in_list(self.alphabet.spell(pretoken), self.table)

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        """Yield the merges that encode a pretoken, one occurrence at a time."""
        return self._heap.steps(pretoken)
