"""The work of a cluster's workers: counting a task.

A task is a stretch of a big file, one packed file, or several small files. A pretoken may cross its
beginning or end. So a worker cuts off the two ends, at the first and the last place where the
pattern allows a cut, and returns them: `engine.counting.cluster` counts them. Each pretoken has the
place of its first appearance: the task, and the number of the pretoken in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from engine.core.errors import CorpusError
from engine.counting.cluster_sums import PlacedCounts
from engine.counting.count import Tally, counter_for
from engine.text.corpus import CHUNK, Reading, SourceReader, without_mark
from engine.text.patterns import Pattern
from engine.text.pretokenize import ChunkCutter, SpecialSplitter, is_blank
from engine.text.sources import BLOCK, Source, sources_of

TASKS = 3
"""Version of the tasks: all workers must have the same."""
LARGEST_END = 1 << 26
"""Largest number of bytes of an end, which is sent over the network."""
PLACES = 1 << 32
"""Number of places for first appearances in a task, and for those in the text before it."""


class Task(NamedTuple):
    """A part of the corpus for one worker.

    Attributes:
        place: its place among the tasks.
        sources: (name to open, expected size) of each source.
        start, end: the stretch of its only source, in bytes; `end` is 0 for whole sources.
    """

    place: int
    sources: tuple[tuple[str, int | None], ...]
    start: int = 0
    end: int = 0

    @property
    def bytes(self) -> int:
        """Number of bytes to read."""
        return self.end - self.start or sum(size or 0 for _, size in self.sources)


class CountingOptions(NamedTuple):
    """Options of reading and counting, the same for all tasks."""

    pattern: Pattern
    special_tokens: tuple[str, ...]
    reading: Reading
    separator: bytes


class Documents(NamedTuple):
    """The documents in a stretch of text, to be joined with those of the next stretch.

    Attributes:
        begun: number of documents that begin in it, if none goes on from before.
        first, last: whether there is text before its first special token, and after its last.
        has_special: whether there is a special token.
    """

    begun: int = 0
    first: bool = False
    last: bool = False
    has_special: bool = False

    @classmethod
    def of(cls, text: bytes, splitter: SpecialSplitter) -> Documents:
        """Count the documents of a text.

        >>> Documents.of(b"a<s> <s>b", SpecialSplitter(["<s>"]))
        Documents(begun=2, first=True, last=True, has_special=True)
        """
        filled = [not is_blank(document) for document in splitter.documents(text)]
        return cls(sum(filled), filled[0], filled[-1], len(filled) > 1)

    def then(self, other: Documents) -> Documents:
        """Join with the documents of the next stretch."""
        return Documents(
            self.begun + other.begun - (self.last and other.first),
            self.first or (not self.has_special and other.first),
            other.last or (not other.has_special and self.last),
            self.has_special or other.has_special,
        )


class Ends(NamedTuple):
    """The uncounted ends of a task, and its documents.

    Attributes:
        start: the text up to the first place where it can be cut; the whole text if there is none.
        end: the text after the last such place; `None` if there is none.
        documents: the documents of the text between.
        skipped: number of bad records that were left out.
    """

    start: bytes
    end: bytes | None
    documents: Documents
    skipped: int


def count_task(task: Task, options: CountingOptions) -> tuple[Ends, PlacedCounts]:
    """Count a task; return its ends, and its counts.

    Raises:
        CorpusError: a source cannot be read, or has changed.
    """
    splitter = SpecialSplitter(options.special_tokens)
    sources: list[Source] = []
    for name, size in task.sources:
        sources += sources_of(name)
        if sources[-1].path is not None and sources[-1].size != size:
            raise CorpusError(
                f"{sources[-1].name}: is not the file that it was, or not the same everywhere"
            )
    reader = SourceReader(sources, options.reading, options.separator, keeps_marks=False)
    blocks = _stretch(sources[0], task.start, task.end) if task.end else iter(reader)
    if task.end and not task.start:  # the reader does so itself
        blocks = without_mark(blocks)
    start, rest = _start(blocks, options.pattern, splitter)
    tally, end, documents = Tally(), None, Documents()
    if rest is not None:
        documents, end = _count(chain((rest,), blocks), options.pattern, splitter, tally)
    first = 2 * task.place * PLACES
    places = np.arange(first, first + tally.distinct)
    return Ends(start, end, documents, reader.skipped), PlacedCounts.of(*tally.columns(), places)


def _count(
    blocks: Iterator[bytes], pattern: Pattern, splitter: SpecialSplitter, tally: Tally
) -> tuple[Documents, bytes]:
    """Count up to the last place to cut; return the documents there, and the text after it."""
    counter = counter_for(pattern, splitter)
    cutter = ChunkCutter(pattern, splitter, CHUNK)
    first, has_special = False, False
    for block in blocks:
        for chunk in cutter.feed(block):
            tally.add(0, counter.count(chunk.data, chunk.continues))
            if not has_special:
                of_chunk = Documents.of(chunk.data, splitter)
                first, has_special = first or of_chunk.first, of_chunk.has_special
    documents = Documents(tally.documents, first, cutter.continues, has_special)
    end = b""
    for chunk in cutter.finish():
        last = ChunkCutter(pattern, splitter, 1)
        for piece in last.feed(chunk.data):
            tally.add(0, counter.count(piece.data, False))
            documents = documents.then(Documents.of(piece.data, splitter))
        end = b"".join(piece.data for piece in last.finish())
    return documents, end


def _stretch(source: Source, start: int, end: int) -> Iterator[bytes]:
    with source.open(seekable=True) as file:
        file.seek(start)
        while start < end:
            try:
                block = file.read(min(BLOCK, end - start))
            except OSError as error:
                raise CorpusError(f"{source.name}: cannot be read: {error}") from error
            if not block:
                raise CorpusError(f"{source.name}: became shorter while it was read")
            start += len(block)
            yield block


def _start(
    blocks: Iterator[bytes], pattern: Pattern, splitter: SpecialSplitter
) -> tuple[bytes, bytes | None]:
    """Read up to the first place to cut; return the text before it, and the text read after it."""
    text, wanted = b"", BLOCK
    for block in blocks:
        text += block
        if len(text) < wanted:
            continue
        if (place := first_cut(text, pattern, splitter)) is not None:
            return text[:place], text[place:]
        wanted = 2 * len(text)
        if wanted > LARGEST_END:
            raise CorpusError(
                f"there is no place to cut in {len(text):,} bytes; count this corpus on one "
                "machine, or choose another pattern"
            )
    place = first_cut(text, pattern, splitter)
    return (text, None) if place is None else (text[:place], text[place:])


def first_cut(text: bytes, pattern: Pattern, splitter: SpecialSplitter) -> int | None:
    """Find the first place where a text may be cut, whatever text precedes and follows it.

    >>> from engine.text.patterns import PATTERNS
    >>> first_cut(b"ken|> ab cd efg hij", PATTERNS["gpt2"], SpecialSplitter(["<|token|>"]))
    8
    """
    # A special token that began before the text ends before `begun`; one that may be completed by
    # the text that follows begins after `decided`. No border is made by a byte of a special token.
    begun, decided = max(splitter.longest - 1, 1), len(text) - max(splitter.longest - 1, 0)
    token = splitter.bytes_regex.search(text)
    end = decided if token is None else min(decided, token.start())
    if pattern.cut_regex is not None:
        border = pattern.cut_regex.search(text, begun, max(end, 0))
        if border is not None:
            return int(border.start())
    return None if token is None else token.end()
