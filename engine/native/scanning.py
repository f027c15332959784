"""`KernelScanner`: cuts pieces of text into pretokens, in the kernel."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from ctypes import byref, c_int64
from threading import Lock

from engine.core.errors import KernelMemoryError
from engine.native import address, integers_at, kernel

SCANNED = frozenset(("gpt2", "cl100k", "o200k", "llama3", "qwen2"))
"""The patterns that the kernel knows, by their names."""
LETTER, NUMBER, SPACE, UPPER, LOWER, KNOWN = (1 << bit for bit in range(6))
"""The classes of characters; every character is `KNOWN`."""
PAGE = 128
"""Characters whose classes are asked for together."""


class KernelScanner:
    """Cuts texts by a pattern, many at a time.

    Args:
        name: of the pattern, in `SCANNED`.
        classes_of: the classes of each character of a page, summed: of the characters from
            `PAGE` times its number on.
    """

    def __init__(self, name: str, classes_of: Callable[[int], bytes]) -> None:
        self._kernel = kernel()
        self._classes_of = classes_of
        self._lock = Lock()
        self._handle = self._kernel.scanner_new(name.encode())
        if not self._handle:
            raise _no_memory()
        self._add_page(0)

    def cut(self, text: bytes, sizes: array[int]) -> tuple[array[int], array[int]]:
        """The lengths of the pretokens of some pieces, and how many pretokens each piece has.

        Args:
            text: the pieces one after the other.
            sizes: how many bytes each has; integers of 64 bits.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        with self._lock:
            begin = c_int64(0)
            while (page := self._missing_page(text, begin)) >= 0:
                self._add_page(page)
            found = self._kernel.scanner_cut(self._handle, text, address(sizes), len(sizes))
            if found < 0:
                raise _no_memory()
            lengths = self._column("scanner_lengths", found)
            return lengths, self._column("scanner_counts", len(sizes))

    def _missing_page(self, text: bytes, begin: c_int64) -> int:
        page: int = self._kernel.scanner_missing_page(self._handle, text, len(text), byref(begin))
        return page

    def _add_page(self, page: int) -> None:
        if self._kernel.scanner_add_page(self._handle, page, self._classes_of(page)) < 0:
            raise _no_memory()

    def _column(self, name: str, length: int) -> array[int]:
        return integers_at(getattr(self._kernel, name)(self._handle), length)

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self._kernel.scanner_free(self._handle)


def _no_memory() -> KernelMemoryError:
    return KernelMemoryError("there is not enough memory to cut a text; give it in parts")
