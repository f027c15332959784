"""Vocabularies that only rank their tokens, as tiktoken's files do: the merges behind them.

There, any two neighbours whose joined bytes are a token may merge, the lowest rank first and of
equal ones the leftmost; and a text that is one token as a whole is looked up before.

**A token has one merge at most.** Let two neighbours in a text join to the token. Until then
nothing was merged across its two ends, so between them everything went as if its bytes stood
alone: the neighbours are the last two parts that encoding the token's own bytes gives, whatever
the text. So pairs with ranks encode what the ranks do. A token whose own bytes do not come down to
two parts is made by no merge in any text, and is met only where a text is looked up whole.

**Finding it fast.** While every token so far is made of tokens of lower rank, or by no merge,
merges happen in order of rank, and a split of a token is its merge if nothing merges across it
earlier: `last_merges` finds that split for all tokens at once. A token without one, and from the
first on that is made of younger tokens every token, has its bytes encoded instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from operator import add
from typing import NamedTuple, TypeAlias

from engine.core.arrays import NOT_THERE, Bools, Ints, NumberTable, np
from engine.core.errors import VocabularyError
from engine.core.events import Pair
from engine.core.gpt2_bytes import spell
from engine.encoding.alphabet import Alphabet, ByteAlphabet, WholeTokens
from engine.encoding.merging import MergeArrays, MergeColumns
from engine.encoding.tokenizer import Tokenizer
from engine.formats.writing import made_by_merges
from engine.text.patterns import PatternLike

# From ranks to a tokenizer that encodes as tiktoken does with them, and back

SHOWN = 3
"""Tokens that a note names before it says how many more there are."""


def tokenizer_of_ranks(
    ranks: Mapping[bytes, int],
    special_ids: Mapping[str, int],
    pattern: PatternLike,
) -> tuple[Tokenizer, list[str]]:
    """The tokenizer whose ids are the ranks, and what is to be said about it.

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
    return made, _note_unmade(found.unmade)


def _note_unmade(unmade: Sequence[bytes]) -> list[str]:
    if not unmade:
        return []
    shown = ", ".join(map(spell, unmade[:SHOWN])) + (", …" if len(unmade) > SHOWN else "")
    return [
        f"no merge can be found for {len(unmade):,} of its tokens ({shown}): "
        "only a pretoken that is just such a token becomes one"
    ]


def ranks_of(tokenizer: Tokenizer) -> dict[bytes, int]:
    """The ranks with which tiktoken encodes as the tokenizer does.

    Raises:
        VocabularyError: there are none.
    """
    ranks = {
        token: token_id
        for token_id, token in tokenizer.vocab.items()
        if token_id not in tokenizer.special_ids
    }
    if len(ranks) + len(tokenizer.special_ids) < len(tokenizer.vocab):
        raise VocabularyError("two ids stand for the same bytes, and ranks can say only one")
    ranked, _ = tokenizer_of_ranks(ranks, {}, tokenizer.pattern)
    made = {token_id for _, token_id in ranked.merge_table.values()}
    spell_alike = _spelling(ranked, made) == _spelling(tokenizer, made)
    if not spell_alike or not _merge_alike(ranked, tokenizer):
        raise VocabularyError(
            "ranks cannot say what merges here: tokens are not numbered in the order of their "
            "merges, or are made by no merge of two tokens"
        )
    return ranks


def _merge_alike(ranked: Tokenizer, tokenizer: Tokenizer) -> bool:
    """Whether a tokenizer merges as its ranks do.

    It may list other pairs that join to a token, as tokenizer.json files made from ranks do: they
    never stand side by side, so they count for nothing.
    """
    merges, known = made_by_merges(ranked), ranked.merge_table
    vocab = tokenizer.vocab
    theirs = made_by_merges(tokenizer)
    return merges == [each for each in theirs if each[0] in known] and all(
        vocab[left] + vocab[right] == vocab[made] for (left, right), made in theirs
    )


def _spelling(tokenizer: Tokenizer, made: Set[int]) -> tuple[object, ...]:
    """What a pretoken is before any merge; whole tokens that are made anyway do not count."""
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
"""The squares of the tokens' lengths, added up; cl100k_base has 2 ** 23."""

NEVER = 1 << 62

Merge = tuple[bytes, bytes]


@dataclass(frozen=True)
class RankedMerges:
    """What ranks say.

    Attributes:
        table: the merges in order: pair of ranks → (place, rank of what it makes).
        unmade: the tokens that no merge makes.
    """

    table: Mapping[Pair, tuple[int, int]]
    unmade: list[bytes]


def merges_of_ranks(ranks: Mapping[bytes, int]) -> RankedMerges:
    """The merges of a vocabulary token → rank, and the tokens without one.

    Raises:
        VocabularyError: the tokens are so long that this would take minutes.

    >>> found = merges_of_ranks({b"a": 0, b"b": 1, b"c": 2, b"bc": 3, b"abc": 4, b"aca": 5})
    >>> dict(found.table), found.unmade
    ({(1, 2): (0, 3), (0, 3): (1, 4)}, [b'aca'])
    """
    _check_lengths(ranks)
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


