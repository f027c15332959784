"""Counting on several machines with Dask: it makes the same counts file as one machine.

    tasks ── each cuts off its ends, counts the text between ──> counts of a task
    counts of some tasks ── added up, split by the hash of the pretokens ──> parts
    parts of one hash ── added up in a tree ──> all pretokens of that hash, on some worker
    these, a block at a time ── merged by first appearance ──> the file

The ends of each task are joined with those of its neighbours and counted here. The counts carry the
order of first appearance. So the file does not depend on how the corpus was divided, or on the
order of the work.

The workers need this package. Dask is imported only here and for the connection, on demand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from operator import getitem
from typing import Any

import numpy as np

from engine.core.errors import ClusterError, CorpusError
from engine.core.events import CountProgress
from engine.counting.cluster_connection import connected, explained_errors
from engine.counting.cluster_sums import (
    PlacedCounts,
    added_up,
    block_of,
    finish,
    in_order,
    packed,
    split,
)
from engine.counting.cluster_tasks import PLACES, CountingOptions, Documents, Ends, Task, count_task
from engine.counting.count import Tally, counter_for
from engine.counting.counts_file import CountsMetadata, written
from engine.text.corpus import Corpus, Reading, between, is_plain
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter
from engine.text.sources import Source, Stream, is_pipe

LEAST_TASK, LARGEST_TASK = 1 << 20, 1 << 28
"""Bytes of a task, where a file can be cut."""
TASKS_A_THREAD = 8
"""Number of tasks for each thread: enough for all threads to end at about the same time."""
MOST_PARTS = 64
"""Largest number of parts by hash, one for each thread: more would keep the scheduler busy."""
IN_A_SUM = 16
"""Number of parts that are added up at once."""


@dataclass(frozen=True)
class ClusterCount:
    """A corpus that has been counted on a cluster, which still has the counts.

    Attributes:
        metadata: the metadata of the counts file.
        head: the beginning of the text.
        skipped: number of bad records that were left out.
    """

    metadata: CountsMetadata
    head: bytes
    skipped: int
    _counts: Iterator[PlacedCounts]

    def file(self) -> Iterator[bytes]:
        """Yield the parts of the counts file, as the counts come from the cluster.

        Raises:
            ClusterError: the connection is lost.
        """
        return written(self.metadata, self.head, packed(self._counts))


@contextmanager
def counted_on(
    cluster: str,
    corpus: Corpus,
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    on_progress: Callable[[CountProgress], None] | None = None,
) -> Iterator[ClusterCount]:
    """Count a corpus on a cluster, and keep the connection open inside the `with`.

    Args:
        cluster: the address of a scheduler, such as `tcp://10.0.0.1:8786`; or `local:4` for four
            threads on this machine, without the kernel four processes.
        corpus: the workers read its sources, by the same names as here.
        on_progress: called after each task; an exception from it stops the work.

    Raises:
        ClusterError: the cluster cannot be used, or the connection is lost.
        CorpusError: a worker cannot read a source.
    """
    pattern, specials = as_pattern(pattern), tuple(special_tokens)
    _check_can_be_cut(pattern, specials)
    corpus.reader.ask_sizes()
    with connected(cluster) as client:
        with explained_errors(cluster):
            threads = client.nthreads()
            options = CountingOptions(pattern, specials, corpus.reading, corpus.separator)
            tasks = tasks_of(corpus, sum(threads.values()))
            ends, counted = _count(client, tasks, options, on_progress)
            skipped = sum(each.skipped for each in ends)
            texts, documents = _joined(tasks, ends, options)
            corpus.read_head()  # raises the error for an empty corpus
            # Submitted as a task, it can be repeated; scattered data would be lost with its worker.
            counted.append(client.submit(PlacedCounts, *_count_ends(texts, options), pure=False))
            finished = _reduced(client, counted, min(sum(threads.values()), MOST_PARTS))
            del counted
            found = client.gather(
                [client.submit(getitem, each, 0, pure=False) for each in finished]
            )
            metadata = CountsMetadata(
                corpus=corpus.name,
                bytes=sum(task.bytes for task in tasks),
                documents=documents.begun,
                distinct=sum(each.distinct for each in found),
                pattern=pattern.source,
                special_tokens=specials,
                head_is_all=corpus.head_is_all,
            )
        blocks = [
            _blocks(client, cluster, each, about.blocks)
            for each, about in zip(finished, found, strict=True)
        ]
        yield ClusterCount(metadata, corpus.head, skipped, in_order(blocks))


def tasks_of(corpus: Corpus, threads: int) -> list[Task]:
    """Divide the corpus into tasks, in its order.

    Raises:
        ClusterError: workers cannot read a source.
    """
    total, wanted = corpus.reader.total, LARGEST_TASK
    if total is not None:
        wanted = min(max(total // (threads * TASKS_A_THREAD), LEAST_TASK), LARGEST_TASK)
    tasks: list[Task] = []
    small: list[tuple[str, int | None]] = []
    length = 0

    def close() -> None:
        nonlocal length
        if small:
            tasks.append(Task(len(tasks), tuple(small)))
            small.clear()
            length = 0

    for source in corpus.sources:
        size, name = source.size, source.given
        if source.path is not None:
            name = os.path.abspath(name)  # a worker runs in a folder of its own
        if is_pipe(source):
            raise ClusterError(
                f"{source.name}: is not a file, so workers cannot read it; save it first"
            )
        if size is not None and size > 2 * wanted and _is_plain(source, corpus.reading):
            close()
            for start in range(0, size, wanted):
                end = min(start + wanted, size)
                tasks.append(Task(len(tasks), ((name, size),), start, end))
            continue
        small.append((name, size))
        length += size or wanted
        if length >= wanted:
            close()
    close()
    return tasks


def _is_plain(source: Source, reading: Reading) -> bool:
    """Whether a source is plain text, so that it can be read from any place on.

    A counts file is not: it is read as a whole, which gives the right error.
    """
    if reading.field is not None:
        return False
    with source.open() as raw:
        head = Stream(raw).head
    is_text = is_plain(source.name, head)
    if not is_text or source.path is not None:
        return is_text
    try:  # whether the server can send parts of a file
        with source.open(seekable=True) as file:
            file.seek(1)
            return len(file.read(1)) == 1
    except CorpusError:
        return False


def _check_can_be_cut(pattern: Pattern, special_tokens: Sequence[str]) -> None:
    """Raise an error if a text cannot be cut into stretches that are counted alone."""
    if pattern.cut_regex is None and not special_tokens:
        raise ClusterError(
            "this pattern has no place to cut a text, and there are no special tokens between "
            "documents; count on one machine, or give --special"
        )
    for one in special_tokens:
        for other in special_tokens:
            inside = one != other and other in one
            if inside or any(one.endswith(other[:end]) for end in range(1, len(other))):
                raise ClusterError(
                    f"the special tokens {one} and {other} may overlap in a text; count on one "
                    "machine"
                )


def _count(
    client: Any,
    tasks: Sequence[Task],
    options: CountingOptions,
    on_progress: Callable[[CountProgress], None] | None,
) -> tuple[list[Ends], list[Any]]:
    """Have the tasks counted; return their ends, and their counts, which stay on the cluster."""
    from distributed import as_completed

    done_tasks = client.map(count_task, tasks, options=options, pure=False)
    ends, counted = (
        [client.submit(getitem, each, place, pure=False) for each in done_tasks]
        for place in range(2)
    )
    del done_tasks
    places = {end.key: place for place, end in enumerate(ends)}
    arrived: list[Ends | None] = [None] * len(tasks)
    total, done, documents = sum(task.bytes for task in tasks), 0, 0
    for future, result in as_completed(ends, loop=client.loop, with_results=True):
        if isinstance(result, BaseException):  # also that the scheduler is lost
            raise result
        place = places[future.key]
        arrived[place] = result
        done += tasks[place].bytes
        documents += result.documents.begun
        if on_progress is not None:
            on_progress(CountProgress(done, total, documents, 0, 0))
    return [each for each in arrived if each is not None], counted


def _joined(
    tasks: Sequence[Task], all_ends: Sequence[Ends], options: CountingOptions
) -> tuple[list[bytes], Documents]:
    """Join the ends: return the uncounted text before each task, then the one after the last."""
    splitter = SpecialSplitter(options.special_tokens)
    texts: list[bytes] = []
    open_text, documents, is_first, begins = b"", Documents(), True, False
    for task, ends in zip(tasks, all_ends, strict=True):
        begins |= not task.start
        if ends.start or ends.end is not None:  # else a task of a byte order mark
            if begins and not is_first:
                open_text += between(open_text, options.separator)
            is_first = begins = False
        open_text += ends.start
        if ends.end is None:
            texts.append(b"")
            continue
        texts.append(open_text)
        documents = documents.then(Documents.of(open_text, splitter)).then(ends.documents)
        open_text = ends.end
    return [*texts, open_text], documents.then(Documents.of(open_text, splitter))


def _count_ends(texts: Sequence[bytes], options: CountingOptions) -> PlacedCounts:
    """Count the texts between the tasks."""
    counter = counter_for(options.pattern, SpecialSplitter(options.special_tokens))
    tally, places = Tally(), list[int]()
    for number, text in enumerate(texts):
        known = tally.distinct
        tally.add(0, counter.count(text, False))
        first = (2 * number - 1) * PLACES
        places += range(first, first + tally.distinct - known)
    return PlacedCounts.of(*tally.columns(), np.array(places, np.int64))


def _reduced(client: Any, counted: list[Any], parts: int) -> list[Any]:
    """Add up the counts by hash, a few at a time; return a future for each hash."""
    pieces = [client.submit(split, group, parts, pure=False) for group in _groups(counted)]
    finished = []
    for part in range(parts):
        futures = [client.submit(getitem, piece, part, pure=False) for piece in pieces]
        while len(futures) > IN_A_SUM:
            futures = [client.submit(added_up, group, pure=False) for group in _groups(futures)]
        finished.append(client.submit(finish, futures, pure=False))
    return finished


def _groups(futures: list[Any]) -> Iterator[list[Any]]:
    return (futures[start : start + IN_A_SUM] for start in range(0, len(futures), IN_A_SUM))


def _blocks(client: Any, cluster: str, part: Any, number: int) -> Iterator[PlacedCounts]:
    """Yield all pretokens of a hash, a block at a time; the next one comes meanwhile."""
    coming: list[Any] = []
    for place in range(number + 1):
        with explained_errors(cluster):
            blocks = [each.result() for each in coming]
            wanted = range(place, min(place + 1, number))
            coming = [client.submit(block_of, part, each, pure=False) for each in wanted]
        yield from blocks
