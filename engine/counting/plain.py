"""Counting the pretokens of one chunk after another: what a counter is, and the plain one.

The plain counter lets the pattern run over all of the text, which is right for every pattern. For
most there is a faster one in `engine.counting.by_pieces`.

Helper processes load this module, so it does without numpy.
"""

from __future__ import annotations

import os
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import count as count_up
from itertools import islice, repeat
from typing import NamedTuple, Protocol

from engine.core.arrays import parts_of
from engine.text.patterns import Pattern
from engine.text.pretokenize import Chunk, SpecialSplitter, is_blank, to_bytes, to_text


class ChunkCount(NamedTuple):
    """What one chunk holds.

    A counter numbers the pieces of text that it meets, from 0 on, and tells the pretokens of each
    only once: so there is little to say about a chunk that is like those before. Numbers are
    64-bit integers in bytes, which go through a pipe as they are.

    Attributes:
        new_text, new_lengths: the pretokens of the pieces met for the first time, in order of
            appearance, one after the other; and their lengths.
        new_sizes: how many of them each new piece has.
        numbers: the pieces in the chunk. One may come twice.
        counts: how often each of these occurs.
        documents: those whose first non-space is in the chunk.
    """

    new_text: bytes
    new_lengths: bytes
    new_sizes: bytes
    numbers: bytes
    counts: bytes
    documents: int

    @property
    def new_pretokens(self) -> list[bytes]:
        """What `new_text` holds."""
        return parts_of(self.new_text, array("q", self.new_lengths))


class ChunkCounter(Protocol):
    """Counts one chunk after another and remembers the pieces it has met."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None: ...

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        """Count a chunk.

        Args:
            data: its bytes, cut where no pretoken and no special token stands across.
            continues: whether its first document has begun before, so is counted already.
        """


def documents_in(data: bytes, continues: bool, splitter: SpecialSplitter) -> int:
    """How many documents begin in a chunk.

    A document is a stretch between special tokens that holds more than whitespace.
    """
    documents = splitter.documents(data)
    begun = sum(not is_blank(document) for document in documents)
    return begun - (continues and not is_blank(documents[0]))


class PlainCounter:
    """Here each pretoken is a piece of its own."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._splitter = splitter
        self._numbers: dict[bytes, int] = {}

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        counts = count_pretokens_of(data, self._pattern, self._splitter)
        known = len(self._numbers)
        numbers = [self._numbers.setdefault(pretoken, len(self._numbers)) for pretoken in counts]
        new = list(islice(self._numbers, known, None))
        return ChunkCount(
            *joined(new),
            array("q", repeat(1, len(new))).tobytes(),
            array("q", numbers).tobytes(),
            array("q", counts.values()).tobytes(),
            documents_in(data, continues, self._splitter),
        )


def joined(pretokens: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Pretokens one after the other, and their lengths, as `ChunkCount` has them."""
    return b"".join(pretokens), array("q", map(len, pretokens)).tobytes()


def count_pretokens_of(
    data: bytes, pattern: Pattern, splitter: SpecialSplitter
) -> dict[bytes, int]:
    """The pretokens of a text, in order of first appearance."""
    counts: Counter[str] = Counter()
    if splitter.by_pieces:
        texts: Iterable[str] = map(to_text, splitter.documents(data))
    else:  # it changes a text before the pattern cuts it, so it has to see all of it
        texts = (piece for piece, special in splitter.split_text(to_text(data)) if not special)
    for text in texts:
        counts.update(pattern.split(text))
    return {to_bytes(pretoken): count for pretoken, count in counts.items()}


class Counted(NamedTuple):
    """A chunk that has been counted. Its text has served.

    Attributes:
        counter: which counter it was, of several in several processes.
        bytes_read: how far the file had been read.
    """

    counter: int
    bytes_read: int
    chunk: ChunkCount


_made = count_up()
"""Counters made in this process, which may be several: pieces of two must not be mixed up."""


def counting(
    kind: type[ChunkCounter], pattern: Pattern, splitter: SpecialSplitter
) -> Callable[[Chunk], Counted]:
    """A function that counts chunks with a counter of its own, in whichever process it is made."""
    counter = kind(pattern, splitter)
    name = os.getpid() << 32 | next(_made)

    def count(chunk: Chunk) -> Counted:
        return Counted(name, chunk.bytes_read, counter.count(chunk.data, chunk.continues))

    return count
