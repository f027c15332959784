"""Counting in the kernel: `KernelCounter` counts pieces of chunks, `KernelSums` adds them up."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from engine.core.errors import KernelMemoryError
from engine.native import PADDING, KernelObject, address, copied, random_seed

_NO_MEMORY = "there is not enough memory to count; use a smaller corpus"


class CountedPieces(NamedTuple):
    """The pieces of a chunk, with their counts.

    Attributes:
        new: the text of the pieces that no chunk had before, joined; they get the next numbers,
            from 0 on.
        new_sizes: the length of each new piece, in bytes.
        numbers, counts: all different pieces of the chunk and the count of each, as bytes of 64-bit
            integers.
        filled: number of stretches between special tokens that begin with a word.
        unclear: (begin, end) of the other stretches that are not empty; they may be all whitespace.
    """

    new: bytes
    new_sizes: array[int]
    numbers: bytes
    counts: bytes
    filled: int
    unclear: list[tuple[int, int]]


class KernelCounter(KernelObject):
    """A counter of one chunk after another, which remembers the pieces it has met.

    Args:
        borders: where a piece ends: `BorderTables.packed`.
        special_tokens: left out of all pieces; longest first.
    """

    def __init__(self, borders: bytes, special_tokens: Sequence[bytes]) -> None:
        sizes = array("q", map(len, special_tokens))
        tokens = b"".join(special_tokens), address(sizes), len(sizes)
        super().__init__("counter", _NO_MEMORY, borders, *tokens, random_seed())

    def count(self, data: bytes) -> CountedPieces:
        """Count a chunk.

        Raises:
            KernelMemoryError: there is not enough memory; the counter cannot go on.
        """
        try:
            found = self.call("counter_count", data + PADDING, len(data))
        except KernelMemoryError:
            self.free()
            raise
        sizes = array("q", bytes(8 * self.call("counter_new_pieces")))
        self.call("counter_new_sizes", address(sizes))
        unclear = 2 * self.call("counter_unclear")
        places = self.integers("counter_unclear_stretches", unclear)
        return CountedPieces(
            new=copied(self.call("counter_new_text"), sum(sizes)),
            new_sizes=sizes,
            numbers=copied(self.call("counter_numbers"), 8 * found),
            counts=copied(self.call("counter_counts"), 8 * found),
            filled=self.call("counter_filled"),
            unclear=list(zip(places[::2], places[1::2], strict=True)),
        )


class KernelSums(KernelObject):
    """Sums of the counts of several counters, numbered from 0 on."""

    def __init__(self) -> None:
        super().__init__("tally", _NO_MEMORY, random_seed())

    @property
    def distinct(self) -> int:
        """Number of different pretokens so far."""
        return self.call("tally_distinct")

    def learn(self, counter: int, text: bytes, lengths: bytes, sizes: bytes) -> None:
        """Learn new pieces of a counter, in the form of `ChunkCount`, with counts of 0."""
        lengths_, sizes_ = array("q", lengths), array("q", sizes)
        if sum(lengths_) != len(text) or sum(sizes_) != len(lengths_):
            raise ValueError("the pretokens of a piece do not add up to the piece")
        numbers = address(lengths_), address(sizes_), len(sizes_)
        self.call("tally_learn", counter, text + PADDING, *numbers)

    def add(self, counter: int, pieces: bytes, counts: bytes) -> int:
        """Add the counts of pieces; return the number of their pretokens."""
        pieces_, counts_ = array("q", pieces), array("q", counts)
        numbers = address(pieces_), address(counts_), len(pieces_)
        added: int = self.kernel.tally_add(self.handle, counter, *numbers)
        if added < 0:
            raise ValueError("a piece that its counter has not learnt")
        return added

    def first(self, length: int) -> tuple[bytes, array[int], array[int]]:
        """Return the first `length` pretokens, joined; their lengths; their counts."""
        lengths, counts = array("q", bytes(8 * length)), array("q", bytes(8 * length))
        self.call("tally_counts", length, address(lengths), address(counts))
        return copied(self.call("tally_text"), sum(lengths)), lengths, counts
