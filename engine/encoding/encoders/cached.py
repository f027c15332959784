"""The encoders for words: the rank loop with its ranks in a list, and a cache before it.

Text repeats its words. So pretokens are remembered, and so are the pieces between two spaces, which
are found without the pattern's regex: see `engine.encoding.piece_encoder`. Both memories are
bounded: see `engine.encoding.bounded_memo`. Long pretokens are served better by a heap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain, pairwise

from engine.alphabets import Alphabet
from engine.core.events import EncodeStep
from engine.encoding.encoders.encoder import Encoder, MergeTable, RankLoop, is_in_order
from engine.encoding.encoders.rank_heap import LONG, RankHeap
from engine.encoding.piece_encoder import remembering
from engine.text.patterns import Pattern


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


class Cached(Encoder):
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
        return remembering(pattern, self.encode)

    def _for(self, pretoken: bytes) -> Encoder:
        return self._heap if len(pretoken) > LONG else self._list
