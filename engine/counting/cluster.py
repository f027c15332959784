"""Counting on several machines with Dask: the counts file that one machine would write.

    tasks ── each cuts off its ends, counts what is between ──> counts of a task
    those of some tasks ── added up, split by the hash of the pretokens ──> parts
    parts of one hash ── added up in a tree ──> all pretokens of that hash, on some worker
    these, a block at a time ── merged by first appearance ──> the file

A task is a stretch of a big file, one packed file, or several small ones. Where it begins and ends
nobody can tell whether a pretoken goes on beyond. So it cuts off its ends, at the first and the
last place where the pattern lets one cut, and hands them over; joined to those of its neighbours
they are counted here. Each pretoken carries the place of its first appearance: task, and number in
it. So it is the same file, however the work was cut up and in whatever order it was done.

The workers need this package. Dask is imported only here, when it is asked for.
"""

from __future__ import annotations

import logging
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from heapq import merge
from itertools import chain, count
from multiprocessing import resource_tracker
from operator import getitem, itemgetter
from typing import Any, NamedTuple

import numpy as np

from engine.core.arrays import Ints
from engine.core.errors import BpeError, ClusterError, CorpusError
from engine.core.events import CountProgress
from engine.counting.count import Tally, counter_for
from engine.counting.counts_file import IN_A_BLOCK, About, packed_block, unpacked_block, written
from engine.text.chunking import Chunk, ChunkCutter
from engine.text.corpus import CHUNK, NEWLINE, Corpus, Reading, SourceReader
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter, is_blank
from engine.text.records import PARQUET
from engine.text.sources import BLOCK, Source, Stream, packing_of, sources_of

TASKS = 1
"""Workers whose number is another would do other tasks."""
LEAST_TASK, LARGEST_TASK = 1 << 20, 1 << 28
"""Bytes of a task, where a file can be cut."""
TASKS_A_THREAD = 8
"""Enough for all to end at about the same time."""
LARGEST_END = 1 << 26
"""Bytes without a place to cut; more would not be sent around."""
MOST_PARTS = 64
IN_A_SUM = 16
"""Parts that are added up at once."""
SECONDS = 20
"""How long the scheduler and its first worker may take to answer."""
_LOCAL = re.compile(r"local:([1-9]\d{0,3})")
_QUICK = 1
_PLACES = 1 << 32
"""For first appearances in a task, and as many for the text before it."""


class Task(NamedTuple):
    """What one worker counts.

    Attributes:
        place: its place among the tasks.
        sources: the name that opens each again, and its size as it was.
        start, end: the stretch of its only source, in bytes; all of its sources if `end` is 0.
    """

    place: int
    sources: tuple[tuple[str, int | None], ...]
    start: int = 0
    end: int = 0

    @property
    def bytes(self) -> int:
        """How much is read for it."""
        return self.end - self.start or sum(size or 0 for _, size in self.sources)


class How(NamedTuple):
    """How all tasks read and count."""

    pattern: Pattern
    special_tokens: tuple[str, ...]
    reading: Reading
    separator: bytes


class Documents(NamedTuple):
    """What a stretch of text tells of the documents.

    Attributes:
        begun: how many begin in it, if none goes on from before.
        first, last: whether text stands before its first special token, behind its last.
        has_special: whether there is a special token.
    """

    begun: int = 0
    first: bool = False
    last: bool = False
    has_special: bool = False

    @classmethod
    def of(cls, text: bytes, splitter: SpecialSplitter) -> Documents:
        """What a text tells.

        >>> Documents.of(b"a<s> <s>b", SpecialSplitter(["<s>"]))
        Documents(begun=2, first=True, last=True, has_special=True)
        """
        filled = [not is_blank(document) for document in splitter.documents(text)]
        return cls(sum(filled), filled[0], filled[-1], len(filled) > 1)

    def then(self, other: Documents) -> Documents:
        """What this stretch and the next tell together."""
        return Documents(
            self.begun + other.begun - (self.last and other.first),
            self.first or (not self.has_special and other.first),
            other.last or (not other.has_special and self.last),
            self.has_special or other.has_special,
        )


