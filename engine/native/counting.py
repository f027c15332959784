"""Counting in the kernel: `KernelCounter` counts pieces of chunks, `KernelSums` adds them up."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from engine.core.arrays import parts_of
from engine.core.errors import KernelMemoryError
from engine.native import PADDING, address, copied, integers_at, kernel, random_seed


class Pieces(NamedTuple):
    """The pieces of a chunk.

    Attributes:
        new: those that no chunk had before, one after the other in their order; they get the next
            numbers, from 0 on.
        new_sizes: how many bytes each of these has.
        numbers, counts: all that are in it, and how often each is; integers of 64 bits in bytes.
        filled: stretches between special tokens that begin with a word.
        unclear: where the others begin and end, which may be all whitespace; empty ones left out.
    """

    new: bytes
    new_sizes: array[int]
    numbers: bytes
    counts: bytes
    filled: int
    unclear: list[tuple[int, int]]


class KernelCounter:
    """Counts one chunk after another, and remembers the pieces it has met.

    Args:
        borders: where a piece ends: `BorderTables.packed`.
        special_tokens: are no part of any piece; longer ones first.
    """

    def __init__(self, borders: bytes, special_tokens: Sequence[bytes]) -> None:
        self._kernel = kernel()
        sizes = array("q", map(len, special_tokens))
        self._handle = self._kernel.counter_new(
            *(borders, b"".join(special_tokens), address(sizes), len(sizes)), random_seed()
        )
        if not self._handle:
            raise _no_memory()

    def count(self, data: bytes) -> Pieces:
        """Count a chunk.

        Raises:
            KernelMemoryError: there is not enough memory; the counter has served.
        """
        if not self._handle:
            raise _no_memory()
        found = self._kernel.counter_count(self._handle, data + PADDING, len(data))
        if found < 0:
            self._free()
            raise _no_memory()
        sizes = array("q", bytes(8 * self._told("counter_new_pieces")))
        self._kernel.counter_new_sizes(self._handle, address(sizes))
        unclear = 2 * self._told("counter_unclear")
        places = integers_at(self._told("counter_unclear_stretches"), unclear)
        return Pieces(
            *(copied(self._told("counter_new_text"), sum(sizes)), sizes),
            copied(self._told("counter_numbers"), 8 * found),
            copied(self._told("counter_counts"), 8 * found),
            *(self._told("counter_filled"), list(zip(places[::2], places[1::2], strict=True))),
        )

    def _told(self, name: str) -> int:
        """What a function of the kernel says: a number, or where something stands."""
        told: int = getattr(self._kernel, name)(self._handle)
        return told

    def _free(self) -> None:
        handle, self._handle = self._handle, None
        self._kernel.counter_free(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._free()


class KernelSums:
    """What `engine.counting.count.Sums` is, in the kernel."""

    def __init__(self) -> None:
        self._kernel = kernel()
        self._handle = self._kernel.tally_new(random_seed())
        if not self._handle:
            raise _no_memory()

    @property
    def distinct(self) -> int:
        found: int = self._kernel.tally_distinct(self._handle)
        return found

    def learn(self, counter: int, text: bytes, lengths: bytes, sizes: bytes) -> None:
        lengths_, sizes_ = array("q", lengths), array("q", sizes)
        if sum(lengths_) != len(text) or sum(sizes_) != len(lengths_):
            raise ValueError("the pretokens of a piece are not the piece")
        told = self._kernel.tally_learn(
            *(self._handle, counter, text + PADDING),
            *(address(lengths_), address(sizes_), len(sizes_)),
        )
        if told < 0:
            raise _no_memory()

    def add(self, counter: int, pieces: bytes, counts: bytes) -> int:
        pieces_, counts_ = array("q", pieces), array("q", counts)
        added: int = self._kernel.tally_add(
            self._handle, counter, address(pieces_), address(counts_), len(pieces_)
        )
        if added < 0:
            raise ValueError("a piece that its counter has not told")
        return added

    def first(self, length: int) -> tuple[list[bytes], array[int]]:
        sizes, counts = array("q", bytes(8 * length)), array("q", bytes(8 * length))
        self._kernel.tally_counts(self._handle, length, address(sizes), address(counts))
        text = copied(self._kernel.tally_text(self._handle), sum(sizes))
        return parts_of(text, sizes), counts

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._kernel.tally_free(self._handle)


def _no_memory() -> KernelMemoryError:
    return KernelMemoryError("there is not enough memory to count; use a smaller corpus")
