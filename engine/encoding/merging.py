"""The two things that byte-pair encoding does to a sequence: count its pairs, and merge one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from engine.core.events import Pair


def count_pairs(pretokens: Iterable[Sequence[int]], counts: Iterable[int]) -> dict[Pair, int]:
    """How often each pair of adjacent tokens stands in the corpus.

    Args:
        pretokens: the token ids of each different pretoken.
        counts: how often each of these occurs.

    Returns:
        pair → count, in the order in which the pairs are first met.

    >>> count_pairs([[1, 2, 1, 2], [3, 3, 3]], [10, 1])
    {(1, 2): 20, (2, 1): 10, (3, 3): 2}
    """
    pair_counts: dict[Pair, int] = {}
    for ids, count in zip(pretokens, counts, strict=True):
        for pair in pairwise(ids):
            pair_counts[pair] = pair_counts.get(pair, 0) + count
    return pair_counts


def merge_pair(tokens: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace the pair by `new_id`, left to right, without overlap.

    >>> merge_pair([5, 6, 6, 6, 1], (6, 6), 300)
    [5, 300, 6, 1]
    """
    left, right = pair
    merged: list[int] = []
    position, last = 0, len(tokens) - 1
    while position <= last:
        if position < last and tokens[position] == left and tokens[position + 1] == right:
            merged.append(new_id)
            position += 2
        else:
            merged.append(tokens[position])
            position += 1
    return merged
