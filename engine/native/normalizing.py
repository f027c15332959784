"""Normalizing in the kernel: SentencePiece's rules."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from ctypes import byref, c_int64
from threading import Lock

from engine.native import KernelObject, address, copied


class KernelNormalizer(KernelObject):
    """SentencePiece's normalizer, without what it adds at the ends of a text.

    Args:
        units, texts: the rules: a double array, and replacements, each ended by a NUL.
        kept: symbols that stay as they are.
        removes: whether runs of spaces become one, and none at the beginning.
        marks: whether a space becomes `▁`.
    """

    def __init__(
        self, units: Iterable[int], texts: bytes, kept: Iterable[str], removes: bool, marks: bool
    ) -> None:
        numbers, symbols = array("I", units), sorted(symbol.encode() for symbol in kept)
        sizes = array("q", map(len, symbols))
        rules = address(numbers), len(numbers), texts + b"\0", len(texts) + 1
        rest = b"".join(symbols), address(sizes), len(sizes), removes, marks
        memory_error = "there is not enough memory to normalize; give the text in parts"
        super().__init__("normalizer", memory_error, *rules, *rest)
        self._lock, self._size = Lock(), c_int64()

    def run(self, text: bytes) -> bytes | None:
        """Return the normalized text; `None` if there is nothing but spaces.

        Raises:
            KernelMemoryError: there is not enough memory.
        """
        with self._lock:
            at = self.call("normalizer_run", text, len(text), byref(self._size))
            return None if self._size.value < 0 else copied(at, self._size.value)
