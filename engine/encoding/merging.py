"""The merges of byte-pair encoding: one applied to a sequence, tables of all.

`MergeArrays` keeps many merges in arrays, and becomes a dict when a pair is asked for. A dict of
500,000 pairs takes as long to make as the file with them takes to parse. Inspecting a tokenizer
needs columns only; encoding and explaining look pairs up, and make the dict once.
"""

from __future__ import annotations

from array import array
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, AnyStr, NamedTuple

from engine.core.events import Pair

NONE = -1
"""Missing value in a column of rows, ranks or counts."""


def count_pairs(pretokens: Iterable[Sequence[int]], counts: Iterable[int]) -> dict[Pair, int]:
    """Count the occurrences of each pair of adjacent tokens in the corpus.

    Args:
        pretokens: the token ids of each distinct pretoken.
        counts: the number of its occurrences.

    Returns:
        pair → count, in order of first occurrence.

    >>> count_pairs([[1, 2, 1, 2], [3, 3, 3]], [10, 1])
    {(1, 2): 20, (2, 1): 10, (3, 3): 2}
    """
    pair_counts: dict[Pair, int] = {}
    for ids, count in zip(pretokens, counts, strict=True):
        for pair in pairwise(ids):
            pair_counts[pair] = pair_counts.get(pair, 0) + count
    return pair_counts


def merge_pair(tokens: Sequence[int], pair: Pair, new_id: int) -> list[int]:
    """Replace the pair by `new_id`, left to right, without overlap.

    >>> merge_pair([5, 6, 6, 6, 1], (6, 6), 300)
    [5, 300, 6, 1]
    """
    left, right = pair
    merged: list[int] = []
    position, last = 0, len(tokens) - 1
    while position <= last:
        if position < last and tokens[position] == left and tokens[position + 1] == right:
            merged.append(new_id)
            position += 2
        else:
            merged.append(tokens[position])
            position += 1
    return merged


class MergeColumns(NamedTuple):
    """The ids of left and right parts, the ranks, and the ids of the results of merges."""

    left: Sequence[int]
    right: Sequence[int]
    rank: Sequence[int]
    made: Sequence[int]


class MergeArrays(Mapping[Pair, tuple[int, int]]):
    """pair of token ids → (rank, id of the result), in order of rank, each pair once.

    Args:
        pairs: the ids of the parts of each merge.
        values: the rank of each, and the id of its result.

    >>> merges = MergeArrays(array("i", [97, 98]), array("i", [0, 256]))
    >>> len(merges), merges[97, 98], (98, 97) in merges
    (1, (0, 256), False)
    """

    def __init__(self, pairs: array[int], values: array[int]) -> None:
        self._rows = pairs, values

    @property
    def columns(self) -> MergeColumns:
        """The merges in columns."""
        pairs, values = self._rows
        return MergeColumns(pairs[::2], pairs[1::2], values[::2], values[1::2])

    @cached_property
    def by_pair(self) -> dict[Pair, tuple[int, int]]:
        """The merges as a dict."""
        left, right, rank, made = self.columns
        pairs, values = zip(left, right, strict=True), zip(rank, made, strict=True)
        return dict(zip(pairs, values, strict=True))

    @property
    def in_32_bits(self) -> tuple[array[int], array[int]] | None:
        """The ids of all pairs, and the ranks and ids of results; `None` if they have 64 bits."""
        return self._rows if all(row.typecode == "i" for row in self._rows) else None

    def __getitem__(self, pair: Pair) -> tuple[int, int]:
        return self.by_pair[pair]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.by_pair)

    def __len__(self) -> int:
        return len(self._rows[1]) // 2

    # The views of the dict; those of `Mapping` would look each pair up.

    def values(self) -> ValuesView[tuple[int, int]]:
        return self.by_pair.values()

    def items(self) -> ItemsView[Pair, tuple[int, int]]:
        return self.by_pair.items()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arrays without the dict, for another process."""
        return MergeArrays, self._rows


def last_rank(table: Mapping[Pair, tuple[int, int]]) -> int:
    """Return the highest rank of merges; -1 if there are none."""
    columns = table.in_32_bits if isinstance(table, MergeArrays) else None
    if columns is not None:
        return max(columns[1][::2], default=-1)
    return max((rank for rank, _ in table.values()), default=-1)


class MergesInIds(Sequence[tuple[AnyStr, AnyStr]]):
    """Merges that were read as ids; their pairs of tokens are made when one is asked for.

    Args:
        vocab: id → token, no token twice.
        table: the merges; each part is a byte, or made before.
        unmade: the ids of the tokens of several bytes that no merge makes.

    >>> table = MergeArrays(array("i", [97, 98]), array("i", [0, 256]))
    >>> list(MergesInIds({97: b"a", 98: b"b", 256: b"ab"}, table, []))
    [(b'a', b'b')]
    """

    def __init__(
        self, vocab: Mapping[int, AnyStr], table: MergeArrays, unmade: Iterable[int]
    ) -> None:
        self._vocab: Mapping[int, AnyStr] = vocab
        self.table = table
        self.unmade: dict[int, AnyStr] = {token_id: vocab[token_id] for token_id in unmade}

    @cached_property
    def _pairs(self) -> list[tuple[AnyStr, AnyStr]]:
        token = self._vocab.__getitem__
        return [(token(left), token(right)) for left, right in self.table]

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, place: Any) -> Any:
        return self._pairs[place]


def merge_arrays(
    left: Sequence[int], right: Sequence[int], made: Sequence[int]
) -> MergeArrays | None:
    """Return the merges with these parts, in order of rank; `None` if a pair is repeated.

    A repeated pair makes the same token again.
    """
    count = len(made)
    if len(set(made)) < count and len(set(zip(left, right, strict=True))) < count:
        return None
    highest = max(map(max, (left, right, made))) if count else 0
    typecode = "i" if highest < 2**31 else "q"
    pairs = array(typecode, [0]) * (2 * count)
    values = pairs[:]
    for row, first, second in ((pairs, left, right), (values, range(count), made)):
        row[::2], row[1::2] = array(typecode, first), array(typecode, second)
    return MergeArrays(pairs, values)


def columns_of(table: Mapping[Pair, tuple[int, int]]) -> MergeColumns:
    """Return the columns of any merge table, in order of rank."""
    if isinstance(table, MergeArrays):
        return table.columns
    in_order = sorted(table.items(), key=itemgetter(1))
    left, right = ([pair[side] for pair, _ in in_order] for side in range(2))
    rank, made = ([value[at] for _, value in in_order] for at in range(2))
    return MergeColumns(left, right, rank, made)


def as_dict(table: Mapping[Pair, tuple[int, int]]) -> Mapping[Pair, tuple[int, int]]:
    """Return the table as a dict, which answers many look-ups in half of the time."""
    return table.by_pair if isinstance(table, MergeArrays) else table
