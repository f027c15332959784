"""`TokenTable`: all tokens of a vocabulary with the merges that make them, as arrays.

A token is identified by its row: its place in a run, otherwise its position in the order of ids.
The table never changes. The tokens at step k of a run are the first rows of the run's table, so
nothing here is computed again when the step changes.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from engine.core.arrays import Bools, Ints
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.encoding.alphabet import Alphabet, WholeTokens
from engine.encoding.encoders import RankHeap
from engine.encoding.merging import NONE, MergeArrays, columns_of
from engine.encoding.text_encoder import text_encoder
from engine.encoding.tokenizer import Tokenizer
from engine.text.patterns import PATTERNS
from engine.text.pretokenize import in_lower_case, to_texts


@dataclass(frozen=True)
class MergeRows:
    """Merges in order of rank: the rows of the two parts and of the new token, and the ranks."""

    left: Ints
    right: Ints
    made: Ints
    rank: Ints

    def __len__(self) -> int:
        return len(self.rank)

    @classmethod
    def of(cls, merges: Iterable[tuple[Pair, int, int]]) -> MergeRows:
        """Make the columns from (pair of rows, row made, rank) of each merge."""
        rows = [(left, right, made, rank) for (left, right), made, rank in merges]
        return cls(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)


@dataclass(frozen=True)
class TokenTable:
    """All tokens by row.

    Attributes:
        ids: the id of each token.
        tokens: the bytes of each token.
        merges: all merges, in order of rank.
        special_rows: the rows of the special tokens.
        alphabet: spells a pretoken in ids, before any merge.
    """

    ids: Ints
    tokens: Sequence[bytes]
    merges: MergeRows
    special_rows: Ints
    alphabet: Alphabet

    @classmethod
    def of_tokenizer(cls, tokenizer: Tokenizer) -> TokenTable:
        """Make the table of any tokenizer; its ids may have gaps."""
        ids = sorted(tokenizer.vocab)
        in_order = np.array(ids, dtype=np.int64)
        columns = columns_of(tokenizer.merge_table)
        left, right, rank, made = (np.array(each, dtype=np.int64) for each in columns)
        left, right, made = (np.searchsorted(in_order, each) for each in (left, right, made))
        return cls(
            in_order,
            list(map(tokenizer.vocab.__getitem__, ids)),
            MergeRows(left, right, made, rank),
            np.searchsorted(in_order, np.array(sorted(tokenizer.special_ids), dtype=np.int64)),
            tokenizer.alphabet,
        )

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def base_rows(self) -> Ints:
        """The rows of the alphabet's tokens, which need no merge."""
        row_of = self.row_of
        return np.array([row_of[token_id] for token_id in self.alphabet.token_ids], dtype=np.int64)

    @cached_property
    def row_of(self) -> dict[int, int]:
        """id → row; the first row of a token that is made more than once."""
        ids = self.ids.tolist()
        return dict(zip(reversed(ids), range(len(ids) - 1, -1, -1), strict=True))

    @cached_property
    def by_id(self) -> Ints:
        """The rows in the order of their ids."""
        return np.argsort(self.ids, kind="stable")

    @cached_property
    def lengths(self) -> Ints:
        """The number of bytes of each token as it is written."""
        return np.fromiter(map(len, self.tokens), dtype=np.int64, count=len(self))

    @cached_property
    def covered(self) -> Ints:
        """The number of bytes of text that each token represents: fewer if it ends in `</w>`."""
        marker = self.alphabet.marker
        if marker is None:
            return self.lengths
        row = self.row_of[marker]
        last_parts, rights = np.arange(len(self)), self.parents[1]
        while len(made := np.flatnonzero(rights[last_parts] != NONE)):
            last_parts[made] = rights[last_parts[made]]
        return np.where(last_parts == row, self.lengths - len(self.tokens[row]), self.lengths)

    @cached_property
    def joined_and_ends(self) -> tuple[np.typing.NDArray[np.uint8], Ints]:
        """The bytes of all tokens, concatenated, and the end of each token there."""
        lengths = np.fromiter(map(len, self.tokens), dtype=np.int64, count=len(self))
        return np.frombuffer(b"".join(self.tokens), dtype=np.uint8), np.cumsum(lengths)

    @cached_property
    def maker(self) -> Ints:
        """The index in `merges` of the first merge that makes each token; `NONE` if none does."""
        makers = np.full(len(self), NONE, dtype=np.int64)
        # The last assignment wins: in reversed order that is the first merge.
        makers[self.merges.made[::-1]] = np.arange(len(self.merges), dtype=np.int64)[::-1]
        makers[self.base_rows] = NONE
        return makers

    @cached_property
    def ranks(self) -> Ints:
        """The rank of the first merge that makes each token; `NONE` if none does."""
        return self._of_makers(self.merges.rank)

    @cached_property
    def parents(self) -> tuple[Ints, Ints]:
        """The rows of the two parts that this merge joins; `NONE` if no merge makes the token."""
        return self._of_makers(self.merges.left), self._of_makers(self.merges.right)

    def _of_makers(self, column: Ints) -> Ints:
        """Return for each token the value of its maker in a column of the merges."""
        # The index −1 finds the appended NONE.
        return np.append(column, NONE)[self.maker]

    @cached_property
    def is_special(self) -> Bools:
        special = np.zeros(len(self), dtype=np.bool_)
        special[self.special_rows] = True
        return special

    @cached_property
    def is_text(self) -> Bools:
        """Whether each token is valid UTF-8 by itself."""
        texts = to_texts(self.tokens)
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        # `to_texts` turns each invalid byte into a surrogate, U+D800 to U+DFFF.
        strays_before = np.concatenate(([0], np.cumsum(codes >> 11 == 0x1B)))
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        has_strays: Bools = np.diff(strays_before[ends], prepend=0) > 0
        return ~has_strays

    @cached_property
    def byte_order(self) -> Ints:
        """The position of each token in the order of their bytes."""
        # Latin-1 keeps the order of bytes, and Python compares such strings faster.
        return sorted_positions([token.decode("latin-1") for token in self.tokens])

    @cached_property
    def reading_order(self) -> Ints:
        """The position of each token sorted as text, ignoring case and leading spaces."""
        return sorted_positions(in_lower_case([text.lstrip() for text in to_texts(self.tokens)]))

    @cached_property
    def is_ever_encoded(self) -> Bools:
        """Whether encoding a token's own parts returns the token; true for special tokens.

        It does not if a merge of lower rank takes a part across the border of two others.
        """
        found = self.is_special.copy()
        found[self.base_rows] = True
        rows, ids = np.flatnonzero(~found).tolist(), self.ids.tolist()
        made = [[ids[row]] for row in rows]
        found[rows] = [each == one for each, one in zip(self._encoded(rows), made, strict=True)]
        return found

    def _encoded(self, rows: Sequence[int]) -> list[list[int]]:
        """Return the ids that the parts of some tokens become: of texts if their parts are that."""
        merges, ids, alphabet = self.merges, self.ids, self.alphabet
        pairs, values = (ids[merges.left], ids[merges.right]), (merges.rank, ids[merges.made])
        table = MergeArrays(_in_rows(*pairs), _in_rows(*values))
        inner = alphabet.inner if isinstance(alphabet, WholeTokens) else alphabet
        if inner.spelling is None:
            heap = RankHeap(alphabet, table)
            return [heap.merged(self._smallest_parts(row)) for row in rows]
        encoder = text_encoder(alphabet, table, PATTERNS["none"], {})
        return encoder.encode_many(to_texts([self.tokens[row] for row in rows]))

    def _smallest_parts(self, row: int) -> list[int]:
        """Return the ids of the parts of a token that no merge makes."""
        (left, right), waiting, parts = self.parents, [row], list[int]()
        while waiting:
            row = waiting.pop()
            if left[row] == NONE:
                parts.append(int(self.ids[row]))
            else:
                waiting += [int(right[row]), int(left[row])]
        return parts


def _in_rows(first: Ints, second: Ints) -> array[int]:
    """Return two columns in one array, row after row; in 32 bits if all numbers fit."""
    rows = np.stack((first, second), axis=1)
    typecode = "i" if rows.max(initial=0) < 2**31 else "q"
    return array(typecode, rows.astype(typecode).tobytes())


def sorted_positions(keys: Sequence[str]) -> Ints:
    """Return the position of each key in sorted order; the earlier of equal keys comes first."""
    positions = np.empty(len(keys), dtype=np.int64)
    positions[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return positions
