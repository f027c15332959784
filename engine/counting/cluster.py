"""Counting on several machines with Dask: it makes the same counts file as one machine.

    tasks ── each cuts off its ends, counts the text between ──> counts of a task
    counts of some tasks ── added up, split by the hash of the pretokens ──> parts
    parts of one hash ── added up in a tree ──> all pretokens of that hash, on some worker
    these, a block at a time ── merged by first appearance ──> the file

The ends of each task are joined with those of its neighbours and counted here. The counts carry the
order of first appearance. So the file does not depend on how the corpus was divided, or on the
order of the work.

The workers need this package. Dask is imported only here, on demand.
"""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from heapq import merge
from multiprocessing import resource_tracker
from operator import getitem, itemgetter
from threading import Event, Thread
from typing import Any

import numpy as np

from engine.core.errors import BpeError, ClusterError, CorpusError, HelperWarning
from engine.core.events import CountProgress, WorkProgress
from engine.core.systems import interrupts_blocked
from engine.counting.cluster_tasks import (
    PLACES,
    TASKS,
    CountingOptions,
    Documents,
    Ends,
    Task,
    add_up,
    added_up,
    count_task,
    finish,
    packed,
    split,
    unpacked,
)
from engine.counting.count import Tally, counter_for
from engine.counting.counts_file import CountsMetadata, written
from engine.counting.examples import commonest, example_lines, pretokens_of_head
from engine.text.corpus import Corpus, Reading, between, is_plain
from engine.text.patterns import Pattern, PatternLike, as_pattern
from engine.text.pretokenize import SpecialSplitter
from engine.text.sources import Source, Stream, is_pipe

LEAST_TASK, LARGEST_TASK = 1 << 20, 1 << 28
"""Bytes of a task, where a file can be cut."""
TASKS_A_THREAD = 8
"""Number of tasks for each thread: enough for all threads to end at about the same time."""
MOST_PARTS = 64
"""Largest number of parts by hash, one for each worker: more would keep the scheduler busy."""
IN_A_SUM = 16
"""Number of parts that are added up at once."""
SECONDS = 20
"""Time for the scheduler to answer."""
PATIENCE = 5
"""Seconds without workers before the warning."""
_LOCAL = re.compile(r"local:([1-9]\d{0,3})")
_ADDRESS = re.compile(r"(?:tcp|tls)://([^/\s]+):(\d{1,5})")


@dataclass(frozen=True)
class ClusterCount:
    """A corpus that has been counted on a cluster, which still has the counts.

    Attributes:
        metadata: the metadata of the counts file.
        head: the beginning of the text.
        examples: pretoken → a line in which it occurs, for frequent ones that are not in `head`.
        skipped: number of bad records that were left out.
    """

    metadata: CountsMetadata
    head: bytes
    examples: Mapping[bytes, bytes]
    skipped: int
    _counts: Counts

    def file(self) -> Iterator[bytes]:
        """Yield the parts of the counts file, as the counts come from the cluster.

        Raises:
            ClusterError: the connection is lost.
        """
        return written(self.metadata, self.head, self._counts, self.examples)


Counts = Iterable[tuple[bytes, int]]


