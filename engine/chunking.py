"""Cutting a stream of bytes into pieces that can be pretokenized one by one.

A piece may end behind a special token, or where the pattern's `cut` allows it; never inside a
special token, and never before it is certain which special token stands there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.patterns import Pattern
from engine.pretokenize import SpecialSplitter


@dataclass(frozen=True)
class Piece:
    """A stretch of a stream. `continues`: its start belongs to the document before it."""

    data: bytes
    continues: bool


class ChunkCutter:
    """Feed it bytes as they come; it hands back pieces of about `size` bytes.

    Where nothing allows a cut (one word of a gigabyte, pattern `none`) a piece grows as it must.

    >>> from engine.patterns import PATTERNS
    >>> cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]), size=4)
    >>> [p.data for p in cutter.feed(b"one two three")], [p.data for p in cutter.finish()]
    ([b'one two'], [b' three'])
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter, size: int) -> None:
        self._cut_regex = pattern.cut_regex
        self._splitter = splitter
        self._size = self._wanted = size
        self._buffer = b""
        self._continues = False

    def feed(self, block: bytes) -> Iterator[Piece]:
        """Take more bytes in; the pieces that are complete now."""
        self._buffer += block
        if len(self._buffer) < self._wanted:
            return
        end, in_document = self._last_cut()
        if end:
            yield self._take(end, in_document)
            self._wanted = self._size
        else:
            # Looking again at every block would make long uncuttable stretches quadratic.
            self._wanted = 2 * len(self._buffer)

    def finish(self) -> Iterator[Piece]:
        """What is left, when the stream has ended."""
        if self._buffer:
            yield self._take(len(self._buffer), False)

    def _take(self, end: int, in_document: bool) -> Piece:
        piece = Piece(self._buffer[:end], self._continues)
        self._buffer = self._buffer[end:]
        self._continues = in_document
        return piece

    def _last_cut(self) -> tuple[int, bool]:
        """The last safe place to cut the buffer (0: none), and whether it is inside a document."""
        # A special token that starts before `decided` is in the buffer whole, and so is any
        # longer one that might start at the same place.
        decided = len(self._buffer) - max(self._splitter.longest - 1, 0)
        after_special, inside = 0, None
        for match in self._splitter.bytes_regex.finditer(self._buffer):
            if match.start() >= decided:
                break
            after_special = match.end()
            inside = match.span()
        border = self._last_border(decided)
        if inside and border < inside[1]:
            return after_special, False
        return (border, True) if border else (0, False)

    def _last_border(self, limit: int) -> int:
        """The last place up to `limit` where the pattern allows a cut; 0 if there is none."""
        if self._cut_regex is None:
            return 0
        # The newest border is near the end, as a rule: look there first.
        for start in (max(limit - 4096, 0), 0):
            last = 0
            for match in self._cut_regex.finditer(self._buffer, start, max(limit, 0)):
                last = match.start()
            if last:
                return last
        return 0
