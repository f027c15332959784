"""The rank loop for short pretokens: the ranks of all pairs stand in a list of their own.

The loop looks every pair up again in each round. A merge changes two pairs only, so here it looks
up two; to find the lowest rank is left to `min`, which is fast on a short list. A pair is one
number in the table of merges: quicker to make and to find than a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise

from engine.encoders.encoder import MergeTable
from engine.encoders.rank_loop import RankLoop
from engine.merging import merge_pair


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

    def encode(self, pretoken: bytes) -> list[int]:
        byte_ids, span, never = self.byte_ids, self._span, self._never
        rank_of = self._ranks.get
        ids = [byte_ids[byte] for byte in pretoken]
        ranks = self._ranks_between(ids)
        while ranks and (lowest := min(ranks)) != never:
            at = ranks.index(lowest)
            made = self._made[lowest]
            if ranks.count(lowest) > 1:
                ids = merge_pair(ids, (ids[at], ids[at + 1]), made)
                ranks = self._ranks_between(ids)
                continue
            ids[at] = made
            del ids[at + 1], ranks[at]
            if at:
                ranks[at - 1] = rank_of(ids[at - 1] * span + made, never)
            if at < len(ranks):
                ranks[at] = rank_of(made * span + ids[at + 1], never)
        return ids

    def _ranks_between(self, ids: Sequence[int]) -> list[int]:
        """The rank of each pair of neighbours, `_never` for those that do not merge."""
        rank_of, span, never = self._ranks.get, self._span, self._never
        return [rank_of(left * span + right, never) for left, right in pairwise(ids)]