def _check_lengths(ranks: Mapping[bytes, int]) -> None:
    lengths = np.fromiter(map(len, ranks), dtype=np.int64, count=len(ranks))
    if np.dot(lengths, lengths) > MOST_WORK:
        longest = max(map(len, ranks))
        raise VocabularyError(
            f"its tokens, of up to {longest:,} bytes, are too long to find their merges"
        )


def _found_by_encoding(
    tokens: Sequence[bytes], ranks: Mapping[bytes, int]
) -> tuple[Ints, list[bytes]]:
    """The left parts, right parts and ranks of some tokens, and those without a merge."""
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


# Which split of a token is its last merge, for all tokens at once
#
# Tokens are named by their places in order of rank, so of two the younger has the greater number.
# Whether the parts of a split come to stand side by side is found by undoing, as in
# `engine.recording.token_table`, and for that the merges of the parts have to be known.
# They are shorter: so the tokens are gone through by length, all of one length together.


NONE = -1
"""Stands for a part where there is none."""


def last_merges(tokens: Sequence[bytes]) -> tuple[Ints, Ints]:
    """The last merge of each token: its two parts, both older; `NONE` where there is none.

    It holds for a token if all older ones have such parts or are made by no merge, and if the
    parts' bytes are the token's: see `Splits`.

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
    """The merges known so far, and what they say of two neighbours."""

    def __init__(self, splits: Splits, lengths: Ints) -> None:
        tokens = len(lengths)
        self.left = np.full(tokens, NONE, dtype=np.int64)
        self.right = np.full(tokens, NONE, dtype=np.int64)
        self._tokens = tokens
        self._stands = lengths == 1  # what a merge makes will be added
        self._age = np.where(lengths == 1, NONE, np.arange(tokens, dtype=np.int64))
        self._joined = NumberTable(splits.left * tokens + splits.right, splits.whole)

    def settle(self, whole: Ints, left: Ints, right: Ints) -> None:
        """Keep the sound ones of some splits, all merges of their parts being known."""
        possible = np.flatnonzero(self._stands[left] & self._stands[right])
        sound = possible[self._come_together(left[possible], right[possible])]
        self.left[whole[sound]], self.right[whole[sound]] = left[sound], right[sound]
        self._stands[whole[sound]] = True

    def _come_together(self, left: Ints, right: Ints) -> Bools:
        """Whether two tokens, encoded as one text, come to stand side by side."""
        sound = np.ones(len(left), dtype=np.bool_)
        open_splits = np.arange(len(left))
        while len(open_splits):
            left_age, right_age = self._age[left], self._age[right]
            left_is_younger = left_age > right_age
            # Of equal merges the left one is made first, so one across the split comes before.
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
# Slicing each token at each place and looking both parts up in a dict takes a second for 200,000
# tokens. Here all places are looked at together, by a hash that follows for any part of a text
# from the hashes of its beginnings: the sum of byte · B^place, modulo 2 ** 64. Divided by B^start
# (B is odd, so it has an inverse) it is the same wherever the part stands.
#
# Two texts may have one hash, so a split found here is a claim: whoever uses it compares the bytes.
# A split that is there is never missed, provided that no two tokens have one hash; if two have,
# none is claimed at all.

BLOCK = 1 << 18
"""Bytes of tokens that are looked at together: what is made of them takes fifty times the room."""

_BASE = 0x9E3779B97F4A7C15
_MODULUS = 1 << 64
_SIGN = _MODULUS // 2 - 1

Hashes: TypeAlias = "np.typing.NDArray[np.uint64]"


class Splits(NamedTuple):
    """Token `whole` is token `left` and then token `right`; all are places in the list given."""

    whole: Ints
    left: Ints
    right: Ints


class _Powers(NamedTuple):
    """B^n and B^−n for each n."""

    up: Hashes
    down: Hashes


class _Block(NamedTuple):
    """Some tokens: the place of the first, where each begins and ends, sums up to each byte."""

    first: int
    starts: Ints
    ends: Ints
    sums: Hashes


def splits_of(tokens: Sequence[bytes]) -> Splits:
    """Each split of each token into two of the tokens, as far as hashes tell.

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


def _blocks(tokens: Sequence[bytes], lengths: Ints, powers: _Powers) -> Iterator[_Block]:
    ends = np.cumsum(lengths)
    first = done = 0
    while first < len(tokens):
        behind = int(np.searchsorted(ends, done + BLOCK, side="right"))
        behind = max(behind, first + 1)
        joined = np.frombuffer(b"".join(tokens[first:behind]), dtype=np.uint8)
        sums = np.zeros(len(joined) + 1, dtype=np.uint64)
        # One more than the byte: else a zero in front of a text would not count.
        np.cumsum((joined + np.uint64(1)) * powers.up[: len(joined)], out=sums[1:])
        own_ends = ends[first:behind] - done
        yield _Block(first, own_ends - lengths[first:behind], own_ends, sums)
        first, done = behind, int(ends[behind - 1])


def _hashes(block: _Block, starts: Ints, ends: Ints, powers: _Powers) -> Ints:
    """The hashes of parts of the block's text, the sign cut off."""
    hashes = (block.sums[ends] - block.sums[starts]) * powers.down[starts]
    return (hashes & _SIGN).view(np.int64)


def _splits_in(block: _Block, table: NumberTable, powers: _Powers) -> Splits:
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