class Ends(NamedTuple):
    """What a task tells beside its counts.

    Attributes:
        start: the text up to the first place where it can be cut; all of it if there is none.
        end: the text behind the last such place; `None` if there is none.
        documents: what is told by the text between.
        skipped: how many bad records were left out.
    """

    start: bytes
    end: bytes | None
    documents: Documents
    skipped: int


# What workers do.


def count_task(task: Task, how: How) -> list[Ends | bytes]:
    """The ends of a task, and its counts.

    Raises:
        CorpusError: a source cannot be read, or is not what it was.
    """
    splitter = SpecialSplitter(how.special_tokens)
    sources = [_found_again(name, size) for name, size in task.sources]
    reader = SourceReader(sources, how.reading, how.separator)
    blocks = _stretch(sources[0], task.start, task.end) if task.end else reader.blocks()
    start, rest = _start(blocks, how.pattern, splitter)
    tally, end, documents = Tally(), None, Documents()
    if rest is not None:
        counter = counter_for(how.pattern, splitter)

        def add(chunk: Chunk) -> None:
            nonlocal documents
            tally.add(0, counter.count(chunk.data, False))
            documents = documents.then(Documents.of(chunk.data, splitter))

        cutter = ChunkCutter(how.pattern, splitter, CHUNK)
        for block in chain((rest,), blocks):
            for chunk in cutter.feed(block):
                add(chunk)
        end = b""
        for chunk in cutter.finish():
            last = ChunkCutter(how.pattern, splitter, 1)
            for piece in last.feed(chunk.data):
                add(piece)
            end = b"".join(piece.data for piece in last.finish())
    counts = tally.counts()
    numbers = np.fromiter(counts.values(), np.int64, len(counts))
    places = np.arange(len(counts)) + 2 * task.place * _PLACES
    return [
        Ends(start, end, documents, reader.skipped),
        _packed(list(counts), numbers, places),
    ]


def _found_again(name: str, size: int | None) -> Source:
    (source,) = sources_of(name)
    if source.path is not None and source.size != size:
        raise CorpusError(f"{source.name}: is not the file that it was, or not the same everywhere")
    return source


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
    """The blocks up to the first place to cut, and what has been read behind it."""
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
    """The first place where a text may be cut, whatever stands before and behind it.

    >>> from engine.text.patterns import PATTERNS
    >>> first_cut(b"ken|> ab cd", PATTERNS["gpt2"], SpecialSplitter(["<|token|>"]))
    8
    """
    # No special token that began before the text ends behind `begun`, and none that might be
    # whole only with what follows begins before `decided`.
    begun, decided = max(splitter.longest - 1, 0), len(text) - max(splitter.longest - 1, 0)
    tokens = [match.span() for match in splitter.bytes_regex.finditer(text)]
    first = min((end for _, end in tokens), default=None)
    if pattern.cut_regex is not None:
        for match in pattern.cut_regex.finditer(text, begun, max(decided, begun)):
            place = int(match.start())
            if place and not any(start < place < end for start, end in tokens):
                return place if first is None else min(place, first)
    return first


def _packed(pretokens: Sequence[bytes], counts: Ints, places: Ints) -> bytes:
    return zlib.compress(packed_block(pretokens, counts, places), _QUICK)


def _unpacked(part: bytes) -> tuple[list[bytes], list[Ints]]:
    return unpacked_block(zlib.decompress(part), 2)


def _added_up(parts: Sequence[bytes]) -> tuple[list[bytes], Ints, Ints]:
    """Pretokens in order of first appearance, their counts, the places of that appearance."""
    numbers = defaultdict[bytes, int](count().__next__)
    counts, places = np.zeros(0, np.int64), np.zeros(0, np.int64)
    for part in parts:
        pretokens, (more, where) = _unpacked(part)
        chosen = np.fromiter(map(numbers.__getitem__, pretokens), np.int64, len(pretokens))
        new = len(numbers) - len(counts)
        counts = np.append(counts, np.zeros(new, np.int64))
        places = np.append(places, np.full(new, np.iinfo(np.int64).max))
        counts[chosen] += more  # no pretoken is twice in a part
        places[chosen] = np.minimum(places[chosen], where)
    order = np.argsort(places)
    known = list(numbers)
    return [known[number] for number in order], counts[order], places[order]


