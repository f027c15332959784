"""The rank loop made fast: with a list for words, a heap for long pretokens, and a memory.

All give the ids that `RankLoop` gives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise

from engine.core.events import EncodeStep, Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.encoders.encoder import Encoder, MergeTable, RankLoop, is_in_order
from engine.encoding.merge_arrays import as_dict
from engine.encoding.piece_encoder import memoized_encoder
from engine.text.patterns import Pattern

LONG = 128
"""From this length on, a heap of candidates finds the next merge sooner than looking at all."""

Candidate = tuple[int, int, int, int]
"""(rank, position of the left token's first symbol, left id, right id)."""


class RankList(RankLoop):
    """The rank loop for short pretokens: the ranks of all pairs stand in a list of their own.

    The loop looks every pair up again in each round. A merge changes two pairs only, so here it
    looks up two; to find the lowest rank is left to `min`, which is fast on a short list. Ranks are
    kept by the left token and then by the right one, which saves making a tuple for each look-up.

    Merging one occurrence at a time, from the left, is the same as a round, provided that no merge
    uses a token which a later one makes: then what a merge makes is merged at higher ranks only,
    and the pair's other occurrences are next in turn. Training gives no other tables; for one that
    is different, the loop itself is there.
    """

    name = "rank_list"
    summary = "the rank loop with the ranks kept in a list, for short pretokens"

    def __init__(self, alphabet: Alphabet, table: MergeTable) -> None:
        super().__init__(alphabet, table)
        self._made = dict(table.values())
        self._never = 1 + max(self._made, default=0)
        ranks: defaultdict[int, dict[int, int]] = defaultdict(dict)
        for (left, right), (rank, _) in table.items():
            ranks[left][right] = rank
        nothing: dict[int, int] = {}
        tokens = {*alphabet.token_ids, *chain.from_iterable(table), *self._made.values()}
        # left id → the function (right id, default) → rank of the merge
        self._rank_after = {left: ranks.get(left, nothing).get for left in tokens}
        self._in_order = is_in_order(table)

    def encode(self, pretoken: bytes) -> Sequence[int]:
        if not self._in_order:
            return super().encode(pretoken)
        rank_after, never = self._rank_after, self._never
        ids = self.alphabet.spell(pretoken)
        ranks = [rank_after[left](right, never) for left, right in pairwise(ids)]
        while ranks and (lowest := min(ranks)) != never:
            at = ranks.index(lowest)
            ids[at] = made = self._made[lowest]
            del ids[at + 1], ranks[at]
            if at:
                ranks[at - 1] = rank_after[ids[at - 1]](made, never)
            if at < len(ranks):
                ranks[at] = rank_after[made](ids[at + 1], never)
        return ids


class RankHeap(Encoder):
    """The rank loop for long pretokens: candidates wait in a heap, tokens in a linked list.

    The loop looks at the whole pretoken in each round, which is quadratic: fine for words, hopeless
    for a pretoken of a megabyte. Here each merge looks at its two neighbours only.
    """

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
        table = as_dict(self.table)

        def candidate(start: int) -> Candidate | None:
            """The token at `start` with the next one, if they merge."""
            following = tokens.following[start]
            if following == len(tokens.at):
                return None
            left, right = tokens.at[start], tokens.at[following]
            found = table.get((left, right))
            return None if found is None else (found[0], start, left, right)

        waiting = list(filter(None, map(candidate, range(len(tokens.at)))))
        heapify(waiting)
        while waiting:
            _, start, left, right = heappop(waiting)
            # Either token may have gone into another merge since the candidate was noted.
            if not tokens.has(start, left, right):
                continue
            tokens.join(start, table[left, right][1])
            yield start, left, right
            for place in (tokens.previous[start], start):
                if place != tokens.GONE and (found := candidate(place)) is not None:
                    heappush(waiting, found)


class _Linked:
    """Token ids in a doubly linked list; a token is known by the position of its first symbol.

    Attributes:
        at: the id of the token that begins at a position; `GONE` inside of a token.
        following, previous: where the tokens on either side begin; `GONE` before the first.
    """

    GONE = -1

    def __init__(self, ids: list[int]) -> None:
        self.at = ids
        self.following = list(range(1, len(ids) + 1))
        self.previous = list(range(self.GONE, len(ids) - 1))

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


class Cached(Encoder):
    """The rank list behind a memory, since text repeats its words.

    Pretokens are remembered, and so are the pieces between two spaces, which are found without the
    pattern's regex: see `engine.encoding.piece_encoder`. Both memories are bounded.
    """

    name = "cached"
    summary = "the rank list behind a bounded cache of pretokens"

    # Made when the first pretoken comes: a tokenizer that is only looked at need not wait.

    @cached_property
    def _heap(self) -> RankHeap:
        return RankHeap(self.alphabet, self.table)

    @cached_property
    def _list(self) -> Encoder:
        # For merges out of order the list knows no short way.
        return RankList(self.alphabet, self.table) if is_in_order(self.table) else self._heap

    def encode(self, pretoken: bytes) -> Sequence[int]:
        """The ids of one pretoken; only `for_texts` remembers."""
        return self._for(pretoken).encode(pretoken)

    def steps(self, pretoken: bytes) -> Iterator[EncodeStep]:
        return self._for(pretoken).steps(pretoken)

    def for_texts(self, pattern: Pattern) -> Callable[[str], list[int]]:
        """As in every encoder; the function keeps its memory from one text to the next."""
        return memoized_encoder(pattern, self.encode)

    def _for(self, pretoken: bytes) -> Encoder:
        return self._heap if len(pretoken) > LONG else self._list
