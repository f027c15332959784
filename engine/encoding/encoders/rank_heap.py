"""The rank loop for long pretokens: candidates wait in a heap, tokens in a linked list.

The loop looks at the whole pretoken in each round, which is quadratic: fine for words, hopeless for
a pretoken of a megabyte. Here each merge looks at its two neighbours only.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

from engine.core.events import EncodeStep, Pair
from engine.encoding.encoders.encoder import Encoder

LONG = 128
"""From this length on, a heap of candidates finds the next merge sooner than looking at all."""

Candidate = tuple[int, int, int, int]
"""(rank, position of the left token's first symbol, left id, right id)."""


class RankHeap(Encoder):
    name = "rank_heap"
    summary = "the rank loop with a heap of candidates, for long pretokens"

    def encode(self, pretoken: bytes) -> list[int]:
        tokens = _Linked(self.alphabet.spell(pretoken))
        for _ in self._merges(tokens):
            pass
        return tokens.ids()

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        tokens = _Linked(self.alphabet.spell(pretoken))
        before = tuple(tokens.ids())
        for start, left, right in self._merges(tokens):
            rank, token_id = self.table[left, right]
            after = tuple(tokens.ids())
            position = tokens.place_of(start)
            yield EncodeStep(pretoken, position, (left, right), rank, token_id, before, after)
            before = after

    def merges_at(self, pretoken: bytes) -> Iterator[tuple[int, int, Pair]]:
        """The merges in order: where the new token begins and ends, in bytes, and its two parts.

        What `steps` tells, without the whole sequence at each step: a megabyte can be followed.
        """
        edges = self.alphabet.edges(pretoken)
        tokens = _Linked(self.alphabet.spell(pretoken))
        for start, left, right in self._merges(tokens):
            yield edges[start], edges[tokens.following[start]], (left, right)

    def _merges(self, tokens: _Linked) -> Iterator[tuple[int, int, int]]:
        """Merge until nothing merges; where (first symbol) and which (left id, right id), each."""
        table = self.table
        waiting: list[Candidate] = []

        def consider(start: int) -> None:
            following = tokens.following[start]
            if following < len(tokens.at):
                left, right = tokens.at[start], tokens.at[following]
                if (found := table.get((left, right))) is not None:
                    waiting.append((found[0], start, left, right))

        for start in range(len(tokens.at)):
            consider(start)
        heapify(waiting)
        while waiting:
            _, start, left, right = heappop(waiting)
            # Either token may have gone into another merge since the candidate was noted.
            if not tokens.has(start, left, right):
                continue
            tokens.join(start, table[left, right][1])
            yield start, left, right
            noted = len(waiting)
            if start:
                consider(tokens.previous[start])
            consider(start)
            fresh = waiting[noted:]
            del waiting[noted:]
            for candidate in fresh:
                heappush(waiting, candidate)


class _Linked:
    """Token ids in a doubly linked list; a token is known by the position of its first symbol."""

    GONE = -1

    def __init__(self, ids: list[int]) -> None:
        self.at = ids
        self.following = list(range(1, len(ids) + 1))
        self.previous = list(range(-1, len(ids) - 1))

    def has(self, start: int, left: int, right: int) -> bool:
        following = self.following[start]
        return self.at[start] == left and following < len(self.at) and self.at[following] == right

    def join(self, start: int, token_id: int) -> None:
        gone = self.following[start]
        self.at[start], self.at[gone] = token_id, self.GONE
        self.following[start] = self.following[gone]
        if self.following[gone] < len(self.at):
            self.previous[self.following[gone]] = start

    def ids(self) -> list[int]:
        return [token_id for token_id in self.at if token_id != self.GONE]

    def place_of(self, start: int) -> int:
        """How many tokens stand before the one that starts there."""
        return start - self.at[:start].count(self.GONE)
