"""The merges of vocabularies that only rank their tokens, as tiktoken's files do.

In such a vocabulary, two neighbours may merge if their joined bytes are a token. The lowest rank
merges first, and of equal ranks the leftmost. A text that is a single token is looked up before.

**A token has at most one merge.** Let two neighbours in a text join to the token. Before that,
nothing was merged across its two ends, so its bytes were encoded as if they were a text of their
own. The neighbours are therefore the last two parts in encoding the token's own bytes, in any text.
So pairs with ranks encode like the ranks. A token whose own bytes end in more than two parts is
made by no merge; it only occurs where a whole text is looked up.

**Finding the merges fast.** Consider the tokens in order of rank. As long as each is made of tokens
of lower rank, or by no merge, merges happen in order of rank. Then a split of a token is its merge
if the two parts become neighbours; `last_merges` finds these splits for all tokens at once. For a
token without such a split, and for all tokens from the first one made of tokens of higher rank, the
bytes are encoded instead.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

from engine.core.arrays import Ints, NumberTable
from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.core.slow_modules import np
from engine.encoding.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.encoding.merging import NONE, MergeArrays, MergeColumns, become_neighbours
from engine.encoding.tokenizer import Tokenizer
from engine.formats.tokenizer_format import made_by_merges
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
    missing = [byte for byte in range(256) if bytes((byte,)) not in ranks]
    if missing:
        raise VocabularyError(
            f"lacks {len(missing)} of the 256 single bytes, {bytes(missing[:1])!r} for one, "
            "without which not every text can be encoded; is it cut short?"
        )
    found = merges_of_ranks(ranks)
    vocab = {rank: token for token, rank in ranks.items()}
    alphabet: Alphabet = ByteAlphabet([ranks[bytes((byte,))] for byte in range(256)])
    if found.unmade:
        alphabet = WholeTokens(alphabet, {token: ranks[token] for token in found.unmade})
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
    ranked, _ = tokenizer_of_ranks(ranks, {}, tokenizer.pattern)
    made = {token_id for _, token_id in ranked.merge_table.values()}
    spell_alike = _spelling(ranked, made) == _spelling(tokenizer, made)
    if not spell_alike or not _merge_alike(ranked, tokenizer):
        raise VocabularyError(
            "ranks cannot describe these merges: tokens are not numbered in the order of their "
            "merges, or are made by no merge of two tokens"
        )
    return ranks


def _merge_alike(ranked: Tokenizer, tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer merges like its ranks.

    It may have other pairs that join to a token, as tokenizer.json files made from ranks do. They
    are never neighbours, so they change nothing.
    """
    merges, known = made_by_merges(ranked), ranked.merge_table
    vocab = tokenizer.vocab
    theirs = made_by_merges(tokenizer)
    return merges == [each for each in theirs if each[0] in known] and all(
        vocab[left] + vocab[right] == vocab[made] for (left, right), made in theirs
    )


def _spelling(tokenizer: Tokenizer, made: Set[int]) -> tuple[object, ...]:
    """Return the alphabet, and its whole tokens without those that merges make."""
    alphabet = tokenizer.alphabet
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
    if sum(len(token) ** 2 for token in ranks) > MOST_WORK:
        raise VocabularyError(
            f"its tokens, of up to {max(map(len, ranks)):,} bytes, are too long to find their "
            "merges"
        )
    tokens = sorted(ranks, key=ranks.__getitem__)
    left, right = last_merges(tokens)
    unmade = [place for place in np.flatnonzero(left == NONE).tolist() if len(tokens[place]) > 1]
    # The first token whose merge was not found: one of its parts has a higher rank.
    known = next((place for place in unmade if _last_merge(tokens[place], ranks)), len(tokens))
    made = np.flatnonzero(left[:known] != NONE)
    in_order = np.array(sorted(ranks.values()), dtype=np.int64)
    columns = (in_order[left[made]], in_order[right[made]], in_order[made])
    more, more_unmade = _found_by_encoding(tokens[known:], ranks)
    lefts, rights, wholes = (np.concatenate(each) for each in zip(columns, more, strict=True))
    ordered = MergeColumns(lefts, rights, np.arange(len(wholes)), wholes)
    found = [tokens[place] for place in unmade if place < known]
    return RankedMerges(MergeArrays(ordered), found + more_unmade)


def _found_by_encoding(
    tokens: Sequence[bytes], ranks: Mapping[bytes, int]
) -> tuple[Ints, list[bytes]]:
    """Return left part, right part and rank of each token's merge, and the tokens without one."""
    rows: list[tuple[int, int, int]] = []
    unmade: list[bytes] = []
    for token in tokens:
        if len(token) == 1:
            continue
        merge = _last_merge(token, ranks)
        if merge is None:
            unmade.append(token)
        else:
            rows.append((ranks[merge[0]], ranks[merge[1]], ranks[token]))
    return np.array(rows, dtype=np.int64).reshape(-1, 3).T, unmade


def _last_merge(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """Return the last two parts in encoding a token's own bytes; `None` if more remain."""
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


# The split of each token that is its last merge, for all tokens at once
#
# A token is named by its place in order of rank. The merges of its parts must be known, and these
# are shorter. So tokens are processed by length, all of one length together.


def last_merges(tokens: Sequence[bytes]) -> tuple[Ints, Ints]:
    """Return the two parts of each token's last merge, both older than it; `NONE` if it has none.

    The result is valid for a token if all older tokens have such parts or are made by no merge.

    >>> last_merges([b"a", b"b", b"c", b"bc", b"abc", b"abca"])
    (array([-1, -1, -1,  1,  0,  4]), array([-1, -1, -1,  2,  3,  0]))
    """
    whole, left, right = _splits(tokens)
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    parts = np.full((2, len(tokens)), NONE, dtype=np.int64)
    is_made = lengths == 1  # tokens that merges make are added
    age = np.where(is_made, NONE, np.arange(len(tokens), dtype=np.int64))
    joined = NumberTable(left * len(tokens) + right, whole)
    older = np.flatnonzero(np.maximum(left, right) < whole)
    order = older[np.argsort(lengths[whole[older]], kind="stable")]
    for wave in np.split(order, np.flatnonzero(np.diff(lengths[whole[order]])) + 1):
        possible = wave[is_made[left[wave]] & is_made[right[wave]]]
        meet = become_neighbours(left[possible], right[possible], (parts[0], parts[1]), age, joined)
        merges = possible[meet]
        parts[:, whole[merges]] = left[merges], right[merges]
        is_made[whole[merges]] = True
    return parts[0], parts[1]


def _splits(tokens: Sequence[bytes]) -> Ints:
    """Return all tokens that are two tokens joined, as places: whole, left part, right part."""
    place_of = {token: place for place, token in enumerate(tokens)}
    splits = array("q")
    for whole, token in enumerate(tokens):
        for cut in range(1, len(token)):
            left = place_of.get(token[:cut])
            if left is not None and (right := place_of.get(token[cut:])) is not None:
                splits.extend((whole, left, right))
    return np.array(splits, dtype=np.int64).reshape(-1, 3).T
