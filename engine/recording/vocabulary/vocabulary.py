"""`Vocabulary`: the tokens there are at one moment, in columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from engine.core.arrays import Bools, Ints
from engine.core.errors import UnknownTokenIdError
from engine.core.events import Pair
from engine.core.registry import Registry, registry_of
from engine.encoding.tokenizer import Tokenizer
from engine.recording.vocabulary.search import Query, search
from engine.recording.vocabulary.token_table import NONE, TokenTable

# The columns that a vocabulary can be sorted by.

SortKey = Callable[["Vocabulary"], Ints]
"""A number for each token, by row; the least comes first, a negative one means nothing."""


def _ids(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.ids[: len(vocabulary)]


def _bytes(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.byte_order[: len(vocabulary)]


def _text(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.reading_order[: len(vocabulary)]


def _length(vocabulary: Vocabulary) -> Ints:
    return vocabulary.table.lengths[: len(vocabulary)]


def _rank(vocabulary: Vocabulary) -> Ints:
    return vocabulary.ranks


def _count(vocabulary: Vocabulary) -> Ints:
    return _ids(vocabulary) * 0 if vocabulary.counts is None else vocabulary.counts


def _parents(vocabulary: Vocabulary) -> Ints:
    left, right = vocabulary.parents
    return left * len(vocabulary.table) + right


def _children(vocabulary: Vocabulary) -> Ints:
    return vocabulary.children


COLUMNS: Registry[SortKey] = Registry(
    "column",
    {
        "id": _ids,
        "bytes": _bytes,
        "text": _text,
        "length": _length,
        "rank": _rank,
        "count": _count,
        "parents": _parents,
        "children": _children,
    },
)


# The filters: each keeps the tokens of which one odd thing is true.


@dataclass(frozen=True)
class Filter:
    """`keeps` says of each token of a vocabulary, by row, whether it stays."""

    name: str
    summary: str
    keeps: Callable[[Vocabulary], Bools]


def _partial(vocabulary: Vocabulary) -> Bools:
    return ~vocabulary.table.is_text[: len(vocabulary)]


def _unused(vocabulary: Vocabulary) -> Bools:
    if vocabulary.counts is None:
        return np.zeros(len(vocabulary), dtype=np.bool_)
    return np.equal(vocabulary.counts, 0)


def _unreachable(vocabulary: Vocabulary) -> Bools:
    return ~vocabulary.table.is_reachable[: len(vocabulary)]


def _twins(vocabulary: Vocabulary) -> Bools:
    return vocabulary.table.least_twins[: len(vocabulary)] < len(vocabulary)


FILTERS: Registry[Filter] = registry_of(
    "filter",
    Filter("partial", "not valid UTF-8 by itself", _partial),
    Filter("unused", "never used in the corpus now", _unused),
    Filter("unreachable", "encoding its own bytes gives something else", _unreachable),
    Filter("twins", "differs from another only by case or a leading space", _twins),
)


# The merge tree of a token: how it came from bytes or characters, line by line.


@dataclass(frozen=True)
class TreeLine:
    """A token in the tree.

    `rank` is that of the merge that made it, `None` for a byte or a special token; `folded` says
    that its parts are left out. `trunk` has an entry for each level above: whether another line of
    that level follows further down, which a drawing needs (`├─`, `└─`, `│`).
    """

    token_id: int
    rank: int | None
    folded: bool
    trunk: tuple[bool, ...]


def merge_tree(
    vocabulary: Vocabulary, token_id: int, folded: Collection[int] = ()
) -> Iterator[TreeLine]:
    """The token, then its two parts with theirs, depth first, down to what no merge has made.

    Below the ids in `folded` nothing is told. A tree may have millions of lines: take as many as
    there is room for.

        "the" = t + he, he = h + e      the   rank 2, trunk ()
                                        t             trunk (True,)
                                        he    rank 1, trunk (False,)
                                        h             trunk (False, True)
                                        e             trunk (False, False)

    Raises:
        UnknownTokenIdError: there is no such token.
    """
    waiting: list[tuple[int, tuple[bool, ...]]] = [(token_id, ())]
    while waiting:
        token_id, trunk = waiting.pop()
        parts = vocabulary.parents_of(token_id)
        is_folded = parts is not None and token_id in folded
        yield TreeLine(token_id, vocabulary.rank_of(token_id), is_folded, trunk)
        if parts is not None and not is_folded:
            left, right = parts
            waiting.append((right, (*trunk, False)))
            waiting.append((left, (*trunk, True)))


class Vocabulary:
    """The first `size` tokens of a table, made by its first `merge_count` merges.

    Columns are arrays by row (see `TokenTable`); what is asked about a single token is asked by
    its id.

    Attributes:
        table: the tokens; it may hold more, which later steps make.
        counts: how often each token stands in the corpus now, `NONE` (−1) for special tokens,
            which nobody counts; `None` where there is no corpus.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"he", 257: b"the"}
    >>> merges = [(b"h", b"e"), (b"t", b"he")]
    >>> vocabulary = Vocabulary.of_tokenizer(Tokenizer(vocab, merges))
    >>> vocabulary.parents_of(257), vocabulary.rank_of(257), vocabulary.built_on(256)
    ((116, 256), 1, [257])
    >>> vocabulary.rows(sort="length", reverse=True)[:2].tolist()
    [257, 256]
    """

    COLUMNS: ClassVar[Registry[SortKey]] = COLUMNS
    """What its rows can be sorted by."""

    def __init__(
        self, table: TokenTable, size: int, merge_count: int, counts: Ints | None = None
    ) -> None:
        self.table = table
        self._size = size
        self._merge_count = merge_count
        self.counts = counts

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer) -> Vocabulary:
        """All tokens of a tokenizer, without a corpus."""
        table = TokenTable.of_tokenizer(tokenizer)
        return cls(table, len(table), len(table.merges))

    def __len__(self) -> int:
        return self._size

    # -- columns, by row

    @cached_property
    def ranks(self) -> Ints:
        """The rank of the merge that makes each token, `NONE` for bytes and special tokens."""
        return self.table.ranks[: self._size]

    @cached_property
    def parents(self) -> tuple[Ints, Ints]:
        """The rows of the two tokens merged into each, `NONE` for bytes and special tokens."""
        left, right = self.table.parents
        return left[: self._size], right[: self._size]

    @cached_property
    def children(self) -> Ints:
        """How many merges use each token."""
        merges, made = self.table.merges, self._merge_count
        left, right = merges.left[:made], merges.right[:made]
        used = np.bincount(left, minlength=self._size) + np.bincount(right, minlength=self._size)
        return used - np.bincount(left[left == right], minlength=self._size)

    # -- single tokens, by id

    def row_of(self, token_id: int) -> int:
        """The row of a token.

        Raises:
            UnknownTokenIdError: there is no such token, or not yet.
        """
        row = self.table.row_of.get(token_id, self._size)
        if row >= self._size:
            raise UnknownTokenIdError(
                f"there is no token with the id {token_id}; this vocabulary has "
                f"{self._size:,} tokens"
            )
        return row

    def id_of(self, row: int) -> int:
        return int(self.table.ids[row])

    def token(self, token_id: int) -> bytes:
        """The bytes of a token; `UnknownTokenIdError` if there is none."""
        return self.table.tokens[self.row_of(token_id)]

    def length_of(self, token_id: int) -> int:
        """How long the token is: in bytes, or in what else its table measures."""
        return int(self.table.lengths[self.row_of(token_id)])

    def rank_of(self, token_id: int) -> int | None:
        """The rank of the merge that makes the token; `None` for bytes and special tokens."""
        rank = int(self.ranks[self.row_of(token_id)])
        return None if rank == NONE else rank

    def parents_of(self, token_id: int) -> Pair | None:
        """The ids of the two tokens merged into this one; `None` for bytes and special tokens."""
        row = self.row_of(token_id)
        left, right = self.parents
        return None if left[row] == NONE else (self.id_of(left[row]), self.id_of(right[row]))

    def count_of(self, token_id: int) -> int | None:
        """How often the token stands in the corpus now; `None` if nobody counts it."""
        row = self.row_of(token_id)
        return None if self.counts is None or self.counts[row] == NONE else int(self.counts[row])

    def merge_tree(self, token_id: int, folded: Collection[int] = ()) -> Iterator[TreeLine]:
        """The token, then its parts with theirs, and so on; see `merge_tree.merge_tree`."""
        return merge_tree(self, token_id, folded)

    def built_on(self, token_id: int) -> list[int]:
        """The tokens that are made by merging this one with another, in order of rank."""
        row = self.row_of(token_id)
        merges, made = self.table.merges, self._merge_count
        uses = (merges.left[:made] == row) | (merges.right[:made] == row)
        return [self.id_of(made_row) for made_row in merges.made[:made][uses].tolist()]

    # -- choosing and ordering rows

    def rows(
        self, *, filters: Collection[str] = (), sort: str = "id", reverse: bool = False
    ) -> Ints:
        """The rows that all the filters keep, sorted by a column; equal ones by id.

        Tokens that have nothing in that column come last, whichever way it is sorted.

        Raises:
            UnknownNameError: there is no such filter or column.
        """
        key = self.COLUMNS[sort](self)
        kept = np.ones(self._size, dtype=np.bool_)
        for name in filters:
            kept &= FILTERS[name].keeps(self)
        rows = self.table.by_id[self.table.by_id < self._size]
        rows = rows[kept[rows]]
        key = key[rows]
        key = np.where(key < 0, np.iinfo(np.int64).max, -key if reverse else key)
        return rows[np.argsort(key, kind="stable")]

    def search(self, query: Query, rows: Ints) -> Iterator[Ints]:
        """Those of `rows` whose tokens match, in their order, in batches.

        Raises:
            QueryError: the expression takes too long on some token.
        """
        return search(self.table, query, rows)
