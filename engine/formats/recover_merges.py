"""The merges behind a vocabulary that only ranks its tokens, as tiktoken's files do.

There, any two neighbours whose joined bytes are a token may merge, the lowest rank first and of
equal ones the leftmost; and a text that is one token as a whole is looked up before.

**A token has one merge at most.** Let two neighbours in a text join to the token. Until then
nothing was merged across its two ends, so between them everything went as if its bytes stood
alone: the neighbours are the last two parts that encoding the token's own bytes gives, whatever
the text. So pairs with ranks encode what the ranks do. A token whose own bytes do not come down to
two parts is made by no merge in any text, and is met only where a text is looked up whole.

**Finding it fast.** While every token so far is made of tokens of lower rank, or by no merge,
merges happen in order of rank, and a split of a token is its merge if nothing merges across it
earlier: `sound_splits` finds that split for all tokens at once. A token without one, and from the
first on that is made of younger tokens every token, has its bytes encoded instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.formats.sound_splits import NONE, sound_splits

MOST_WORK = 1 << 30
"""The squares of the tokens' lengths, added up; cl100k_base has 2 ** 23."""

NEVER = 1 << 62

Merge = tuple[bytes, bytes]


@dataclass(frozen=True)
class RankedMerges:
    """What ranks say.

    Attributes:
        merges: the merges in order of rank.
        table: the same in ranks of tokens: pair → (place in `merges`, rank of what it makes).
        unmade: the tokens that no merge makes.
    """

    merges: list[Merge]
    table: dict[Pair, tuple[int, int]]
    unmade: list[bytes]


def merges_of_ranks(ranks: Mapping[bytes, int]) -> RankedMerges:
    """The merges of a vocabulary token → rank, and the tokens without one.

    Raises:
        VocabularyError: the tokens are so long that this would take minutes.

    >>> found = merges_of_ranks({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4, b"aca": 5})
    >>> found.merges, found.unmade
    ([(b'b', b'c'), (b'a', b'bc')], [b'aca'])
    """
    _check_lengths(ranks)
    tokens = sorted(ranks, key=ranks.__getitem__)
    in_order = sorted(ranks.values())
    found = RankedMerges([], {}, [])
    merges, table = found.merges, found.table
    lefts, rights = (each.tolist() for each in sound_splits(tokens))
    for place, (token, left, right) in enumerate(zip(tokens, lefts, rights, strict=True)):
        if left != NONE:
            merge = tokens[left], tokens[right]
            if merge[0] + merge[1] != token:
                break
            table[in_order[left], in_order[right]] = len(merges), in_order[place]
            merges.append(merge)
        elif len(token) > 1:
            if _last_merge(token, ranks) is not None:
                break
            found.unmade.append(token)
    else:
        return found
    for token in tokens[place:]:
        _find_by_encoding(found, token, ranks)
    return found


def _check_lengths(ranks: Mapping[bytes, int]) -> None:
    if sum(len(token) ** 2 for token in ranks) > MOST_WORK:
        longest = max(map(len, ranks))
        raise VocabularyError(
            f"its tokens, of up to {longest:,} bytes, are too long to find their merges"
        )


def _find_by_encoding(found: RankedMerges, token: bytes, ranks: Mapping[bytes, int]) -> None:
    """Add to what is found how a token is made, by encoding its own bytes."""
    if len(token) == 1:
        return
    merge = _last_merge(token, ranks)
    if merge is None:
        found.unmade.append(token)
        return
    left, right = merge
    found.table[ranks[left], ranks[right]] = len(found.merges), ranks[token]
    found.merges.append(merge)


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
