"""`KernelCounter`: counts the pieces of a text in the kernel."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from engine.core.errors import KernelMemoryError
from engine.native import PADDING, address, copied, kernel, random_seed


class Pieces(NamedTuple):
    """The pieces of a chunk.

    Attributes:
        new: those that no chunk had before, one after the other in their order; they get the next
            numbers, from 0 on.
        new_sizes: how many bytes each of these has.
        numbers, counts: all that are in it, and how often each is; integers of 64 bits in bytes.
    """

    new: bytes
    new_sizes: array[int]
    numbers: bytes
    counts: bytes


class KernelCounter:
    """Counts one chunk after another, and remembers the pieces it has met.

    Args:
        borders: where a piece ends: `BorderTables.packed`.
    """

    def __init__(self, borders: bytes) -> None:
        self._kernel = kernel()
        self._handle = self._kernel.counter_new(borders, random_seed())
        if not self._handle:
            raise _no_memory()

    def count(self, data: bytes, starts: Sequence[int], ends: Sequence[int]) -> Pieces:
        """Count a chunk without some stretches, given by where they start and end.

        Raises:
            KernelMemoryError: there is not enough memory; the counter has served.
        """
        if not self._handle:
            raise _no_memory()
        begins, stops = array("q", starts), array("q", ends)
        found = self._kernel.counter_count(
            *(self._handle, data + PADDING, len(data)),
            *(address(begins), address(stops), len(begins)),
        )
        if found < 0:
            self._free()
            raise _no_memory()
        sizes = array("q", bytes(8)) * self._kernel.counter_new_pieces(self._handle)
        self._kernel.counter_new_sizes(self._handle, address(sizes))
        return Pieces(
            *(self._copied("counter_new_text", sum(sizes)), sizes),
            self._copied("counter_numbers", 8 * found),
            self._copied("counter_counts", 8 * found),
        )

    def _copied(self, name: str, size: int) -> bytes:
        """A copy of the bytes that a function of the kernel points to."""
        return copied(getattr(self._kernel, name)(self._handle), size)

    def _free(self) -> None:
        handle, self._handle = self._handle, None
        self._kernel.counter_free(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._free()


def _no_memory() -> KernelMemoryError:
    return KernelMemoryError("there is not enough memory to count; use a smaller corpus")
