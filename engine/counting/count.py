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
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, islice

from engine.core.arguments import check_workers, checked
from engine.core.arrays import parts_of
from engine.core.events import CountProgress
from engine.core.systems import available_cores
from engine.counting.plain import (
    ChunkCount,
    ChunkCounter,
    CorpusCount,
    CountedChunk,
    CounterKind,
    PlainCount,
    PlainCounter,
    counting,
)
from engine.native import KERNEL
from engine.native.counting import KernelCounter, KernelSums
from engine.text.corpus import CHUNK, Corpus, separator_of
from engine.text.cutting import cutter_for
from engine.text.patterns import PATTERNS, BorderTables, Pattern, PatternLike, as_pattern
from engine.text.pretokenize import ChunkCutter, SpecialSplitter, check_special_tokens, is_blank

WORTH_HELPERS = 4
"""Smallest number of chunks for which helpers are started."""


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
    found = count_corpus(corpus, pattern, special_tokens, workers, on_progress)
    return found.counts


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
        """See `ChunkCounter.count`."""
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


def counter_for(pattern: Pattern, splitter: SpecialSplitter) -> ChunkCounter:
    """Make the fastest counter that is exact for the pattern."""
    return _kind_of_counter(pattern, splitter)(pattern, splitter)


def _kind_of_counter(pattern: Pattern, splitter: SpecialSplitter) -> CounterKind:
    has_pieces = bool(pattern.borders) or pattern == PATTERNS["none"]
    in_pieces = KERNEL is not None and has_pieces and splitter.is_plain
    return NativePieceCounter if in_pieces else PlainCounter


def _counted_chunks(
    corpus: Corpus, pattern: Pattern, splitter: SpecialSplitter, workers: int | None
) -> Generator[CountedChunk, None, None]:
    chunks = corpus.chunks(pattern, splitter)
    kind = _kind_of_counter(pattern, splitter)
    if kind is not NativePieceCounter:
        workers = 1  # Python lets no other thread run meanwhile
    first = list(islice(chunks, WORTH_HELPERS))
    prepare = partial(counting, kind, pattern, splitter)
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
