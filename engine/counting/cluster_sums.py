"""Adding up the counts of a cluster, as columns: no pretoken becomes an object of its own.

    columns of some tasks ── joined; equal pretokens get one number ──> sums
    sums ── split by a hash of the pretokens ──> columns of a hash

Each pretoken has the place of its first appearance, which decides the order. So it does not matter
in which order columns are added up.
"""

from __future__ import annotations

import zlib
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.core.arrays import Ints, parts_of
from engine.counting.counts_file import BLOCK_BYTES, IN_A_BLOCK, packed_columns
from engine.native import KERNEL
from engine.native.counting import kernel_numbers

if TYPE_CHECKING:
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

TO_FETCH = 1 << 16
"""Number of pretokens that a worker sends at once to the caller."""
_COPIED_AT_ONCE = 1 << 14
"""Number of pretokens whose bytes are copied at once: so the lists of places stay small."""
_QUICK = 1
"""Level of zlib."""
_WORD = 8


class PlacedCounts(NamedTuple):
    """Different pretokens in order of first appearance, with their counts, as columns.

    Attributes:
        text: the pretokens, joined.
        lengths: the number of bytes of each; none is 0.
        counts: the count of each.
        places: the place of the first appearance of each, ascending.
    """

    text: bytes
    lengths: Ints
    counts: Ints
    places: Ints

    @classmethod
    def of(
        cls, text: bytes, lengths: Sequence[int], counts: Sequence[int], places: Ints
    ) -> PlacedCounts:
        """Build from columns of any kind."""
        return cls(text, np.array(lengths, np.int64), np.array(counts, np.int64), places)

    def pretokens(self) -> list[bytes]:
        """Return the pretokens, apart."""
        return parts_of(self.text, self.lengths.tolist())

    def rows(self, start: int, end: int) -> PlacedCounts:
        """Return the rows from `start` up to `end`."""
        first = int(self.lengths[:start].sum())
        text = self.text[first : first + int(self.lengths[start:end].sum())]
        return PlacedCounts(text, *(column[start:end] for column in self[1:]))

    def only(self, chosen: Ints) -> PlacedCounts:
        """Return the rows with these numbers, in their order."""
        text = b"".join(_copied(self.text, self.lengths, chosen))
        return PlacedCounts(text, *(column[chosen] for column in self[1:]))

    def __reduce__(self) -> tuple[object, ...]:
        # Sent over a network, lengths, counts and steps between places take two bytes a pretoken.
        # The bytes of the pretokens would take longer to pack than a network takes to send them.
        steps = np.diff(self.places, prepend=0)
        columns = np.concatenate((self.lengths, self.counts, steps)).astype("<i8")
        return _unpacked, (self.text, zlib.compress(columns.tobytes(), _QUICK))


def _unpacked(text: bytes, packed: bytes) -> PlacedCounts:
    columns = np.frombuffer(zlib.decompress(packed), "<i8").astype(np.int64).reshape(3, -1)
    lengths, counts, steps = columns
    return PlacedCounts(text, lengths, counts, np.cumsum(steps))


def _copied(text: bytes, lengths: Ints, chosen: Ints) -> Iterator[bytes]:
    """Yield the bytes of the chosen pretokens of a text, some at a time."""
    symbols, starts = np.frombuffer(text, np.uint8), np.cumsum(lengths) - lengths
    for first in range(0, len(chosen), _COPIED_AT_ONCE):
        some = chosen[first : first + _COPIED_AT_ONCE]
        sizes = lengths[some]
        before = np.cumsum(sizes) - sizes  # where each one begins in the copy
        yield symbols[np.repeat(starts[some] - before, sizes) + np.arange(sizes.sum())].tobytes()


def _joined(parts: Sequence[PlacedCounts]) -> PlacedCounts:
    """Return the rows of all parts, one part after another."""
    text, *columns = zip(*parts, strict=True)
    return PlacedCounts(b"".join(text), *map(np.concatenate, columns))


def added_up(parts: Sequence[PlacedCounts]) -> PlacedCounts:
    """Add up counts; the place of a pretoken is its first.

    >>> ones = np.ones(2, np.int64)
    >>> early, late = (PlacedCounts(b"ab", ones, ones, np.array(at)) for at in ([7, 8], [17, 18]))
    >>> [column.tolist() for column in added_up([late, early])[1:]]
    [[1, 1], [2, 2], [7, 8]]
    """
    joined = _joined(parts)
    numbers = _numbered(joined)
    is_first = np.diff(np.maximum.accumulate(numbers), prepend=-1)
    rows = np.flatnonzero(is_first)
    counts, places = np.zeros(len(rows), np.int64), joined.places[rows]
    np.add.at(counts, numbers, joined.counts)
    np.minimum.at(places, numbers, joined.places)
    order = np.argsort(places)
    return joined.only(rows[order])._replace(counts=counts[order], places=places[order])


