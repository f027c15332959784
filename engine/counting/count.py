"""From a corpus to its pretoken counts: map over chunks, reduce in order.

No pretoken crosses the end of a chunk, so each chunk is counted alone: by several threads if there
are enough chunks and the kernel, else by this one. The counts are added up *in the order of the
chunks*. So the resulting `Counter` lists pretokens in order of first appearance, as one plain pass
would. Stanford's CS336 cuts the file before, at special tokens: `find_chunk_boundaries`.

To cancel, raise from `on_progress`: the work stops and the exception reaches the caller.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, islice
from itertools import count as count_up
from typing import NamedTuple

from engine.core.arguments import check_workers, checked
from engine.core.arrays import parts_of
from engine.core.events import CountProgress
from engine.core.systems import available_cores
from engine.native import KERNEL
from engine.native.counting import KernelCounter, KernelSums
from engine.text.corpus import CHUNK, Corpus, separator_of
from engine.text.cutting import cutter_for
from engine.text.patterns import PATTERNS, BorderTables, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import (
    VISIBLE,
    Chunk,
    ChunkCutter,
    SpecialSplitter,
    check_special_tokens,
    is_blank,
    to_bytes,
    to_text,
)

WORTH_HELPERS = 4
"""Smallest number of chunks for which helpers are started."""


class CorpusCount(NamedTuple):
    """The number of documents of a corpus, and its pretoken counts in order of first appearance."""

    documents: int
    counts: Counter[bytes]


@checked
def count_pretokens(
    path: str | os.PathLike[str],
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    workers: int | None = None,
    on_progress: Callable[[CountProgress], None] | None = None,
) -> Counter[bytes]:
    r"""Count the pretokens of a file (`-`: standard input).

    Args:
        path: a file, packed or not, a folder or a glob. Invalid UTF-8 is kept.
        pattern: a name in `PATTERNS`, or a pattern.
        special_tokens: cut out first, longest first, and not counted.
        workers: number of threads that count, by default one for each core; one without the kernel.
        on_progress: called after each chunk; an exception from it stops the work.

    Returns:
        pretoken → occurrences, in order of first appearance. For a file `low low\n`:
        `Counter({b"low": 1, b" low": 1, b"\n": 1})`.

    Raises:
        CorpusError: the file cannot be opened or read.
        UnknownNameError, SpecialTokenError: the arguments are wrong.
    """
    check_workers(workers)
    corpus = Corpus(path, separator=separator_of(check_special_tokens(special_tokens)))
    return count_corpus(corpus, pattern, special_tokens, workers, on_progress).counts


def count_corpus(
    corpus: Corpus,
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    workers: int | None = None,
    on_progress: Callable[[CountProgress], None] | None = None,
    splitter: SpecialSplitter | None = None,
) -> CorpusCount:
    """Count the pretokens of an opened corpus, which is read once from start to end.

    Args:
        corpus: the text.
        pattern, special_tokens, workers, on_progress: as in `count_pretokens`.
        splitter: cuts special tokens out, by default as plain strings. A splitter that changes the
            text gets all of it at once, in this process.

    Raises:
        CorpusError: the corpus cannot be read, is empty or changed while it was read.
    """
    pattern = as_pattern(pattern)
    tally = Tally()
    splitter = splitter or SpecialSplitter(special_tokens)
    with closing(_counted_chunks(corpus, pattern, splitter, workers)) as chunks:
        for counted in chunks:
            tally.add(counted.counter, counted.chunk)
            if on_progress is not None:
                on_progress(
                    CountProgress(
                        counted.bytes_read,
                        corpus.reader.total,
                        tally.documents,
                        tally.pretokens,
                        tally.distinct,
                    )
                )
    return CorpusCount(tally.documents, tally.counts())


def count_text(
    text: bytes, pattern: PatternLike, special_tokens: Sequence[str] = ()
) -> Counter[bytes]:
    """Count the pretokens of a text, in order of first appearance.

    >>> dict(count_text(b"a b<e>a", "gpt2", ["<e>"]))
    {b'a': 2, b' b': 1}
    """
    pattern, splitter, tally = as_pattern(pattern), SpecialSplitter(special_tokens), Tally()
    counter = counter_for(pattern, splitter)
    blocks = (text[start : start + CHUNK] for start in range(0, len(text), CHUNK))
    for chunk in ChunkCutter(pattern, splitter, CHUNK).cut(blocks):
        tally.add(0, counter.count(chunk.data, chunk.continues))
    return tally.counts()


# Counting chunk after chunk.


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


def count_begun(documents: Sequence[bytes], continues: bool) -> int:
    """Count the documents that begin in a chunk.

    Args:
        documents: the texts between its special tokens; only one that is more than whitespace is a
            document.
        continues: whether the first has begun, and been counted, in an earlier chunk.
    """
    unclear = [document for document in documents if not VISIBLE.search(document)]
    begun = len(documents) - sum(map(is_blank, unclear))
    return begun - (continues and not is_blank(documents[0]))


class PlainCounter:
    """A counter that runs the pattern over all of the text, which is right for every pattern."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._pattern = pattern
        self._splitter = splitter

    def count(self, data: bytes, continues: bool) -> PlainCount:
        """Count a chunk.

        Args:
            data: its bytes; no pretoken or special token crosses its ends.
            continues: whether its first document has begun, and been counted, in an earlier chunk.
        """
        documents = self._splitter.documents(data)
        begun = count_begun(documents, continues)
        if self._splitter.is_plain and self._pattern == PATTERNS["none"]:
            return PlainCount(Counter(filter(None, documents)), begun)
        if self._splitter.is_plain:
            texts: Iterable[str] = map(to_text, documents)
        else:  # the splitter changes a text before the pattern cuts it, so it needs the whole text
            pieces = self._splitter.split_text(to_text(data))
            texts = (piece for piece, special in pieces if not special)
        counts = Counter(chain.from_iterable(map(self._pattern.split, texts)))
        return PlainCount({to_bytes(pretoken): n for pretoken, n in counts.items()}, begun)


