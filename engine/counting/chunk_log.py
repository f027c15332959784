"""A log of the chunks of a corpus: who counted which, how long it took, what it found.

A corpus of a gigabyte has thousands of chunks. So the log keeps at most `MOST` entries. When they
are full, each two neighbours become one; from then on an entry holds two chunks, then four.
The sums and those of each worker stay exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.core.arguments import checked
from engine.core.events import ChunkCounted

MOST = 512
"""Most entries that are kept, an even number."""


class LoggedChunks(NamedTuple):
    """A chunk, or several neighbours.

    Attributes:
        start, size: their place in the text, in bytes.
        chunks: number of chunks.
        workers: the numbers of the workers that counted them, ascending.
        seconds: time that the workers took together.
        pretokens: number of pretokens in them.
    """

    start: int
    size: int
    chunks: int
    workers: tuple[int, ...]
    seconds: float
    pretokens: int

    def joined(self, other: LoggedChunks) -> LoggedChunks:
        """Return these chunks and those after them as one entry."""
        return LoggedChunks(
            self.start,
            self.size + other.size,
            self.chunks + other.chunks,
            tuple(sorted({*self.workers, *other.workers})),
            self.seconds + other.seconds,
            self.pretokens + other.pretokens,
        )


class WorkerShare(NamedTuple):
    """The part of the work that one worker did.

    Attributes:
        worker: its number, from 1 on.
        process: the id of its process.
        chunks, bytes, seconds, pretokens: sums over its chunks.
    """

    worker: int
    process: int
    chunks: int = 0
    bytes: int = 0
    seconds: float = 0.0
    pretokens: int = 0


class ChunkReport(NamedTuple):
    """The chunks that have been counted so far.

    Attributes:
        logged: the chunks in the order of the text; neighbours share an entry if there are many.
        chunks_an_entry: number of chunks in an entry; the last entry may have fewer.
        workers: the share of each worker.
        chunks, bytes, pretokens: sums over all chunks; no chunk if the counts were there already.
        after_special: number of chunks that end after a special token.
        processes: number of processes that counted.
    """

    logged: Sequence[LoggedChunks] = ()
    chunks_an_entry: int = 1
    workers: Sequence[WorkerShare] = ()
    after_special: int = 0

    @property
    def chunks(self) -> int:
        return sum(each.chunks for each in self.workers)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.workers)

    @property
    def pretokens(self) -> int:
        return sum(each.pretokens for each in self.workers)

    @property
    def processes(self) -> int:
        return len({each.process for each in self.workers})


NOTHING_COUNTED = ChunkReport()


class ChunkLog:
    """A log of counted chunks in bounded memory. Pass `log.add` as `on_chunk`.

    >>> from engine.core.events import ChunkCounted
    >>> log = ChunkLog()
    >>> log.add(ChunkCounted(0, 0, 500, 1, 77, 0.25, 90, False))
    >>> log.add(ChunkCounted(1, 500, 300, 2, 77, 0.5, 60, True))
    >>> [(each.worker, each.bytes, each.pretokens) for each in log.report.workers]
    [(1, 500, 90), (2, 300, 60)]
    """

    @checked
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._logged: list[LoggedChunks] = []
        self._chunks_an_entry = 1
        self._workers: dict[int, WorkerShare] = {}
        self._after_special = 0

    @checked
    def add(self, chunk: ChunkCounted) -> None:
        """Add the next chunk of the text."""
        own = LoggedChunks(
            chunk.start, chunk.size, 1, (chunk.worker,), chunk.seconds, chunk.pretokens
        )
        logged = self._logged
        if logged and logged[-1].chunks < self._chunks_an_entry:
            logged[-1] = logged[-1].joined(own)
        else:
            if len(logged) == self._most:
                logged[:] = [
                    one.joined(other) for one, other in zip(logged[::2], logged[1::2], strict=True)
                ]
                self._chunks_an_entry *= 2
            logged.append(own)
        share = self._workers.get(chunk.worker) or WorkerShare(chunk.worker, chunk.process)
        self._workers[chunk.worker] = share._replace(
            chunks=share.chunks + 1,
            bytes=share.bytes + chunk.size,
            seconds=share.seconds + chunk.seconds,
            pretokens=share.pretokens + chunk.pretokens,
        )
        self._after_special += chunk.ends_special

    @property
    def report(self) -> ChunkReport:
        """The chunks so far, which later ones do not change."""
        workers = [self._workers[worker] for worker in sorted(self._workers)]
        return ChunkReport(tuple(self._logged), self._chunks_an_entry, workers, self._after_special)
