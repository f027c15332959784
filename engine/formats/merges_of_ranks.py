"""The merges of vocabularies that only rank their tokens, as tiktoken's files do.

In such a vocabulary, two neighbours may merge if their joined bytes are a token. The lowest rank
merges first, and of equal ranks the leftmost. A text that is a single token is looked up before.

**A token has at most one merge.** Let two neighbours in a text join to the token. Before that,
nothing was merged across its two ends, so its bytes were encoded as if they were a text of their
own. The neighbours are therefore the last two parts in encoding the token's own bytes, in any text.
So pairs with ranks encode like the ranks. A token whose own bytes end in more than two parts is
made by no merge; it only occurs where a whole text is looked up.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set
from operator import mul
from typing import NamedTuple

from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.encoding.merging import MergeArrays, columns_of
from engine.encoding.tokenizer import Tokenizer
from engine.native import KERNEL
from engine.native.vocabularies import RankedPairs, split_by_ranks
from engine.text.patterns import PatternLike

# From ranks to a tokenizer that encodes like tiktoken, and back

SHOWN = 3
"""Number of tokens that a note names before `…`."""


def tokenizer_of_ranks(
    ranks: Mapping[bytes, int], special_ids: Mapping[str, int], pattern: PatternLike
) -> tuple[Tokenizer, list[str]]:
    """Return the tokenizer whose ids are the ranks, and notes about it.

    Args:
        ranks: token → rank; no rank twice.
        special_ids: special token → id.

    Raises:
        VocabularyError: a byte has no rank, or the tokens are too long.
    """
    alphabet, found = _parts_of_ranks(ranks)
    vocab = {rank: token for token, rank in ranks.items()}
    made = Tokenizer(vocab, None, special_ids, pattern, alphabet=alphabet, table=found.table)
    if not found.unmade:
        return made, []
    more = ", …" if len(found.unmade) > SHOWN else ""
    shown = ", ".join(map(spell, found.unmade[:SHOWN])) + more
    note = (
        f"no merge can be found for {len(found.unmade):,} of its tokens ({shown}): "
        "only a pretoken that is just such a token becomes one"
    )
    return made, [note]


def ranks_of(tokenizer: Tokenizer) -> dict[bytes, int]:
    """Return the ranks with which tiktoken encodes like the tokenizer.

    Raises:
        VocabularyError: there are no such ranks.
    """
    ranks = {
        token: token_id
        for token_id, token in tokenizer.vocab.items()
        if token_id not in tokenizer.special_ids
    }
    if len(ranks) + len(tokenizer.special_ids) < len(tokenizer.vocab):
        raise VocabularyError("two ids have the same bytes, and ranks can hold only one")
    alphabet, found = _parts_of_ranks(ranks)
    made = set(columns_of(found.table).made)
    spell_alike = _spelling(alphabet, made) == _spelling(tokenizer.alphabet, made)
    if not spell_alike or not _merge_alike(found.table, tokenizer):
        raise VocabularyError(
            "ranks cannot describe these merges: tokens are not numbered in the order of their "
            "merges, or are made by no merge of two tokens"
        )
    return ranks


def _parts_of_ranks(ranks: Mapping[bytes, int]) -> tuple[Alphabet, RankedMerges]:
    """Return the alphabet and the merges of ranked tokens.

    Raises:
        VocabularyError: as for `tokenizer_of_ranks`.
    """
    missing = [byte for byte in range(256) if bytes((byte,)) not in ranks]
    if missing:
        raise VocabularyError(
            f"lacks {len(missing)} of the 256 single bytes, {bytes(missing[:1])!r} for one, "
            "without which not every text can be encoded; is it cut short?"
        )
    found = merges_of_ranks(ranks)
    alphabet = ByteAlphabet([ranks[bytes((byte,))] for byte in range(256)])
    if not found.unmade:
        return alphabet, found
    return WholeTokens(alphabet, {token: ranks[token] for token in found.unmade}), found


def _merge_alike(ranked: Mapping[Pair, tuple[int, int]], tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer merges like its ranks.

    It may have other pairs that join to a token, as tokenizer.json files made from ranks do. They
    are never neighbours, so they change nothing.
    """
    ours, theirs = (
        list(zip(n.left, n.right, n.made, strict=True))
        for n in map(columns_of, (ranked, tokenizer.merge_table))
    )
    vocab = tokenizer.vocab
    return ours == theirs or (
        ours == [each for each in theirs if each[:2] in ranked]
        and all(vocab[left] + vocab[right] == vocab[made] for left, right, made in theirs)
    )


def _spelling(alphabet: Alphabet, made: Set[int]) -> tuple[object, ...]:
    """Return the alphabet, and its whole tokens without those that merges make."""
    if not isinstance(alphabet, WholeTokens):
        return alphabet, {}
    return alphabet.inner, {
        token: token_id
        for token, token_id in alphabet.whole.items()
        if token_id not in made and len(token) > 1
    }


# From ranks to merges

MOST_WORK = 1 << 27
"""Largest sum of the squares of the tokens' lengths; cl100k_base has 2 ** 23."""

NEVER = 1 << 62


class RankedMerges(NamedTuple):
    """The merges of a ranked vocabulary.

    Attributes:
        table: the merges in order: pair of ranks → (place, rank of the new token).
        unmade: the tokens that no merge makes.
    """

    table: Mapping[Pair, tuple[int, int]]
    unmade: list[bytes]


def merges_of_ranks(ranks: Mapping[bytes, int]) -> RankedMerges:
    """Find the merges of a vocabulary token → rank, and the tokens without one.

    Raises:
        VocabularyError: the tokens are so long that this would take long.

    >>> found = merges_of_ranks({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4, b"aca": 5})
    >>> dict(found.table), found.unmade
    ({(1, 2): (0, 3), (0, 3): (1, 4)}, [b'aca'])
    """
    lengths = list(map(len, ranks))
    if sum(map(mul, lengths, lengths)) > MOST_WORK:
        raise VocabularyError(
            f"its tokens, of up to {max(lengths):,} bytes, are too long to find their merges"
        )
    tokens = sorted(ranks, key=ranks.__getitem__)
    places = sorted(ranks.values())
    in_kernel = KERNEL is not None and places[-1] < 2**31
    found = split_by_ranks(tokens, places) if in_kernel else _split_by_ranks(tokens, ranks)
    unmade = [tokens[place] for place in found.unmade]
    return RankedMerges(MergeArrays(found.pairs, found.made), unmade)


def _split_by_ranks(tokens: Sequence[bytes], ranks: Mapping[bytes, int]) -> RankedPairs:
    """Do what the kernel's function does."""
    found = RankedPairs(array("q"), array("q"), array("q"))
    for place, token in enumerate(tokens):
        merge = _last_merge(token, ranks)
        if merge is not None:
            found.made.extend((len(found.made) // 2, ranks[token]))
            found.pairs.extend(map(ranks.__getitem__, merge))
        elif len(token) > 1:
            found.unmade.append(place)
    return found


def _last_merge(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """Return the last two parts in encoding a token's own bytes; `None` if more or fewer remain."""
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
    return (parts[0], parts[1]) if len(parts) == 2 else None