@contextmanager
def counted_on(
    cluster: str,
    corpus: Corpus,
    pattern: PatternLike = "gpt2",
    special_tokens: Sequence[str] = (),
    on_progress: Callable[[CountProgress], None] | None = None,
    on_work: Callable[[WorkProgress], None] | None = None,
) -> Iterator[ClusterCount]:
    """Count a corpus on a cluster, and keep the connection open inside the `with`.

    Args:
        cluster: the address of a scheduler, such as `tcp://10.0.0.1:8786`; or `local:4` for four
            processes on this machine.
        corpus: the workers read its sources, by the same names as here.
        on_progress: called after each task; an exception from it stops the work.
        on_work: gets the progress of the search for example lines.

    Raises:
        ClusterError: the cluster cannot be used, or the connection is lost.
        CorpusError: a worker cannot read a source.
    """
    pattern, specials = as_pattern(pattern), tuple(special_tokens)
    _check_can_be_cut(pattern, specials)
    corpus.reader.ask_sizes()
    with _connected(cluster) as client:
        with _explained_errors(cluster):
            threads = client.nthreads()
            options = CountingOptions(pattern, specials, corpus.reading, corpus.separator)
            tasks = tasks_of(corpus, sum(threads.values()))
            ends, counted = _count(client, tasks, options, on_progress)
            skipped = sum(each.skipped for each in ends)
            texts, documents = _joined(tasks, ends, options)
            if not documents.begun and not any(map(len, texts)) and not any(e.end for e in ends):
                corpus.read_head()  # raises the error for an empty corpus
            # Submitted as a task, it can be repeated; scattered data would be lost with its worker.
            counted.append(client.submit(bytes, _count_ends(texts, options), pure=False))
            corpus.read_head()
            shown = pretokens_of_head(corpus, pattern, specials)
            finished = _reduced(client, counted, min(len(threads), MOST_PARTS), shown)
            del counted
            sizes = [client.submit(len, each, pure=False).result() - 2 for each in finished]
            firsts = [client.submit(getitem, each, 0, pure=False).result() for each in finished]
            most = [client.submit(getitem, each, 1, pure=False).result() for each in finished]
            metadata = CountsMetadata(
                *(corpus.name, sum(task.bytes for task in tasks), documents.begun, sum(firsts)),
                *(pattern.source, specials, corpus.head_is_all),
            )
        blocks = [
            _entries(client, cluster, each, size)
            for each, size in zip(finished, sizes, strict=True)
        ]
        counts = (entry[1:] for entry in merge(*blocks, key=itemgetter(0)))
        head = corpus.head
        pretokens, pretoken_counts, _ = added_up(most)
        wanted = [pretokens[place] for place in commonest(pretokens, pretoken_counts, ())]
        examples = example_lines(corpus, wanted, pattern, specials, on_work)
        yield ClusterCount(metadata, head, examples, skipped, counts)


def tasks_of(corpus: Corpus, threads: int) -> list[Task]:
    """Divide the corpus into tasks, in its order.

    Raises:
        ClusterError: workers cannot read a source.
    """
    total = corpus.reader.total or threads * TASKS_A_THREAD * LARGEST_TASK
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
    """Join the ends: return the uncounted text before each task, then the one behind the last."""
    splitter = SpecialSplitter(options.special_tokens)
    texts: list[bytes] = []
    open_text, documents, is_first = b"", Documents(), True
    for task, ends in zip(tasks, all_ends, strict=True):
        if not is_first and not task.start and (ends.start or ends.end is not None):
            open_text += between(open_text, options.separator)
        open_text += ends.start
        is_first &= not ends.start and ends.end is None
        if ends.end is None:
            texts.append(b"")
            continue
        texts.append(open_text)
        documents = documents.then(Documents.of(open_text, splitter)).then(ends.documents)
        open_text = ends.end
    return [*texts, open_text], documents.then(Documents.of(open_text, splitter))


def _count_ends(texts: Sequence[bytes], options: CountingOptions) -> bytes:
    """Count the texts between the tasks."""
    counter = counter_for(options.pattern, SpecialSplitter(options.special_tokens))
    tally, places = Tally(), list[int]()
    for number, text in enumerate(texts):
        known = tally.distinct
        tally.add(0, counter.count(text, False))
        first = (2 * number - 1) * PLACES
        places += range(first, first + tally.distinct - known)
    counts = tally.counts()
    numbers = np.fromiter(counts.values(), np.int64, len(counts))
    return packed(list(counts), numbers, np.array(places, np.int64))


def _reduced(client: Any, counted: list[Any], parts: int, shown: frozenset[bytes]) -> list[Any]:
    """Add up the counts by hash, a few at a time; return a future for each hash."""
    pieces = [client.submit(split, group, parts, pure=False) for group in _groups(counted)]
    finished = []
    for part in range(parts):
        futures = [client.submit(getitem, piece, part, pure=False) for piece in pieces]
        while len(futures) > IN_A_SUM:
            futures = [client.submit(add_up, group, pure=False) for group in _groups(futures)]
        finished.append(client.submit(finish, futures, shown, pure=False))
    return finished


def _groups(futures: list[Any]) -> Iterator[list[Any]]:
    return (futures[start : start + IN_A_SUM] for start in range(0, len(futures), IN_A_SUM))


def _entries(client: Any, cluster: str, part: Any, size: int) -> Iterator[tuple[int, bytes, int]]:
    """Yield (place, pretoken, count) of all pretokens of a hash, fetched a block at a time."""
    for number in range(2, 2 + size):
        with _explained_errors(cluster):
            block = client.submit(getitem, part, number, pure=False).result()
        pretokens, (counts, places) = unpacked(block)
        yield from zip(places.tolist(), pretokens, counts.tolist(), strict=True)


