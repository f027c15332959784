"""What a counter of chunks is, and what it tells about each chunk."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from engine.text.pretokenize import SpecialSplitter, is_blank


class ChunkCount(NamedTuple):
    """What one chunk holds.

    A counter numbers the pieces of text that it meets, from 0 on, and tells the pretokens of each
    only once: so there is little to say about a chunk that is like those before. Numbers are
    64-bit integers in bytes, which go through a pipe as they are.

    Attributes:
        new_pretokens: those of the pieces met for the first time, in order of appearance.
        new_sizes: how many of them each new piece has.
        numbers: the pieces in the chunk. One may come twice.
        counts: how often each of these occurs.
        documents: those whose first non-space is in the chunk.
    """

    new_pretokens: list[bytes]
    new_sizes: bytes
    numbers: bytes
    counts: bytes
    documents: int


class ChunkCounter(Protocol):
    """Counts one chunk after another and remembers the pieces it has met."""

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        """Count a chunk; with `continues` its first document has been counted before."""


def documents_in(data: bytes, continues: bool, splitter: SpecialSplitter) -> int:
    """How many documents begin in a chunk.

    A document is a stretch between special tokens that holds more than whitespace.
    """
    documents = splitter.documents(data)
    begun = sum(not is_blank(document) for document in documents)
    return begun - (continues and not is_blank(documents[0]))
