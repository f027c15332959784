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
if nothing merges across the split earlier; `last_merges` finds these splits for all tokens at once.
For a token without such a split, and for all tokens from the first one made of tokens of higher
rank, the bytes are encoded instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import add
from typing import NamedTuple, TypeAlias

from engine.core.arrays import NOT_THERE, Bools, Ints, NumberTable
from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.core.slow_modules import np
from engine.encoding.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.encoding.merging import MergeArrays, MergeColumns
from engine.encoding.tokenizer import Tokenizer
from engine.formats.tokenizer_format import made_by_merges
from engine.text.patterns import PatternLike

# From ranks to a tokenizer that encodes like tiktoken, and back

SHOWN = 3
"""Number of tokens that a note names before `…`."""


def tokenizer_of_ranks(
    ranks: Mapping[bytes, int],
    special_ids: Mapping[str, int],
    pattern: PatternLike,
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

MOST_WORK = 1 << 30
"""Largest sum of the squares of the tokens' lengths; cl100k_base has 2 ** 23."""

MOST_ENCODING_WORK = 1 << 27
"""Largest sum for tokens whose merges are found by encoding them, which takes longer."""

NEVER = 1 << 62


@dataclass(frozen=True)
class RankedMerges:
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
        VocabularyError: the tokens are so long that this would take minutes.

    >>> found = merges_of_ranks({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4, b"aca": 5})
    >>> dict(found.table), found.unmade
    ({(1, 2): (0, 3), (0, 3): (1, 4)}, [b'aca'])
    """
    lengths = np.fromiter(map(len, ranks), dtype=np.int64, count=len(ranks))
    if np.dot(lengths, lengths) > MOST_WORK:
        raise VocabularyError(
            f"its tokens, of up to {lengths.max():,} bytes, are too long to find their merges"
        )
    tokens = sorted(ranks, key=ranks.__getitem__)
    in_order = np.array(sorted(ranks.values()), dtype=np.int64)
    left, right = last_merges(tokens)
    made = np.flatnonzero(left != NONE)
    merged = map(add, _each(tokens, left[made]), _each(tokens, right[made]))
    unmade = [place for place in np.flatnonzero(left == NONE).tolist() if len(tokens[place]) > 1]
    known = len(tokens)
    for place, token, whole in zip(made.tolist(), _each(tokens, made), merged, strict=True):
        if token != whole:
            known = place
            break
    known = next((n for n in unmade if n < known and _last_merge(tokens[n], ranks)), known)
    kept = made[: np.searchsorted(made, known)]
    found = [tokens[place] for place in unmade if place < known]
    more, more_unmade = _found_by_encoding(tokens[known:], ranks)
    columns = (in_order[left[kept]], in_order[right[kept]], in_order[kept])
    parts = [np.concatenate(each) for each in zip(columns, more, strict=True)]
    ordered = MergeColumns(parts[0], parts[1], np.arange(len(parts[2])), parts[2])
    return RankedMerges(MergeArrays(ordered), found + more_unmade)


def _each(tokens: Sequence[bytes], places: Ints) -> Iterator[bytes]:
    return map(tokens.__getitem__, places.tolist())


def _found_by_encoding(
    tokens: Sequence[bytes], ranks: Mapping[bytes, int]
) -> tuple[Ints, list[bytes]]:
    """Return left part, right part and rank of each token's merge, and the tokens without one.

    Raises:
        VocabularyError: the tokens are so long that this would take long.
    """
    if sum(len(token) ** 2 for token in tokens) > MOST_ENCODING_WORK:
        raise VocabularyError(
            f"its tokens, of up to {max(map(len, tokens)):,} bytes, are too long for ranks that "
            "are in no order of merges"
        )
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
# A token is named by its place in order of rank, so the younger of two has the higher number.
# Undoing merges shows whether the parts of a split become neighbours, as in
# `engine.recording.token_table`. This needs the merges of the parts, which are shorter. So tokens
# are processed by length, all of one length together.

NONE = -1
"""The place of a part that does not exist."""


def last_merges(tokens: Sequence[bytes]) -> tuple[Ints, Ints]:
    """Return the two parts of each token's last merge, both older than it; `NONE` if it has none.

    The result is valid for a token if all older tokens have such parts or are made by no merge.
    The caller must compare the bytes: see `splits_of`.

    >>> last_merges([b"a", b"b", b"c", b"bc", b"abc"])
    (array([-1, -1, -1,  1,  0]), array([-1, -1, -1,  2,  3]))
    """
    splits = splits_of(tokens)
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    undoing = _Undoing(splits, lengths)
    older = np.maximum(splits.left, splits.right) < splits.whole
    whole, left, right = (column[older] for column in splits)
    order = np.argsort(lengths[whole], kind="stable")
    for wave in np.split(order, np.flatnonzero(np.diff(lengths[whole[order]])) + 1):
        undoing.settle(whole[wave], left[wave], right[wave])
    return undoing.left, undoing.right


class _Undoing:
    """The merges known so far, which show whether two tokens become neighbours."""

    def __init__(self, splits: Splits, lengths: Ints) -> None:
        tokens = len(lengths)
        self.left = np.full(tokens, NONE, dtype=np.int64)
        self.right = np.full(tokens, NONE, dtype=np.int64)
        self._tokens = tokens
        self._is_made = lengths == 1  # tokens that merges make are added
        self._age = np.where(lengths == 1, NONE, np.arange(tokens, dtype=np.int64))
        self._joined = NumberTable(splits.left * tokens + splits.right, splits.whole)

    def settle(self, whole: Ints, left: Ints, right: Ints) -> None:
        """Keep those splits that are merges; the merges of all their parts must be known."""
        possible = np.flatnonzero(self._is_made[left] & self._is_made[right])
        sound = possible[self._become_neighbours(left[possible], right[possible])]
        self.left[whole[sound]], self.right[whole[sound]] = left[sound], right[sound]
        self._is_made[whole[sound]] = True

    def _become_neighbours(self, left: Ints, right: Ints) -> Bools:
        """Whether two tokens become neighbours when their joined text is encoded."""
        sound = np.ones(len(left), dtype=np.bool_)
        open_splits = np.arange(len(left))
        while len(open_splits):
            left_age, right_age = self._age[left], self._age[right]
            left_is_younger = left_age > right_age
            # Of equal merges the leftmost is made first, so one across the split precedes.
            limit = np.where(left_is_younger, left_age, right_age + 1)
            left, right = (
                np.where(left_is_younger, self.right[left], left),
                np.where(left_is_younger | (right_age == NONE), right, self.left[right]),
            )
            joined = self._joined.of(left * self._tokens + right)
            broken = (joined != NOT_THERE) & (joined < limit)
            sound[open_splits[broken]] = False
            bytes_only = (self._age[left] == NONE) & (self._age[right] == NONE)
            go_on = np.flatnonzero(~broken & ~bytes_only)
            open_splits, left, right = open_splits[go_on], left[go_on], right[go_on]
        return sound


# All ways to cut tokens into two others
#
# Slicing each token at each place and looking up both parts in a dict takes a second for 200,000
# tokens. Here all places are tried together with a hash: the sum of byte · B^place, modulo 2 ** 64.
# The hash of any part of a text follows from the hashes of the text's beginnings. Divided by
# B^start (B is odd, so it has an inverse) it does not depend on the part's place.
#
# Two texts may have the same hash, so a split found here may be wrong and its bytes must be
# compared. No split is missed, provided that all tokens have different hashes; if two have the
# same, no splits are returned.

BLOCK = 1 << 18
"""Number of bytes of tokens that are hashed together, which takes fifty times their memory."""

_BASE = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64
_SIGN = _MODULUS // 2 - 1

Hashes: TypeAlias = "np.typing.NDArray[np.uint64]"


class Splits(NamedTuple):
    """Tokens `whole` that are the tokens `left` and `right` joined, as places in the given list."""

    whole: Ints
    left: Ints
    right: Ints


class _Powers(NamedTuple):
    """B^n and B^−n for each n."""

    up: Hashes
    down: Hashes


class _TokenBlock(NamedTuple):
    """Joined tokens: the place of the first, starts and ends of each, hash sums up to each byte."""

    first: int
    starts: Ints
    ends: Ints
    sums: Hashes


def splits_of(tokens: Sequence[bytes]) -> Splits:
    """Return the splits of tokens into two of the tokens, by hash; their bytes must be compared.

    >>> splits_of([b"a", b"b", b"ab"])
    Splits(whole=array([2]), left=array([0]), right=array([1]))
    """
    lengths = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
    powers = _powers(BLOCK + int(lengths.max(initial=0)) + 1)
    blocks = list(_blocks(tokens, lengths, powers))
    hashes = [_hashes(each, each.starts, each.ends, powers) for each in blocks]
    rows = np.arange(len(tokens), dtype=np.int64)
    keys = np.concatenate([rows[:0], *hashes])
    table = NumberTable(keys, rows)
    if not np.array_equal(table.of(keys), rows):
        return Splits(rows[:0], rows[:0], rows[:0])
    found = [_splits_in(each, table, powers) for each in blocks]
    return Splits(*(np.concatenate([rows[:0], *column]) for column in zip(*found, strict=True)))


def _powers(count: int) -> _Powers:
    def powers_of(base: int) -> Hashes:
        factors = np.full(count, base, dtype=np.uint64)
        factors[0] = 1
        return np.cumprod(factors, dtype=np.uint64)

    return _Powers(powers_of(_BASE), powers_of(pow(_BASE, -1, _MODULUS)))


def _blocks(tokens: Sequence[bytes], lengths: Ints, powers: _Powers) -> Iterator[_TokenBlock]:
    ends = np.cumsum(lengths)
    first = done = 0
    while first < len(tokens):
        behind = int(np.searchsorted(ends, done + BLOCK, side="right"))
        behind = max(behind, first + 1)
        joined = np.frombuffer(b"".join(tokens[first:behind]), dtype=np.uint8)
        sums = np.zeros(len(joined) + 1, dtype=np.uint64)
        # The byte plus one; otherwise zero bytes at the start of a text would not change its hash.
        np.cumsum((joined + np.uint64(1)) * powers.up[: len(joined)], out=sums[1:])
        own_ends = ends[first:behind] - done
        yield _TokenBlock(first, own_ends - lengths[first:behind], own_ends, sums)
        first, done = behind, int(ends[behind - 1])


def _hashes(block: _TokenBlock, starts: Ints, ends: Ints, powers: _Powers) -> Ints:
    """Return the hashes of parts of the block's text, without the sign bit."""
    hashes = (block.sums[ends] - block.sums[starts]) * powers.down[starts]
    return (hashes & _SIGN).view(np.int64)


def _splits_in(block: _TokenBlock, table: NumberTable, powers: _Powers) -> Splits:
    inner = np.maximum(block.ends - block.starts - 1, 0)
    owner = np.repeat(np.arange(len(inner), dtype=np.int64), inner)
    place = np.arange(len(owner), dtype=np.int64) - np.repeat(np.cumsum(inner) - inner, inner)
    place += block.starts[owner] + 1
    left = table.of(_hashes(block, block.starts[owner], place, powers))
    known = np.flatnonzero(left != NOT_THERE)
    owner, place, left = owner[known], place[known], left[known]
    right = table.of(_hashes(block, place, block.ends[owner], powers))
    known = np.flatnonzero(right != NOT_THERE)
    return Splits(owner[known] + block.first, left[known], right[known])
