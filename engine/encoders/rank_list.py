"""The rank loop for short pretokens: the ranks of all pairs stand in a list of their own.

The loop looks every pair up again in each round. A merge changes two pairs only, so here it looks
up two; to find the lowest rank is left to `min`, which is fast on a short list. A pair is one
number in the table of merges: quicker to make and to find than a tuple.

Merging one occurrence at a time, from the left, is the same as a round, provided that no merge uses
a token which only a later one makes: then what a merge makes can only be merged at a higher rank, and the other
occurrences of the pair are next in turn. Training gives no other tables; for one that is
different, the loop itself is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from engine.encoders.encoder import MergeTable
from engine.encoders.rank_loop import RankLoop


class RankList(RankLoop):
    name = "rank_list"
    summary = "the rank loop with the ranks kept in a list, for short pretokens"

    def __init__(self, byte_ids: Sequence[int], table: MergeTable) -> None:
        super().__init__(byte_ids, table)
        self._made = dict(table.values())
        self._never = 1 + max(self._made, default=0)
        # More than any id, so that no two pairs share a number.
        self._span = 1 + max(chain(byte_ids, *table, self._made.values()))
        self._ranks = {
            left * self._span + right: rank for (left, right), (rank, _) in table.items()
        }
        self._in_order = _is_in_order(table)

    def encode(self, pretoken: bytes) -> Sequence[int]:
        if not self._in_order:
            return super().encode(pretoken)
        byte_ids, span, never = self.byte_ids, self._span, self._never
        rank_of = self._ranks.get
        ids = [byte_ids[byte] for byte in pretoken]
        ranks = [rank_of(left * span + right, never) for left, right in pairwise(ids)]
        while ranks and (lowest := min(ranks)) != never:
            at = ranks.index(lowest)
            ids[at] = made = self._made[lowest]
            del ids[at + 1], ranks[at]
            if at:
                ranks[at - 1] = rank_of(ids[at - 1] * span + made, never)
            if at < len(ranks):
                ranks[at] = rank_of(made * span + ids[at + 1], never)
        return ids


def _is_in_order(table: MergeTable) -> bool:
    """Whether every merge comes after all merges that make its parts."""
    last_made = {token_id: rank for rank, token_id in sorted(table.values())}
    return all(
        last_made.get(left, -1) < rank and last_made.get(right, -1) < rank
        for (left, right), (rank, _) in table.items()
    )