def _numbered(columns: PlacedCounts) -> Ints:
    """Return a number for each row, by first appearance; equal pretokens have the same number."""
    if KERNEL is not None:
        lengths = array("q", columns.lengths.tobytes())
        return np.frombuffer(kernel_numbers(columns.text, lengths), np.int64)
    numbers = defaultdict[bytes, int](count().__next__)
    found = map(numbers.__getitem__, columns.pretokens())
    return np.fromiter(found, np.int64, len(columns.lengths))


def split(counted: Sequence[PlacedCounts], parts: int) -> list[PlacedCounts]:
    """Add up the counts of several tasks, and split them by the hash of the pretokens."""
    sums = added_up(counted)
    hashes = _hashes(sums) % parts
    return [sums.only(np.flatnonzero(hashes == part)) for part in range(parts)]


def _hashes(columns: PlacedCounts) -> Ints:
    """Return a hash of each pretoken, the same on each machine: of its ends and its length."""
    padded = columns.text + bytes(_WORD)
    # A word at each byte.
    words: Words = np.ndarray(len(columns.text) + 1, "<u8", padded, strides=(1,))
    lengths = columns.lengths
    ends = np.cumsum(lengths)
    within = np.minimum(lengths, _WORD)
    masks = np.array([(1 << 8 * size) - 1 for size in range(_WORD + 1)], np.uint64)[within]
    first, last = words[ends - lengths] & masks, words[ends - within] & masks
    ends_mixed = np.bitwise_xor(_mixed(first), _mixed(last + lengths.astype(np.uint64)))
    hashes: Ints = (_mixed(ends_mixed) >> _HALF).astype(np.int64)
    return hashes


def _mixed(words: Words) -> Words:
    """Return words whose upper halves depend on all bits of the given ones."""
    words = words * _FACTOR
    return (words ^ words >> _HALF) * _FACTOR


_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""An odd number with as many ones as zeros, far apart; half of the bits of a word."""


class Summary(NamedTuple):
    """A summary of all pretokens of one hash.

    Attributes:
        distinct: number of pretokens.
        blocks: number of blocks in which they are sent.
    """

    distinct: int
    blocks: int


def finish(parts: Sequence[PlacedCounts]) -> tuple[Summary, list[PlacedCounts]]:
    """Add up the parts of one hash; return a summary, and all pretokens in blocks."""
    sums = added_up(parts)
    distinct = len(sums.lengths)
    blocks = [sums.rows(start, start + TO_FETCH) for start in range(0, distinct, TO_FETCH)]
    return Summary(distinct, len(blocks)), blocks


def block_of(finished: tuple[Summary, list[PlacedCounts]], number: int) -> PlacedCounts:
    """Return a block of what `finish` returned."""
    return finished[1][number]


def in_order(streams: Sequence[Iterator[PlacedCounts]]) -> Iterator[PlacedCounts]:
    """Merge streams of blocks, each in ascending places, into one such stream."""
    waiting = [(block, stream) for stream in streams if (block := next(stream, None))]
    while waiting:
        until = min(int(block.places[-1]) for block, _ in waiting)
        ready, later = [], []
        for block, stream in waiting:
            end = int(np.searchsorted(block.places, until, "right"))
            ready.append(block.rows(0, end))
            rest = block.rows(end, len(block.places)) if end < len(block.places) else None
            if left := rest or next(stream, None):
                later.append((left, stream))
        joined, waiting = _joined(ready), later
        yield joined.only(np.argsort(joined.places))


def packed(columns: Iterable[PlacedCounts]) -> Iterator[bytes]:
    """Yield the blocks of a counts file; they end where those of `packed_blocks` do."""
    rest = PlacedCounts(b"", *np.zeros((3, 0), np.int64))
    for more in columns:
        rest = _joined((rest, more))
        ends, start, packed_bytes = np.cumsum(rest.lengths), 0, 0
        while True:
            full = int(np.searchsorted(ends, packed_bytes + BLOCK_BYTES)) + 1
            end = min(start + IN_A_BLOCK, full)
            if end > len(ends):
                break
            yield _packed(rest.rows(start, end))
            start, packed_bytes = end, int(ends[end - 1])
        rest = rest.rows(start, len(ends))
    if rest.text:
        yield _packed(rest)


def _packed(rows: PlacedCounts) -> bytes:
    return packed_columns(rows.text, rows.lengths, rows.counts)
