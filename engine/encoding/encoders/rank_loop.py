"""Look only at the pairs that are there, and merge the one of lowest rank; repeat.

GPT-2's `bpe` function. The same result as trying all merges in order: a merge makes only pairs
with its own new token, and those were learnt later, so no lower rank appears than the last one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.encoding.encoders.encoder import Merging, RoundEncoder


class RankLoop(RoundEncoder):
    name = "rank_loop"
    summary = "merges the adjacent pair of lowest rank, again and again"

    def next_merging(self, tokens: Sequence[int], after: int) -> Merging | None:
        table = self.table
        present = [pair for pair in pairwise(tokens) if pair in table]
        if not present:
            return None
        pair = min(present, key=table.__getitem__)
        return Merging(pair, *table[pair])
