"""Cutting in the kernel: `KernelScanner` cuts pieces of text into pretokens."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from ctypes import byref, c_int64
from threading import Lock

from engine.native import KernelObject, address

SCANNED = frozenset(("gpt2", "cl100k", "o200k", "llama3", "qwen2", "bert"))
"""The names of the patterns that the kernel has."""
LETTER, NUMBER, SPACE, UPPER, LOWER, KNOWN, MARK = (1 << bit for bit in range(7))
"""The classes of characters, as bits: each is `KNOWN`, BERT's punctuation a `MARK`."""
PAGE = 128
"""Number of characters in a page: the kernel gets the classes of all together."""


class KernelScanner(KernelObject):
    """A pattern that cuts many pieces of text at a time.

    Args:
        name: a pattern in `SCANNED`.
        classes_of: (page, whether it was asked before) → the classes of its characters, a byte
            each; 0 to be asked again for the page when a text has the character. A page has the
            `PAGE` characters from `PAGE` times its number on.
    """

    def __init__(self, name: str, classes_of: Callable[[int, bool], bytes]) -> None:
        memory_error = "there is not enough memory to cut a text; give it in parts"
        super().__init__("scanner", memory_error, name.encode())
        self._classes_of = classes_of
        self._asked: set[int] = set()
        self._lock = Lock()
        self._add_page(0)

    def cut(self, text: bytes, sizes: array[int]) -> tuple[array[int], array[int]]:
        """Return the lengths of the pretokens of some pieces, and the number of pretokens of each.

        Args:
            text: the pieces, joined.
            sizes: the length of each piece in bytes, as 64-bit integers.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        with self._lock:
            missing_page = self.kernel.scanner_missing_page
            begin = c_int64(0)
            while (page := missing_page(self.handle, text, len(text), byref(begin))) >= 0:
                self._add_page(page)
            found = self.call("scanner_cut", text, address(sizes), len(sizes))
            lengths = self.integers("scanner_lengths", found)
            return lengths, self.integers("scanner_counts", len(sizes))

    def _add_page(self, page: int) -> None:
        self.call("scanner_add_page", page, self._classes_of(page, page in self._asked))
        self._asked.add(page)