def add_up(parts: Sequence[bytes]) -> bytes:
    """The counts of several parts together."""
    return _packed(*_added_up(parts))


def split(counted: Sequence[bytes], parts: int) -> list[bytes]:
    """What several tasks have counted, added up, in parts by the hash of the pretokens."""
    pretokens, counts, places = _added_up(counted)
    hashes = np.fromiter(map(zlib.crc32, pretokens), np.int64, len(pretokens)) % parts
    packed = []
    for part in range(parts):
        chosen = np.flatnonzero(hashes == part)
        some = [pretokens[number] for number in chosen.tolist()]
        packed.append(_packed(some, counts[chosen], places[chosen]))
    return packed


def finish(parts: Sequence[bytes]) -> list[int | bytes]:
    """How many pretokens several parts have together; then they in blocks."""
    pretokens, counts, places = _added_up(parts)
    blocks = []
    for start in range(0, len(pretokens), IN_A_BLOCK):
        some = slice(start, start + IN_A_BLOCK)
        blocks.append(_packed(pretokens[some], counts[some], places[some]))
    return [len(pretokens), *blocks]


# What the caller does.


class ClusterCount:
    """A corpus that has been counted on a cluster, which still holds the counts.

    Attributes:
        about: what to write beside the counts.
        head: the beginning of the text.
        skipped: how many bad records were left out.
    """

    def __init__(self, about: About, head: bytes, skipped: int, counts: Counts) -> None:
        self.about, self.head, self.skipped, self._counts = about, head, skipped, counts

    def file(self) -> Iterator[bytes]:
        """The counts file, part by part, as the counts come from the cluster.

        Raises:
            ClusterError: it is gone.
        """
        return written(self.about, self.head, self._counts)


Counts = Iterable[tuple[bytes, int]]


@contextmanager
def counted_on(
    cluster: str,
    corpus: Corpus,
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    on_progress: Callable[[CountProgress], None] | None = None,
) -> Iterator[ClusterCount]:
    """Count a corpus on a cluster, to which there is a connection as long as this is open.

    Args:
        cluster: the address of a scheduler, such as `tcp://10.0.0.1:8786`; or `local:4` for four
            processes on this machine.
        corpus: its sources are read by the workers, by the names that they have here.
        on_progress: is called after each task; what it raises stops the work.

    Raises:
        ClusterError: the cluster cannot be used, or is gone.
        CorpusError: a worker cannot read a source.
    """
    pattern, specials = as_pattern(pattern), tuple(special_tokens)
    _check_can_be_cut(pattern, specials)
    corpus.ask_sizes()
    with _connected(cluster) as client, _told(cluster):
        threads = client.nthreads()
        how = How(pattern, specials, corpus.reading, corpus.separator)
        tasks = tasks_of(corpus, sum(threads.values()))
        told, counted = _count(client, tasks, how, on_progress)
        skipped = sum(ends.skipped for ends in told)
        texts, documents = _joined(tasks, told, how)
        if not documents.begun and not any(map(len, texts)) and not any(e.end for e in told):
            corpus.read_head()  # says that it is empty
        # As a task, it can be done again; what is scattered is lost with its worker.
        counted.append(client.submit(bytes, _count_ends(texts, how), pure=False))
        finished = _reduced(client, counted, min(len(threads), MOST_PARTS))
        del counted
        sizes = [client.submit(len, each, pure=False).result() - 1 for each in finished]
        firsts = [client.submit(getitem, each, 0, pure=False).result() for each in finished]
        corpus.read_head()
        about = About(
            *(corpus.name, sum(task.bytes for task in tasks), documents.begun, sum(firsts)),
            *(pattern.source, specials, corpus.head_is_all),
        )
        blocks = [
            _entries(client, cluster, each, size)
            for each, size in zip(finished, sizes, strict=True)
        ]
        counts = (entry[1:] for entry in merge(*blocks, key=itemgetter(0)))
        yield ClusterCount(about, corpus.head, skipped, counts)


