"""Cutting a stream of bytes into chunks that can be pretokenized one by one.

A chunk may end behind a special token, or at one of the pattern's borders; never inside a
special token, and never before it is certain which special token stands there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter, is_blank


class Chunk(NamedTuple):
    """A stretch of a stream that can be pretokenized by itself.

    Attributes:
        data: its bytes.
        continues: whether it begins inside a document that has begun before: of which earlier
            chunks hold more than whitespace.
        bytes_read: how far the file had been read when the chunk was cut; 0 where nobody says.
    """

    data: bytes
    continues: bool
    bytes_read: int = 0


class ChunkCutter:
    """Cuts bytes as they come into chunks of about `size` bytes.

    Where nothing allows a cut (one word of a gigabyte, pattern `none`, a splitter that has to see
    all of a text) a chunk grows as it must.

    >>> from engine.text.patterns import PATTERNS
    >>> cutter = ChunkCutter(PATTERNS["gpt2"], SpecialSplitter(["<s>"]), size=4)
    >>> [chunk.data for chunk in cutter.cut([b"one tw", b"o three"])]
    [b'one', b' two', b' three']
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter, size: int) -> None:
        self._cut_regex = pattern.cut_regex
        self._splitter = splitter
        self._size = self._wanted = size
        self._blocks: list[bytes] = []  # joined when there are enough of them
        self._length = 0
        self._continues = False

    def cut(self, blocks: Iterable[bytes]) -> Iterator[Chunk]:
        """The chunks of a stream that comes in blocks, each as soon as it is complete."""
        for block in blocks:
            yield from self.feed(block)
        yield from self.finish()

    def feed(self, block: bytes) -> Iterator[Chunk]:
        """Take more bytes in; the chunks that are complete now."""
        self._blocks.append(block)
        self._length += len(block)
        if self._length < self._wanted:
            return
        buffer = b"".join(self._blocks)
        end, document = self._last_cut(buffer)
        if end:
            yield self._take(buffer, end, document)
            self._wanted = self._size
        else:
            # Looking again at every block would make long uncuttable stretches quadratic.
            self._wanted = 2 * len(buffer)

    def finish(self) -> Iterator[Chunk]:
        """What is left, when the stream has ended."""
        if self._length:
            buffer = b"".join(self._blocks)
            yield self._take(buffer, len(buffer), len(buffer))

    def _take(self, buffer: bytes, end: int, document: int) -> Chunk:
        """The buffer up to `end`, where the document stands that began at `document`."""
        chunk = Chunk(buffer[:end], self._continues)
        begun_before = self._continues and document == 0
        self._continues = begun_before or not is_blank(buffer[document:end])
        self._blocks = [buffer[end:]]
        self._length = len(buffer) - end
        return chunk

    def _last_cut(self, buffer: bytes) -> tuple[int, int]:
        """The last safe place to cut (0: none), and where the document that stands there began."""
        if not self._splitter.by_pieces:
            return 0, 0
        # A special token that starts before `decided` is in the buffer whole, and so is any
        # longer one that might start at the same place.
        decided = len(buffer) - max(self._splitter.longest - 1, 0)
        after_special = 0
        for match in self._splitter.bytes_regex.finditer(buffer):
            if match.start() >= decided:
                break
            after_special = match.end()
        return max(after_special, self._last_border(buffer, decided)), after_special

    def _last_border(self, buffer: bytes, limit: int) -> int:
        """The last place up to `limit` where the pattern allows a cut; 0 if there is none."""
        if self._cut_regex is None:
            return 0
        # The newest border is near the end, as a rule: look there first.
        for reach in (64, 4096, limit):
            last, start = 0, max(limit - reach, 0)
            for match in self._cut_regex.finditer(buffer, start, max(limit, 0)):
                last = match.start()
            if last:
                return last
        return 0
