"""`TokenTable`: all tokens of a vocabulary with the merges that make them, as arrays.

A token is named by its row: in a run its place in the order of making, else in the order of ids.
Only what never changes stands here. In a run the tokens of step k are the first rows of the run's
table: so nothing below is computed again when the step changes.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import compress
from operator import ne
from typing import ClassVar, TypeVar

from engine.core.arrays import NOT_THERE, Bools, Ints, NumberTable, np
from engine.core.events import Pair
from engine.encoding.alphabet import Alphabet
from engine.encoding.batch_encoder import BatchEncoder
from engine.encoding.encoders import Cached
from engine.encoding.merging import MergeColumns, columns_of
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import in_lower_case, to_texts

NONE = -1
"""Stands in a column of rows, ranks or counts where there is none."""


@dataclass(frozen=True)
class MergeRows:
    """Merges in order of rank: the rows of the two parts and of what they make, and the ranks."""

    left: Ints
    right: Ints
    made: Ints
    rank: Ints

    def __len__(self) -> int:
        return len(self.rank)

    @classmethod
    def of(cls, merges: Iterable[tuple[Pair, int, int]]) -> MergeRows:
        """From (pair of rows, row made, rank) each."""
        rows = [(left, right, made, rank) for (left, right), made, rank in merges]
        return cls(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)

    @classmethod
    def of_table(cls, table: Mapping[Pair, tuple[int, int]], ids: Ints) -> MergeRows:
        """From pair → (rank, id made); row n is the token `ids[n]`, and these ascend."""
        left, right, rank, made = columns_of(table)
        left, right, made = (np.searchsorted(ids, each) for each in (left, right, made))
        return cls(left, right, made, rank)


NO_TWIN = 2**63 - 1


def least_twins(tokens: Sequence[bytes], sign: bytes) -> Ints:
    """For each token the first row that holds a twin of it, `NO_TWIN` without one.

    Twins are two tokens that differ only by case, or only by one `sign` at the beginning: by a
    space in BPE, which stands before a word, or by WordPiece's `##`, inside of one. A token has a
    twin among the first n tokens just if its number here is less than n.
    """
    first_row = _first_rows(tokens)
    twins = np.full(len(tokens), NO_TWIN, dtype=np.int64)
    for rows, others in (_by_case(tokens, first_row), _by_sign(first_row, sign)):
        np.minimum.at(twins, rows, others)
        np.minimum.at(twins, others, rows)
    if len(first_row) == len(tokens):
        return twins
    # Tokens of the same bytes have the same twins.
    return twins[np.array([first_row[token] for token in tokens], dtype=np.int64)]


Item = TypeVar("Item", bound=Hashable)


def _first_rows(tokens: Sequence[Item]) -> dict[Item, int]:
    """The first row of each."""
    # Of equal keys the last stays: go through them from the end, so that it is the first.
    return dict(zip(reversed(tokens), reversed(range(len(tokens))), strict=True))


def _by_case(tokens: Sequence[bytes], first_row: dict[bytes, int]) -> tuple[Ints, Ints]:
    """The rows of some tokens, and of each the first that is the same in lower case."""
    rows = np.array(sorted(first_row.values()), dtype=np.int64)
    texts = to_texts([tokens[row] for row in rows.tolist()])
    lower = in_lower_case(texts)
    # Of twins one at least has capitals: only what is the same as such a one is compared.
    has_capitals = set(compress(lower, map(ne, texts, lower)))
    some = np.fromiter(map(has_capitals.__contains__, lower), np.bool_, len(lower))
    rows, lower = rows[some], list(compress(lower, some))
    first = _first_rows(lower)
    twins = rows[np.fromiter(map(first.__getitem__, lower), dtype=np.int64, count=len(lower))]
    differ = twins != rows
    return rows[differ], twins[differ]


def _by_sign(first_row: dict[bytes, int], sign: bytes) -> tuple[Ints, Ints]:
    """The rows of some tokens that begin with the sign, and of the same ones without it."""
    signed = [
        (row, token.removeprefix(sign))
        for token, row in first_row.items()
        if token.startswith(sign)
    ]
    pairs = [(row, first_row[bare]) for row, bare in signed if bare and bare in first_row]
    rows, twins = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return rows, twins


@dataclass(frozen=True)
class TokenTable:
    """The tokens by row.

    Attributes:
        ids: the id of each.
        tokens: the bytes of each.
        merges: all merges, in order of rank.
        special_rows: the rows of the special tokens.
        alphabet: what a pretoken is spelled in, in ids, before any merge.
    """

    SIGN: ClassVar[bytes] = b" "
    """What stands in front of a token, or does not: before a word, here."""

    ids: Ints
    tokens: Sequence[bytes]
    merges: MergeRows
    special_rows: Ints
    alphabet: Alphabet

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer) -> TokenTable:
        """The vocabulary of any tokenizer; its ids may leave gaps."""
        ids = sorted(tokenizer.vocab)
        in_order = np.array(ids, dtype=np.int64)
        return cls(
            in_order,
            list(map(tokenizer.vocab.__getitem__, ids)),
            MergeRows.of_table(tokenizer.merge_table, in_order),
            np.searchsorted(in_order, np.array(sorted(tokenizer.special_ids), dtype=np.int64)),
            tokenizer.alphabet,
        )

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def base_rows(self) -> Ints:
        """The rows of the tokens that no merge has to make."""
        row_of = self.row_of
        return np.array([row_of[token_id] for token_id in self.alphabet.token_ids], dtype=np.int64)

    @cached_property
    def row_of(self) -> dict[int, int]:
        """id → row, the first of a token that is made more than once."""
        ids = self.ids.tolist()
        return dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True))

    @cached_property
    def by_id(self) -> Ints:
        """The rows in the order of their ids."""
        return np.argsort(self.ids, kind="stable")

    @cached_property
    def lengths(self) -> Ints:
        """Bytes of each token as it is written."""
        return np.fromiter(map(len, self.tokens), dtype=np.int64, count=len(self))

    @cached_property
    def covered(self) -> Ints:
        """Bytes of a text that each token stands for: fewer where it ends in `</w>`."""
        marker = self.alphabet.marker
        if marker is None:
            return self.lengths
        row = self.row_of[marker]
        last_parts, rights = np.arange(len(self)), self.parents[1]
        while len(made := np.flatnonzero(rights[last_parts] != NONE)):
            last_parts[made] = rights[last_parts[made]]
        covered: Ints = self.lengths - len(self.tokens[row]) * (last_parts == row)
        return covered

    @cached_property
    def joined(self) -> np.typing.NDArray[np.uint8]:
        """The bytes of all tokens one after the other."""
        return np.frombuffer(b"".join(self.tokens), dtype=np.uint8)

    @cached_property
    def ends(self) -> Ints:
        """Where each token ends in `joined`."""
        return np.cumsum(np.fromiter(map(len, self.tokens), dtype=np.int64, count=len(self)))

    @cached_property
    def maker(self) -> Ints:
        """The index in `merges` of the first merge that makes the token; `NONE` if none does."""
        makers = np.full(len(self), NONE, dtype=np.int64)
        # The last assignment stays: go through the merges from the end, so that it is the first.
        makers[self.merges.made[::-1]] = np.arange(len(self.merges), dtype=np.int64)[::-1]
        makers[self.base_rows] = NONE
        return makers

    @cached_property
    def ranks(self) -> Ints:
        """The rank of the first merge that makes the token; `NONE` if none does."""
        return self._of_makers(self.merges.rank)

    @cached_property
    def parents(self) -> tuple[Ints, Ints]:
        """The rows of the two parts that this merge joins; `NONE` if there is none."""
        return self._of_makers(self.merges.left), self._of_makers(self.merges.right)

    def _of_makers(self, column: Ints) -> Ints:
        """For each token what a column of the merges says of its maker."""
        # The index −1 is the last of the longer column, where NONE stands.
        return np.append(column, NONE)[self.maker]

    @cached_property
    def is_special(self) -> Bools:
        special = np.zeros(len(self), dtype=np.bool_)
        special[self.special_rows] = True
        return special

    @cached_property
    def is_text(self) -> Bools:
        """Whether the token is valid UTF-8 by itself."""
        texts = to_texts(self.tokens)
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        # A byte that is no UTF-8 has become a surrogate.
        strays_before = np.concatenate(([0], np.cumsum((codes >= 0xD800) & (codes < 0xE000))))
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        has_strays: Bools = np.diff(strays_before[ends], prepend=0) > 0
        return ~has_strays

    @cached_property
    def byte_order(self) -> Ints:
        """The position of each token among all of them sorted by their bytes."""
        # Latin-1 keeps the order of bytes, and Python compares strings of it faster.
        return sorted_positions([token.decode("latin-1") for token in self.tokens])

    @cached_property
    def reading_order(self) -> Ints:
        """The position of each token sorted as text, without regard to case and leading spaces."""
        return sorted_positions(in_lower_case([text.lstrip() for text in to_texts(self.tokens)]))

    @cached_property
    def is_reachable(self) -> Bools:
        """Whether encoding its own bytes gives the token: see `reachable`."""
        return reachable(self)

    @cached_property
    def least_twins(self) -> Ints:
        """The first row with a token that differs only by case or the sign in front."""
        return least_twins(self.tokens, self.SIGN)

    @cached_property
    def first_rows(self) -> dict[bytes, int]:
        """The first row of each token, by its bytes."""
        return _first_rows(self.tokens)


def sorted_positions(keys: Sequence[str]) -> Ints:
    """The position of each key in sorted order; the earlier of two equal keys comes first."""
    positions = np.empty(len(keys), dtype=np.int64)
    positions[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return positions


NEVER = 2**63 - 1
"""The rank of a pair that does not merge."""


def reachable(table: TokenTable) -> Bools:
    """Of each token whether encoding its own bytes as one pretoken gives it; special ones count.

    It does not where another merge of lower rank takes a byte across the border of its two parts.
    To encode all tokens one by one would take seconds, so they are looked at together: a token is
    reachable if the merge that makes it is sound (see `_sound`) and its parts are reachable.
    """
    merges, maker = table.merges, table.maker
    older = np.maximum(table.ranks[merges.left], table.ranks[merges.right])
    is_ambiguous = np.bincount(merges.made, minlength=len(table)) > 1
    if np.any(is_ambiguous) or np.any(merges.rank <= older):
        return _by_encoding(table)  # several merges make a token, or a part is made after the whole
    found = table.is_special.copy()
    found[table.base_rows] = True
    made = np.flatnonzero(maker != NONE)
    sound = np.zeros(len(table), dtype=np.bool_)
    sound[made] = _sound(merges, maker)[maker[made]]
    left, right = merges.left[maker[made]], merges.right[maker[made]]
    while True:
        now = found[made] | (sound[made] & found[left] & found[right])
        if np.array_equal(now, found[made]):
            return found
        found[made] = now


LONG = 1 << 10
"""Bytes of a token that is encoded by itself."""


def _by_encoding(table: TokenTable) -> Bools:
    """The answer where merges may come in any order: each token is encoded."""
    merges, ids = table.merges, table.ids
    columns = MergeColumns(ids[merges.left], ids[merges.right], merges.rank, ids[merges.made])

    @cache
    def encoder() -> Cached:
        left, right, rank, made = (column.tolist() for column in columns)
        pairs, values = zip(left, right, strict=True), zip(rank, made, strict=True)
        return Cached(table.alphabet, dict(zip(pairs, values, strict=True)))

    # A few rounds more cost less than an encoder of so many merges.
    at_once = BatchEncoder(table.alphabet, columns, lambda token: encoder().encode(token), LONG)
    # There is a round for each merge: tokens of one length need about as many.
    order = np.argsort(table.lengths, kind="stable")
    encoded = at_once.encode([table.tokens[row] for row in order.tolist()])
    is_one = encoded.counts == 1
    first = np.cumsum(encoded.counts) - encoded.counts
    found = table.is_special.copy()
    found[order[is_one]] |= encoded.ids[first[is_one]] == ids[order[is_one]]
    return found


class _Ranks:
    """The ranks of many pairs at once."""

    def __init__(self, merges: MergeRows, tokens: int) -> None:
        self._tokens = tokens
        self._table = NumberTable(merges.left * tokens + merges.right, merges.rank)

    def of(self, left: Ints, right: Ints) -> Ints:
        found = self._table.of(left * self._tokens + right)
        return np.where(found == NOT_THERE, NEVER, found)


def _sound(merges: MergeRows, maker: Ints) -> Bools:
    """Of each merge whether its two parts, encoded as one text, come to stand side by side.

    They do unless a merge across their border comes first. What stood next to the border before is
    found by undoing: of the two tokens there, the one made later comes apart. Each pair met on the
    way must not merge earlier than that undone merge, or it would have happened instead; nor at the
    same rank if the undone one is right of the border, because of equal merges the leftmost is made
    first. The merge is sound if this holds down to single bytes.
    """
    sound = np.ones(len(merges), dtype=np.bool_)
    ranks = _Ranks(merges, len(maker))
    rank = np.where(maker == NONE, NONE, merges.rank[maker]) if len(merges) else maker
    open_merges = np.arange(len(merges))
    left, right, limit = merges.left, merges.right, merges.rank
    while len(open_merges):
        broken = ranks.of(left, right) < limit
        sound[open_merges[broken]] = False
        bytes_only = (maker[left] == NONE) & (maker[right] == NONE)
        go_on = ~broken & ~bytes_only
        open_merges, left, right = open_merges[go_on], left[go_on], right[go_on]
        left_is_younger = rank[left] > rank[right]
        limit = np.where(left_is_younger, rank[left], rank[right] + 1)
        left, right = (
            np.where(left_is_younger, merges.right[maker[left]], left),
            np.where(left_is_younger, right, merges.left[maker[right]]),
        )
    return sound
