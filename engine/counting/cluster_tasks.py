"""The work of a cluster's workers: counting a task, and adding up counts.

A task is a stretch of a big file, one packed file, or several small files. A pretoken may cross its
beginning or end. So a worker cuts off the two ends, at the first and the last place where the
pattern allows a cut, and returns them: `engine.counting.cluster` counts them. Each pretoken has the
place of its first appearance: the task, and the number of the pretoken in it.
"""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, count
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Ints
from engine.core.errors import CorpusError
from engine.counting.count import Tally, counter_for
from engine.counting.counts_file import IN_A_BLOCK, packed_block, unpacked_block
from engine.counting.examples import commonest
from engine.text.corpus import CHUNK, Reading, SourceReader
from engine.text.patterns import Pattern
from engine.text.pretokenize import Chunk, ChunkCutter, SpecialSplitter, is_blank
from engine.text.sources import BLOCK, Source, sources_of

TASKS = 2
"""Version of the tasks: all workers must have the same."""
LARGEST_END = 1 << 26
"""Largest number of bytes of an end, which is sent over the network."""
_QUICK = 1
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
        first, last: whether there is text before its first special token, and behind its last.
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
        end: the text behind the last such place; `None` if there is none.
        documents: the documents of the text between.
        skipped: number of bad records that were left out.
    """

    start: bytes
    end: bytes | None
    documents: Documents
    skipped: int


def count_task(task: Task, options: CountingOptions) -> list[Ends | bytes]:
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
    reader = SourceReader(sources, options.reading, options.separator)
    blocks = _stretch(sources[0], task.start, task.end) if task.end else iter(reader)
    start, rest = _start(blocks, options.pattern, splitter)
    tally, end, documents = Tally(), None, Documents()
    if rest is not None:
        counter = counter_for(options.pattern, splitter)

        def add(chunk: Chunk) -> None:
            nonlocal documents
            tally.add(0, counter.count(chunk.data, False))
            documents = documents.then(Documents.of(chunk.data, splitter))

        cutter = ChunkCutter(options.pattern, splitter, CHUNK)
        for block in chain((rest,), blocks):
            for chunk in cutter.feed(block):
                add(chunk)
        end = b""
        for chunk in cutter.finish():
            last = ChunkCutter(options.pattern, splitter, 1)
            for piece in last.feed(chunk.data):
                add(piece)
            end = b"".join(piece.data for piece in last.finish())
    counts = tally.counts()
    numbers = np.fromiter(counts.values(), np.int64, len(counts))
    places = np.arange(len(counts)) + 2 * task.place * PLACES
    return [
        Ends(start, end, documents, reader.skipped),
        packed(list(counts), numbers, places),
    ]


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
    """Read up to the first place to cut; return the text before it, and the text read behind it."""
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
    # the text that follows begins after `decided`.
    begun, decided = max(splitter.longest - 1, 0), len(text) - max(splitter.longest - 1, 0)
    tokens = [match.span() for match in splitter.bytes_regex.finditer(text)]
    first = min((end for _, end in tokens), default=None)
    if pattern.cut_regex is not None:
        for match in pattern.cut_regex.finditer(text, begun, max(decided, begun)):
            place = int(match.start())
            if place and not any(start < place < end for start, end in tokens):
                return place if first is None else min(place, first)
    return first


def packed(pretokens: Sequence[bytes], counts: Ints, places: Ints) -> bytes:
    return zlib.compress(packed_block(pretokens, counts, places), _QUICK)


def unpacked(part: bytes) -> tuple[list[bytes], list[Ints]]:
    return unpacked_block(zlib.decompress(part), 2)


def added_up(parts: Sequence[bytes]) -> tuple[list[bytes], Ints, Ints]:
    """Add up parts; return the pretokens in order of first appearance, their counts and places."""
    numbers = defaultdict[bytes, int](count().__next__)
    counts, places = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for part in parts:
        pretokens, (more, where) = unpacked(part)
        chosen = np.fromiter(map(numbers.__getitem__, pretokens), np.int64, len(pretokens))
        new = len(numbers) - len(counts)
        counts = np.append(counts, np.zeros(new, np.int64))
        places = np.append(places, np.full(new, np.iinfo(np.int64).max))
        counts[chosen] += more  # a part has each pretoken only once
        places[chosen] = np.minimum(places[chosen], where)
    order = np.argsort(places)
    known = list(numbers)
    return [known[number] for number in order], counts[order], places[order]


def add_up(parts: Sequence[bytes]) -> bytes:
    """Add up several parts into one."""
    return packed(*added_up(parts))


def split(counted: Sequence[bytes], parts: int) -> list[bytes]:
    """Add up the counts of several tasks, and split them by the hash of the pretokens."""
    pretokens, counts, places = added_up(counted)
    hashes = np.fromiter(map(zlib.crc32, pretokens), np.int64, len(pretokens)) % parts
    split_up = []
    for part in range(parts):
        chosen = np.flatnonzero(hashes == part)
        some = [pretokens[number] for number in chosen.tolist()]
        split_up.append(packed(some, counts[chosen], places[chosen]))
    return split_up


def finish(parts: Sequence[bytes], shown: frozenset[bytes]) -> list[int | bytes]:
    """Add up the parts of one hash.

    Returns:
        The number of pretokens, a block of the commonest that are not in `shown`, and all of them
        in blocks.
    """
    pretokens, counts, places = added_up(parts)
    most = commonest(pretokens, counts, shown)
    blocks = [packed([pretokens[place] for place in most], counts[most], places[most])]
    for start in range(0, len(pretokens), IN_A_BLOCK):
        some = slice(start, start + IN_A_BLOCK)
        blocks.append(packed(pretokens[some], counts[some], places[some]))
    return [len(pretokens), *blocks]
