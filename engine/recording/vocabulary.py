"""`Vocabulary`: the tokens at one moment, in columns.

Tokens can be sorted, filtered, searched, and shown as merge trees. A vocabulary is made from a step
of a run (`Frame.vocabulary`) or from any tokenizer (`Vocabulary.of_tokenizer`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from engine.core.arrays import Bools, Ints
from engine.core.errors import PatternError, QueryError, UnknownTokenIdError
from engine.core.events import Pair
from engine.core.gpt2_bytes import unspell
from engine.core.registry import Registry
from engine.core.slow_modules import np, regex
from engine.encoding.merging import NONE
from engine.encoding.tokenizer import Tokenizer
from engine.recording.token_table import TokenTable
from engine.text.pretokenize import to_bytes, to_text
from engine.text.typed_regex import compile_typed

# -- filters

FILTERS: Registry[str, Callable[[Vocabulary], Bools]] = Registry(
    "filter",
    {
        "partial": lambda tokens: ~tokens.table.is_text[: len(tokens)],
        "unused": lambda tokens: tokens.known_counts == 0,
        "never-encoded": lambda tokens: ~tokens.table.is_ever_encoded[: len(tokens)],
    },
)
"""Filters for tokens with one odd property; each returns a flag for each row."""


class TreeLine(NamedTuple):
    """A line of a merge tree: one token.

    Attributes:
        rank: the rank of the merge that made the token; `None` for a byte or a special token.
        trunk: for each level above, whether another line of that level follows further down, for
            drawing `├─`, `└─` and `│`.
    """

    token_id: int
    rank: int | None
    trunk: tuple[bool, ...]


# -- finding tokens by a piece of text or by a regular expression
#
# A substring is searched in all tokens at once. A regular expression is tried on one token after
# the other, because `$` and `(?!…)` depend on the token's end. That takes longer, so the result
# comes in batches, and the caller may stop between two. Some expressions take for ever on some
# tokens: each try on a longer token has a time limit.

BATCH = 2000
SIGNS: Final = frozenset(r".^$*+?{}[]\|()")
"""Characters that mark a text as an expression."""
SHORT = 12
"""Most bytes of a token that no expression is slow on; a time limit would cost more."""
SECONDS_A_TOKEN = 0.05


@dataclass(frozen=True)
class Query:
    """A typed search: plain text or a regular expression.

    Attributes:
        expression: the compiled expression; `None` for plain text.
        problem: why a text that looks like an expression is searched as plain text.
    """

    text: str
    expression: regex.Pattern[str] | None = None
    problem: str | None = None

    @property
    def spelled(self) -> bytes | None:
        """The bytes of a text with a space or a newline in GPT-2's spelling: `Ġthe` is ` the`."""
        if not {"Ġ", "Ċ"}.intersection(self.text):
            return None
        with suppress(KeyError):
            return unspell(self.text)
        return None

    @classmethod
    def read(cls, text: str) -> Query:
        """Read a text as an expression if it contains one of its signs and is well formed.

        >>> Query.read("th").expression, Query.read("^th").expression.pattern
        (None, '^th')
        >>> Query.read("f(x").problem
        'missing ) at position 3'
        """
        if not SIGNS.intersection(text):
            return cls(text)
        try:
            return cls(text, compile_typed(text))
        except PatternError as error:
            place = "" if error.position is None else f" at position {error.position}"
            return cls(text, problem=f"{error}{place}")


def rows_with(table: TokenTable, piece: bytes) -> Ints:
    """Return the rows of the tokens that contain the piece, ascending, some of them repeatedly."""
    joined, ends = table.joined_and_ends
    places = np.flatnonzero(joined[: max(len(joined) - len(piece) + 1, 0)] == piece[0])
    for offset, byte in enumerate(piece[1:], start=1):
        places = places[joined[places + offset] == byte]
    rows = np.searchsorted(ends, places, side="right")
    # A hit may run across the border of two tokens.
    return rows[places + len(piece) <= ends[rows]]


def _matching(table: TokenTable, expression: regex.Pattern[str], rows: Ints) -> Ints:
    found = []
    tokens, search = table.tokens, expression.search
    try:
        for row in rows.tolist():
            text = to_text(tokens[row])
            is_short = len(tokens[row]) <= SHORT
            match = search(text) if is_short else search(text, timeout=SECONDS_A_TOKEN)
            if match is not None:
                found.append(row)
    except TimeoutError:
        raise QueryError(
            "this expression takes too long on some tokens; say it with fewer nested repeats"
        ) from None
    return np.array(found, dtype=np.int64)