class NativePieceCounter:
    """A counter by pieces in the compiled kernel.

    A chunk is cut into pieces by its bytes, without the pattern; most pieces are one pretoken.
    Equal pieces have equal pretokens, so the pattern cuts only those that are new.
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter) -> None:
        self._cut = cutter_for(pattern)
        self._splitter = splitter
        longest_first = sorted(splitter.tokens, key=len, reverse=True)
        self._counter = KernelCounter(BorderTables.of(pattern.borders).packed, longest_first)

    def count(self, data: bytes, continues: bool) -> ChunkCount:
        """Count a chunk, as `PlainCounter.count` does."""
        pieces = self._counter.count(data)
        lengths, sizes = self._cut(pieces.new, pieces.new_sizes)
        documents = pieces.filled
        documents += sum(not is_blank(data[start:end]) for start, end in pieces.unclear)
        if continues:
            token = self._splitter.bytes_regex.search(data)
            documents -= not is_blank(data[: token.start()] if token else data)
        return ChunkCount(
            pieces.new, lengths.tobytes(), sizes.tobytes(), pieces.numbers, pieces.counts, documents
        )


ChunkCounter = PlainCounter | NativePieceCounter


def counter_for(pattern: Pattern, splitter: SpecialSplitter) -> ChunkCounter:
    """Make the fastest counter that is exact for the pattern."""
    kind = NativePieceCounter if _counts_in_pieces(pattern, splitter) else PlainCounter
    return kind(pattern, splitter)


def _counts_in_pieces(pattern: Pattern, splitter: SpecialSplitter) -> bool:
    # Whole documents hardly repeat, so numbering them would only copy them several times.
    return KERNEL is not None and bool(pattern.borders) and splitter.is_plain


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


def _counting(pattern: Pattern, splitter: SpecialSplitter) -> Callable[[Chunk], CountedChunk]:
    """Return a function that counts chunks with a new counter."""
    counter, name = counter_for(pattern, splitter), next(_made)

    def count(chunk: Chunk) -> CountedChunk:
        return CountedChunk(name, chunk.bytes_read, counter.count(chunk.data, chunk.continues))

    return count


def _counted_chunks(
    corpus: Corpus, pattern: Pattern, splitter: SpecialSplitter, workers: int | None
) -> Generator[CountedChunk, None, None]:
    chunks = corpus.chunks(pattern, splitter)
    if not _counts_in_pieces(pattern, splitter):
        workers = 1  # Python lets no other thread run meanwhile
    first = list(islice(chunks, WORTH_HELPERS))
    prepare = partial(_counting, pattern, splitter)
    workers = workers or available_cores()
    if workers > 1 and len(first) == WORTH_HELPERS:
        from engine.core.helper_pool import in_order  # a small corpus does without it

        yield from in_order(prepare, chain(first, chunks), workers)
    else:
        yield from map(prepare(), chain(first, chunks))


# Adding up the counts of chunks.


class Tally:
    """The counts of the chunks of a corpus so far.

    Chunks are added in their order, and the new pieces of a chunk in theirs. So a pretoken gets its
    number at its first appearance in the corpus, whichever counter counted the chunk.

    Attributes:
        documents, pretokens: number of documents, and of all occurrences of pretokens, so far.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.pretokens = 0
        self._plain: Counter[bytes] = Counter()
        self._in_kernel: KernelSums | None = None  # made for the first pieces
        self._counters: dict[int, int] = {}

    @property
    def distinct(self) -> int:
        """Number of different pretokens so far."""
        return len(self._plain) if self._in_kernel is None else self._in_kernel.distinct

    def add(self, counter: int, chunk: PlainCount | ChunkCount) -> None:
        """Add a chunk that the counter with this number has counted; all counters are of a kind."""
        self.documents += chunk.documents
        if isinstance(chunk, PlainCount):
            self._plain.update(chunk.counts)
            self.pretokens += sum(chunk.counts.values())
            return
        if self._in_kernel is None:
            self._in_kernel = KernelSums()
        place = self._counters.setdefault(counter, len(self._counters))
        self._in_kernel.learn(place, chunk.new_text, chunk.new_lengths, chunk.new_sizes)
        self.pretokens += self._in_kernel.add(place, chunk.numbers, chunk.counts)

    def counts(self) -> Counter[bytes]:
        """Return pretoken → count, in order of first appearance."""
        if self._in_kernel is None:
            return self._plain
        text, lengths, numbers = self._in_kernel.first(self.distinct)
        counts: Counter[bytes] = Counter()
        dict.update(counts, zip(parts_of(text, lengths), numbers, strict=True))
        return counts
