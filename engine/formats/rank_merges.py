"""The merges behind a vocabulary that only ranks its tokens, as tiktoken's files do.

There, any two neighbours whose joined bytes are a token may merge, the lowest rank first and of
equal ones the leftmost; and a text that is one token as a whole is looked up before.

**A token has one merge at most.** Let two neighbours in a text join to the token. Until then
nothing was merged across its two ends, so between them everything went as if its bytes stood
alone: the neighbours are the last two parts that encoding the token's own bytes gives, whatever
the text. So pairs with ranks encode what the ranks do. A token whose own bytes do not come down to
two parts is made by no merge in any text, and is met only where a text is looked up whole.

**Finding it fast.** While every token so far is made of tokens of lower rank, merges happen in
order of rank, and a split of a token is its merge if nothing merges across it earlier. What stood
at the split earlier is found by undoing, on both sides, the younger merge first: the trick of
`engine.vocabulary.reachable`. From the first token on that has no such split, the bytes of each
are encoded instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from engine.errors import VocabularyError

MOST_WORK = 1 << 30
"""The squares of the tokens' lengths, added up; cl100k_base has 2 ** 23."""

NEVER = 1 << 62

Merge = tuple[bytes, bytes]


class RankedMerges(NamedTuple):
    """What ranks say: the merges in order of rank, and the tokens that no merge makes."""

    merges: list[Merge]
    unmade: list[bytes]


def merges_of_ranks(ranks: Mapping[bytes, int]) -> RankedMerges:
    """The merges of a vocabulary token → rank, and the tokens without one.

    Raises:
        VocabularyError: the tokens are so long that this would take minutes.

    >>> merges_of_ranks({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4, b"aca": 5})
    RankedMerges(merges=[(b'b', b'c'), (b'a', b'bc')], unmade=[b'aca'])
    """
    if sum(len(token) ** 2 for token in ranks) > MOST_WORK:
        longest = max(map(len, ranks))
        raise VocabularyError(
            f"its tokens, of up to {longest:,} bytes, are too long to find their merges"
        )
    made: dict[bytes, Merge] = {}
    unmade: list[bytes] = []
    in_order = True
    for token in sorted(ranks, key=ranks.__getitem__):
        if len(token) == 1:
            continue
        merge = _sound_split(token, ranks, made) if in_order else None
        if merge is None:
            in_order = False
            merge = _last_merge(token, ranks)
        if merge is None:
            unmade.append(token)
        else:
            made[token] = merge
    return RankedMerges(list(made.values()), unmade)


def _sound_split(
    token: bytes, ranks: Mapping[bytes, int], made: Mapping[bytes, Merge]
) -> Merge | None:
    """The split of a token into two older ones that encoding leads to, if there is one."""
    rank = ranks[token]
    rank_of = ranks.get
    for place in range(1, len(token)):
        left, right = token[:place], token[place:]
        if (
            rank_of(left, NEVER) < rank
            and rank_of(right, NEVER) < rank
            and _come_together(left, right, ranks, made)
        ):
            return left, right
    return None


def _come_together(
    left: bytes, right: bytes, ranks: Mapping[bytes, int], made: Mapping[bytes, Merge]
) -> bool:
    """Whether two tokens, encoded as one text, come to stand side by side."""
    left_rank, right_rank = _merge_rank(left, ranks), _merge_rank(right, ranks)
    while left_rank >= 0 or right_rank >= 0:
        if left_rank > right_rank:
            limit, left = left_rank, made[left][1]
            left_rank = _merge_rank(left, ranks)
        else:
            # Of equal merges the left one is made first, so one across the split comes before.
            limit, right = right_rank + 1, made[right][0]
            right_rank = _merge_rank(right, ranks)
        if ranks.get(left + right, NEVER) < limit:
            return False
    return True


def _merge_rank(token: bytes, ranks: Mapping[bytes, int]) -> int:
    """The rank of the merge that makes a token; −1 for a byte, which none makes."""
    return ranks[token] if len(token) > 1 else -1


def _last_merge(token: bytes, ranks: Mapping[bytes, int]) -> Merge | None:
    """The last merge in encoding a token's own bytes; `None` if they end in more than two parts."""
    rank_of = ranks.get
    parts = [token[place : place + 1] for place in range(len(token))]
    waiting = [rank_of(token[place : place + 2], NEVER) for place in range(len(token) - 1)]
    while len(parts) > 2:
        lowest = min(waiting)
        if lowest == NEVER:
            return None
        at = waiting.index(lowest)
        parts[at] += parts.pop(at + 1)
        del waiting[at]
        if at:
            waiting[at - 1] = rank_of(parts[at - 1] + parts[at], NEVER)
        if at < len(waiting):
            waiting[at] = rank_of(parts[at] + parts[at + 1], NEVER)
    return parts[0], parts[1]