# The connection.


def _is_address(cluster: str) -> bool:
    """Whether an address has a valid host and port: Dask's client hangs on an invalid one."""
    found = _ADDRESS.fullmatch(cluster)
    if found is None:
        return False
    host, port = found.groups()
    try:
        return bool(host.encode("idna")) and 0 < int(port) < 1 << 16
    except ValueError:
        return False


@contextmanager
def _connected(cluster: str) -> Iterator[Any]:
    """Open a client of a cluster, and check that its workers can do the tasks."""
    local = _LOCAL.fullmatch(cluster)
    if local is None and not _is_address(cluster):
        raise ClusterError(
            f"{cluster}: is not a cluster; give tcp://HOST:PORT, tls://HOST:PORT or local:N"
        )
    resource_tracker.ensure_running()  # started later, it would inherit the files of a screen
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ClusterError(
            "a cluster needs Dask, which is not installed; install it (pip install "
            "'bpe-tui[cluster]')"
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # its messages would overwrite ours
    with ExitStack() as opened:
        try:
            with _explained_errors(cluster):
                address: Any = cluster
                if local is not None:
                    with interrupts_blocked():
                        made = LocalCluster(
                            n_workers=int(local[1]),
                            threads_per_worker=1,
                            dashboard_address=None,
                            silence_logs=logging.CRITICAL,
                        )
                    address = opened.enter_context(made)
                _check_certificates(cluster)
                connection = Client(address, timeout=SECONDS, set_as_default=False)
                client = opened.enter_context(connection)
                opened.enter_context(_warning_without_workers(client, cluster))
                _check_workers(client, cluster)
            yield client
        except KeyboardInterrupt:
            opened.pop_all()  # closing would wait for Dask's processes; they end with this one
            raise


def _check_certificates(cluster: str) -> None:
    """Raise an error if Dask's settings name no certificates: its client would wait long."""
    if not cluster.startswith("tls://"):
        return
    from distributed import Security

    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise ClusterError(f"{cluster}: the certificates cannot be read: {error}") from error
    if context is None:
        raise ClusterError(
            f"{cluster}: needs certificates; name them in Dask's settings (distributed.comm.tls)"
        )


def _check_workers(client: Any, cluster: str) -> None:
    client.wait_for_workers(1)

    def tasks() -> int | None:  # pickled by value, so it runs where this package is missing
        try:
            from engine.counting import cluster_tasks
        except ImportError:
            return None
        return cluster_tasks.TASKS

    for worker, known in client.run(tasks).items():
        if known != TASKS:
            lack = "has no bpe-tui" if known is None else "has another version of bpe-tui"
            raise ClusterError(f"{cluster}: the worker {worker} {lack}; install this one there")


@contextmanager
def _warning_without_workers(client: Any, cluster: str) -> Iterator[None]:
    """Give a `HelperWarning` after `PATIENCE` seconds without workers.

    The work goes on when workers come.
    """
    closed = Event()

    def watch() -> None:
        without = 0
        while not closed.wait(1):
            try:
                without = 0 if client.nthreads() else without + 1
            except Exception:  # waiting for a result raises the error
                return
            if without == PATIENCE:
                warnings.warn(
                    f"{cluster}: there are no workers; waiting for workers, Ctrl+C ends",
                    HelperWarning,
                    stacklevel=1,
                )

    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        closed.set()


@contextmanager
def _explained_errors(cluster: str) -> Iterator[None]:
    """Turn errors of the cluster into `ClusterError`s."""
    try:
        yield
    except BpeError:
        raise
    except ImportError as error:
        raise ClusterError(
            f"{cluster}: a worker has no {error.name}; install bpe-tui there, with what it needs"
        ) from error
    except CancelledError as error:
        raise ClusterError(
            f"{cluster}: the scheduler has ended; start it and count again"
        ) from error
    except TimeoutError as error:
        raise ClusterError(f"{cluster}: no scheduler answers within {SECONDS} seconds") from error
    except OSError as error:
        also = "do the certificates fit" if cluster.startswith("tls") else "does it use tcp"
        raise ClusterError(
            f"{cluster}: the connection failed; is the scheduler running, and {also}?"
        ) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise ClusterError(
                f"{cluster}: workers died repeatedly over one task; give them more memory"
            ) from error
        raise