@dataclass(eq=False)
class Vocabulary:
    """The first `size` tokens of a table, made by its first `merge_count` merges.

    Columns are arrays by row (see `TokenTable`); methods for a single token take its id.

    Attributes:
        table: the tokens; it may have more rows, of tokens that later steps make.
        counts: the number of occurrences of each token in the corpus, `NONE` (−1) for special
            tokens; `None` if there is no corpus.

    >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"he", 257: b"the"}
    >>> merges = [(b"h", b"e"), (b"t", b"he")]
    >>> vocabulary = Vocabulary.of_tokenizer(Tokenizer(vocab, merges))
    >>> vocabulary.parents_of(257), vocabulary.rank_of(257), vocabulary.built_on(256)
    ((116, 256), 1, [257])
    >>> vocabulary.rows(key=vocabulary.table.lengths, reverse=True)[:2].tolist()
    [257, 256]
    """

    table: TokenTable
    _size: int
    _merge_count: int
    counts: Ints | None = None

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer) -> Vocabulary:
        """Make the vocabulary of a tokenizer, without counts."""
        table = TokenTable.of_tokenizer(tokenizer)
        return cls(table, len(table), len(table.merges))

    def __len__(self) -> int:
        return self._size

    @cached_property
    def by_id(self) -> Ints:
        """The rows in the order of their ids."""
        return self.table.by_id[self.table.by_id < self._size]

    # -- columns, by row

    @cached_property
    def ranks(self) -> Ints:
        """The rank of the merge that makes each token; `NONE` for bytes and special tokens."""
        return self.table.ranks[: self._size]

    @cached_property
    def parents(self) -> tuple[Ints, Ints]:
        """The rows of the two parts of each token; `NONE` for bytes and special tokens."""
        left, right = self.table.parents
        return left[: self._size], right[: self._size]

    @property
    def known_counts(self) -> Ints:
        """The counts; `NONE` for each token if there is no corpus."""
        return np.full(len(self), NONE, np.int64) if self.counts is None else self.counts

    @cached_property
    def children(self) -> Ints:
        """The number of merges that use each token."""
        merges, made = self.table.merges, self._merge_count
        left, right = merges.left[:made], merges.right[:made]
        used = np.concatenate((left, right[right != left]))
        # A merge out of order may use a token that only a later one makes.
        return np.bincount(used, minlength=self._size)[: self._size]

    # -- single tokens, by id

    def row_of(self, token_id: int) -> int:
        """Return the row of a token.

        Raises:
            UnknownTokenIdError: the token does not exist, or not yet.
        """
        row = self.table.row_of.get(token_id, self._size)
        if row >= self._size:
            raise UnknownTokenIdError.of(token_id, self._size)
        return row

    def id_of(self, row: int) -> int:
        return int(self.table.ids[row])

    def token(self, token_id: int) -> bytes:
        """Return the bytes of a token; `UnknownTokenIdError` if it does not exist."""
        return self.table.tokens[self.row_of(token_id)]

    def length_of(self, token_id: int) -> int:
        """Return the length of the token, in bytes or the unit of its table."""
        return int(self.table.lengths[self.row_of(token_id)])

    def rank_of(self, token_id: int) -> int | None:
        """Return the rank of the token's merge; `None` for bytes and special tokens."""
        rank = int(self.ranks[self.row_of(token_id)])
        return None if rank == NONE else rank

    def parents_of(self, token_id: int) -> Pair | None:
        """Return the ids of the token's two parts; `None` for bytes and special tokens."""
        row = self.row_of(token_id)
        left, right = self.parents
        return None if left[row] == NONE else (self.id_of(left[row]), self.id_of(right[row]))

    def count_of(self, token_id: int) -> int | None:
        """Return the token's count in the corpus; `None` for special tokens or without a corpus."""
        row = self.row_of(token_id)
        return None if self.counts is None or self.counts[row] == NONE else int(self.counts[row])

    def merge_tree(self, token_id: int) -> Iterator[TreeLine]:
        """Yield the merge tree of a token, depth first: the token, then its two parts with theirs.

        A tree may have millions of lines: take only as many as fit.

            "the" = t + he, he = h + e      the   rank 2, trunk ()
                                            t             trunk (True,)
                                            he    rank 1, trunk (False,)
                                            h             trunk (False, True)
                                            e             trunk (False, False)

        Raises:
            UnknownTokenIdError: the token does not exist.
        """
        waiting: list[tuple[int, tuple[bool, ...]]] = [(token_id, ())]
        while waiting:
            token_id, trunk = waiting.pop()
            parts = self.parents_of(token_id)
            yield TreeLine(token_id, self.rank_of(token_id), trunk)
            if parts is not None:
                left, right = parts
                waiting.append((right, (*trunk, False)))
                waiting.append((left, (*trunk, True)))

    def built_on(self, token_id: int) -> list[int]:
        """Return the tokens that have this one as a part, in order of rank."""
        row = self.row_of(token_id)
        merges, made = self.table.merges, self._merge_count
        uses = (merges.left[:made] == row) | (merges.right[:made] == row)
        return [self.id_of(made_row) for made_row in merges.made[:made][uses].tolist()]

    # -- choosing and ordering rows

    def rows(
        self, filters: Collection[str] = (), key: Ints | None = None, *, reverse: bool = False
    ) -> Ints:
        """Return the rows that pass all filters, sorted by a key and then by id.

        Args:
            key: a number for each row, the least first; by default the id. Tokens with a negative
                one have no value, and come last in either direction.

        Raises:
            UnknownNameError: the filter does not exist.
        """
        key = self.table.ids[: self._size] if key is None else key
        kept = np.ones(self._size, dtype=np.bool_)
        for name in filters:
            kept &= FILTERS[name](self)
        rows = self.by_id[kept[self.by_id]]
        key = key[rows]
        key = np.where(key < 0, np.iinfo(np.int64).max, -key if reverse else key)
        return rows[np.argsort(key, kind="stable")]

    def search(self, query: Query, rows: Ints) -> Iterator[Ints]:
        """Yield the `rows` whose tokens match, in their order, in batches.

        Raises:
            QueryError: the expression takes too long on some token.
        """
        if not query.text:
            yield rows
        elif query.expression is None:
            holds = np.zeros(len(self.table), dtype=np.bool_)
            for piece in filter(None, (to_bytes(query.text), query.spelled)):
                holds[rows_with(self.table, piece)] = True
            yield rows[holds[rows]]
        else:
            for start in range(0, len(rows), BATCH):
                yield _matching(self.table, query.expression, rows[start : start + BATCH])
