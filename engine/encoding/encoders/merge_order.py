"""Apply every merge in the order learnt: what training did, done again.

The definition of BPE encoding (Sennrich, Haddow and Birch 2016). It tries merges that do not
occur, so its cost grows with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.encoding.encoders.encoder import Merging, RoundEncoder


class MergeOrder(RoundEncoder):
    name = "merge_order"
    summary = "tries every merge in the order learnt"

    def next_merging(self, tokens: Sequence[int], after: int) -> Merging | None:
        present = set(pairwise(tokens))
        for pair, (rank, token_id) in self.table.items():
            if rank > after and pair in present:
                return Merging(pair, rank, token_id)
        return None
