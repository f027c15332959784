"""Counting chunk after chunk: the protocol of counters, and the plain counter.

The plain counter runs the pattern over all of the text, which is right for every pattern. The
kernel has a faster one for most of them: see `engine.counting.count`.

Training on a small corpus loads this module, so it does not import numpy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain
from itertools import count as count_up
from typing import NamedTuple, Protocol

from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import Chunk, SpecialSplitter, is_blank, to_bytes, to_text


class PlainCount(NamedTuple):
    """The counts of one chunk.

    Attributes:
        counts: pretoken → count, in order of first appearance.
        documents: number of documents whose first non-space is in the chunk.
    """

    counts: dict[bytes, int]
    documents: int


class ChunkCount(NamedTuple):
    """The counts of one chunk by the pieces of its text.

    A counter numbers the pieces of text that it meets, from 0 on, and returns the pretokens of a
    piece only once. So the count of a chunk with few new pieces is small. Numbers are 64-bit
    integers as bytes, as the kernel takes them.

    Attributes:
        new_text, new_lengths: the pretokens of the new pieces, joined, in order of appearance; and
            their lengths.
        new_sizes: number of pretokens of each new piece.
        numbers: the pieces in the chunk; one may be listed twice.
        counts: the count of each listed piece.
        documents: as in `PlainCount`.
    """

    new_text: bytes
    new_lengths: bytes
    new_sizes: bytes
    numbers: bytes
    counts: bytes
    documents: int


class CorpusCount(NamedTuple):
    """The number of documents of a corpus, and its pretoken counts in order of first appearance."""

    documents: int
    counts: Counter[bytes]


class ChunkCounter(Protocol):
    """A counter of one chunk after another."""

    def count(self, data: bytes, continues: bool) -> PlainCount | ChunkCount:
        """Count a chunk.

        Args:
            data: its bytes; no pretoken or special token crosses its ends.
            continues: whether its first document has begun, and been counted, in an earlier chunk.
        """


CounterKind = Callable[[Pattern, SpecialSplitter], ChunkCounter]
"""A class of counters, which makes a new one."""


def documents_in(data: bytes, continues: bool, splitter: SpecialSplitter) -> int:
    """Count the documents that begin in a chunk.

    A document is the text between two special tokens, if it is more than whitespace.
    """
    documents = splitter.documents(data)
    begun = sum(not is_blank(document) for document in documents)
    return begun - (continues and not is_blank(documents[0]))


class PlainCounter:
    """A counter that runs the pattern over all of the text."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._splitter = splitter

    def count(self, data: bytes, continues: bool) -> PlainCount:
        """See `ChunkCounter.count`."""
        counts = count_pretokens_of(data, self._pattern, self._splitter)
        return PlainCount(counts, documents_in(data, continues, self._splitter))


def count_pretokens_of(
    data: bytes, pattern: Pattern, splitter: SpecialSplitter
) -> dict[bytes, int]:
    """Count the pretokens of a text, in order of first appearance."""
    if splitter.is_plain and pattern == PATTERNS["none"]:
        return Counter(filter(None, splitter.documents(data)))
    if splitter.is_plain:
        texts: Iterable[str] = map(to_text, splitter.documents(data))
    else:  # the splitter changes a text before the pattern cuts it, so it needs the whole text
        texts = (piece for piece, special in splitter.split_text(to_text(data)) if not special)
    counts = Counter(chain.from_iterable(map(pattern.split, texts)))
    return {to_bytes(pretoken): count for pretoken, count in counts.items()}


class CountedChunk(NamedTuple):
    """A chunk that has been counted, without its text.

    Attributes:
        counter: number of the counter in this process.
        bytes_read: number of bytes of the corpus read up to the end of the chunk.
    """

    counter: int
    bytes_read: int
    chunk: PlainCount | ChunkCount


_made = count_up()
"""Numbers for the counters: each counter has its own piece numbers."""


def counting(
    kind: CounterKind, pattern: Pattern, splitter: SpecialSplitter
) -> Callable[[Chunk], CountedChunk]:
    """Return a function that counts chunks with a new counter."""
    counter = kind(pattern, splitter)
    name = next(_made)

    def count(chunk: Chunk) -> CountedChunk:
        return CountedChunk(name, chunk.bytes_read, counter.count(chunk.data, chunk.continues))

    return count