def tasks_of(corpus: Corpus, threads: int) -> list[Task]:
    """The corpus in tasks, in its order.

    Raises:
        ClusterError: a source cannot be read by others.
    """
    total = corpus.bytes_total or threads * TASKS_A_THREAD * LARGEST_TASK
    wanted = min(max(total // (threads * TASKS_A_THREAD), LEAST_TASK), LARGEST_TASK)
    tasks: list[Task] = []
    small: list[tuple[str, int | None]] = []

    def close() -> None:
        if small:
            tasks.append(Task(len(tasks), tuple(small)))
            small.clear()

    for source in corpus.sources:
        size, is_here = source.size, source.path is not None
        if size is None and (is_here or source.given == "-"):
            raise ClusterError(f"{source.name}: no file, so workers cannot read it; save it first")
        if size is not None and size > 2 * wanted and _is_plain(source, corpus.reading):
            close()
            for start in range(0, size, wanted):
                end = min(start + wanted, size)
                tasks.append(Task(len(tasks), ((source.given, size),), start, end))
            continue
        small.append((source.given, size))
        if sum(size or wanted for _, size in small) >= wanted:
            close()
    close()
    return tasks


def _is_plain(source: Source, reading: Reading) -> bool:
    """Whether a source is text as it lies there, so that it can be read from anywhere on."""
    if reading.field is not None:
        return False
    with source.open() as raw:
        head = Stream(raw).head
    return packing_of(source.name, head) is None and not head.startswith(PARQUET)


def _check_can_be_cut(pattern: Pattern, special_tokens: Sequence[str]) -> None:
    """An error where stretches of a text cannot be counted by themselves."""
    if pattern.cut_regex is None and not special_tokens:
        raise ClusterError(
            "this pattern tells no place to cut a text, and there are no special tokens between "
            "documents; count on one machine, or give --special"
        )
    for one in special_tokens:
        for other in special_tokens:
            inside = one != other and other in one
            if inside or any(one.endswith(other[:end]) for end in range(1, len(other))):
                raise ClusterError(
                    f"the special tokens {one} and {other} may overlap in a text, which takes one "
                    "machine to count"
                )


def _count(
    client: Any,
    tasks: Sequence[Task],
    how: How,
    on_progress: Callable[[CountProgress], None] | None,
) -> tuple[list[Ends], list[Any]]:
    """What each task tells; and what it has counted, which stays on the cluster."""
    from distributed import as_completed

    done_tasks = client.map(count_task, tasks, how=how, pure=False)
    ends, counted = (
        [client.submit(getitem, each, place, pure=False) for each in done_tasks]
        for place in range(2)
    )
    del done_tasks
    places = {end.key: place for place, end in enumerate(ends)}
    told: list[Ends | None] = [None] * len(tasks)
    total, done, documents = sum(task.bytes for task in tasks), 0, 0
    for future, result in as_completed(ends, loop=client.loop, with_results=True):
        if isinstance(result, BaseException):  # so a lost scheduler is told here
            raise result
        place = places[future.key]
        told[place] = result
        done += tasks[place].bytes
        documents += result.documents.begun
        if on_progress is not None:
            on_progress(CountProgress(done, total, documents, 0, 0))
    return [each for each in told if each is not None], counted


def _joined(tasks: Sequence[Task], told: Sequence[Ends], how: How) -> tuple[list[bytes], Documents]:
    """The texts between what the tasks have counted, each before its task, and one at the end."""
    splitter = SpecialSplitter(how.special_tokens)
    texts: list[bytes] = []
    open_text, documents, is_first = b"", Documents(), True
    for task, ends in zip(tasks, told, strict=True):
        if not is_first and not task.start and (ends.start or ends.end is not None):
            newline_is_there = how.separator == NEWLINE and open_text.endswith(NEWLINE)
            open_text += b"" if newline_is_there else how.separator
        open_text += ends.start
        is_first &= not ends.start and ends.end is None
        if ends.end is None:
            texts.append(b"")
            continue
        texts.append(open_text)
        documents = documents.then(Documents.of(open_text, splitter)).then(ends.documents)
        open_text = ends.end
    return [*texts, open_text], documents.then(Documents.of(open_text, splitter))


def _count_ends(texts: Sequence[bytes], how: How) -> bytes:
    """The counts of the texts between."""
    counter = counter_for(how.pattern, SpecialSplitter(how.special_tokens))
    tally, places = Tally(), list[int]()
    for number, text in enumerate(texts):
        known = tally.distinct
        tally.add(0, counter.count(text, False))
        first = (2 * number - 1) * _PLACES
        places += range(first, first + tally.distinct - known)
    counts = tally.counts()
    numbers = np.fromiter(counts.values(), np.int64, len(counts))
    return _packed(list(counts), numbers, np.array(places, np.int64))


def _reduced(client: Any, counted: list[Any], parts: int) -> list[Any]:
    """What has all the counts of a hash, for each: added up a few at a time."""
    pieces = [client.submit(split, group, parts, pure=False) for group in _groups(counted)]
    finished = []
    for part in range(parts):
        futures = [client.submit(getitem, piece, part, pure=False) for piece in pieces]
        while len(futures) > IN_A_SUM:
            futures = [client.submit(add_up, group, pure=False) for group in _groups(futures)]
        finished.append(client.submit(finish, futures, pure=False))
    return finished


def _groups(futures: list[Any]) -> Iterator[list[Any]]:
    return (futures[start : start + IN_A_SUM] for start in range(0, len(futures), IN_A_SUM))


def _entries(client: Any, cluster: str, part: Any, size: int) -> Iterator[tuple[int, bytes, int]]:
    """(place, pretoken, count) of all pretokens of a hash, fetched a block at a time."""
    for number in range(1, 1 + size):
        with _told(cluster):
            block = client.submit(getitem, part, number, pure=False).result()
        pretokens, (counts, places) = _unpacked(block)
        yield from zip(places.tolist(), pretokens, counts.tolist(), strict=True)


# The connection.


@contextmanager
def _connected(cluster: str) -> Iterator[Any]:
    """A client of a cluster whose workers can do the tasks."""
    local = _LOCAL.fullmatch(cluster)
    if local is None and "://" not in cluster:
        raise ClusterError(f"{cluster}: is no cluster; give tcp://HOST:PORT, or local:N")
    resource_tracker.ensure_running()  # started later, it would take over what a screen has open
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError(
            "a cluster needs Dask, which is not installed; install it (pip install "
            "'bpe-tui[cluster]')"
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # its news would go over ours
    with ExitStack() as opened:
        with _told(cluster):
            address: Any = cluster
            if local is not None:
                address = opened.enter_context(
                    LocalCluster(
                        n_workers=int(local[1]),
                        threads_per_worker=1,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                    )
                )
            client = opened.enter_context(Client(address, timeout=SECONDS, set_as_default=False))
            _check_workers(client, cluster)
        yield client


def _check_workers(client: Any, cluster: str) -> None:
    client.wait_for_workers(1, timeout=SECONDS)

    def tasks() -> int | None:  # goes there by value, and needs nothing there
        try:
            from engine.counting import cluster
        except ImportError:
            return None
        return cluster.TASKS

    for worker, known in client.run(tasks).items():
        if known != TASKS:
            lack = "has no bpe-tui" if known is None else "has another version of bpe-tui"
            raise ClusterError(f"{cluster}: the worker {worker} {lack}; install this one there")


@contextmanager
def _told(cluster: str) -> Iterator[None]:
    """Have what goes wrong with the cluster told in our words."""
    try:
        yield
    except BpeError:
        raise
    except ImportError as error:
        raise ClusterError(
            f"{cluster}: a worker has no {error.name}; install bpe-tui there, with what it needs"
        ) from error
    except CancelledError as error:
        raise ClusterError(f"{cluster}: the scheduler is gone; start it and count again") from error
    except TimeoutError as error:
        raise ClusterError(
            f"{cluster}: has no scheduler, or no worker, that answers within {SECONDS} seconds"
        ) from error
    except OSError as error:
        raise ClusterError(f"{cluster}: the connection failed; is it there?") from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise ClusterError(
                f"{cluster}: workers died again and again over one task; give them more memory"
            ) from error
        raise
