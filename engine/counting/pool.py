"""Counting by several processes: this one and its helpers.

The helpers are plain subprocesses spoken to through pipes, and not `multiprocessing`: that would
import the caller's main module again, fail inside a running full-screen application, and leave
forked children behind when the parent is killed. These end when their pipe does.
"""

from __future__ import annotations

import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from engine.core.errors import WorkerError
from engine.core.subprocess_worker import receive, send, start_helper
from engine.counting.counters import ChunkCount, counter_for
from engine.counting.worker import packed
from engine.text.corpus import Chunk
from engine.text.patterns import Pattern
from engine.text.pretokenize import SpecialSplitter

_READ_AHEAD = 2
"""Chunks a process that may wait to be counted, so that nobody waits for the disk."""


class _Task(NamedTuple):
    """A chunk to count and its place among the chunks."""

    place: int
    chunk: Chunk


class Counted(NamedTuple):
    """A chunk that has been counted. Its text has served; `bytes_read` is how far it reached."""

    counter: int
    bytes_read: int
    chunk: ChunkCount


def counted_by_processes(
    chunks: Iterator[Chunk], pattern: Pattern, special_tokens: Sequence[str], processes: int
) -> Iterator[Counted]:
    """The chunks counted, in their order.

    Closing the generator ends the helpers.

    Raises:
        WorkerError: a helper could not be started, or died.
    """
    pool = _Pool(chunks, processes)
    try:
        pool.start_helpers(packed(pattern, special_tokens))
        yield from pool.results(pattern, special_tokens)
    finally:
        pool.stop()


class _Pool:
    """One thread reads chunks, one a helper passes them on, and the caller's counts, too.

    All that they share is read and changed under `_changed`.
    """

    def __init__(self, chunks: Iterator[Chunk], processes: int) -> None:
        self._chunks = chunks
        self._processes = processes
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._changed = threading.Condition()  # its lock can be taken twice
        self._waiting: deque[_Task] = deque()
        self._counted: dict[int, Counted] = {}
        self._wanted = 0  # the place of the next result
        self._chunks_read = 0
        self._all_read = False
        self._stopped = False
        self._error: BaseException | None = None

    def start_helpers(self, job: object) -> None:
        for number in range(1, self._processes):
            helper = start_helper("engine.counting.worker")
            self._helpers.append(helper)
            _start_thread(self._serve, number, helper, job)
        _start_thread(self._read)

    def results(self, pattern: Pattern, special_tokens: Sequence[str]) -> Iterator[Counted]:
        """The counted chunks in order; this thread counts whenever the next is not there yet."""
        counter = counter_for(pattern, SpecialSplitter(special_tokens))
        while (found := self._next()) is not None:
            if isinstance(found, Counted):
                yield found
            else:
                count = counter.count(found.chunk.data, found.chunk.continues)
                self._put(found.place, Counted(0, found.chunk.bytes_read, count))

    def _next(self) -> Counted | _Task | None:
        """The next result or, while it is not there, a chunk to count; `None` at the end."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    self._error
                    or self._wanted in self._counted
                    or self._waiting
                    or (self._all_read and self._wanted == self._chunks_read)
                )
            )
            if self._error is not None:
                raise self._error
            if self._wanted not in self._counted:
                return self._take()
            self._wanted += 1
            return self._counted.pop(self._wanted - 1)

    def stop(self) -> None:
        """End the helpers.

        The threads are not waited for: one may be reading from a pipe into which nobody writes,
        for ever. They end as soon as they turn to the others, or with the program.
        """
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        for helper in self._helpers:
            helper.kill()
        for helper in self._helpers:
            helper.communicate()

    def _read(self) -> None:
        try:
            for place, chunk in enumerate(self._chunks):
                with self._changed:
                    self._changed.wait_for(
                        lambda: self._stopped or len(self._waiting) < _READ_AHEAD * self._processes
                    )
                    if self._stopped:
                        return
                    self._waiting.append(_Task(place, chunk))
                    self._chunks_read += 1
                    self._changed.notify_all()
            with self._changed:
                self._all_read = True
                self._changed.notify_all()
        except BaseException as error:
            self._fail(error)

    def _serve(self, counter: int, helper: subprocess.Popen[bytes], job: object) -> None:
        assert helper.stdin is not None
        assert helper.stdout is not None
        sent: deque[tuple[int, int]] = deque()
        try:
            send(helper.stdin, job)
            receive(helper.stdout)  # it is there: from now on it counts as fast as we do
            while True:
                # One chunk more than it is counting, so that it never has to wait.
                while len(sent) < 2 and (task := self._take(wait=not sent)) is not None:
                    place, chunk = task
                    send(helper.stdin, (chunk.data, chunk.continues))
                    sent.append((place, chunk.bytes_read))
                if not sent:
                    return
                count = ChunkCount(*receive(helper.stdout))
                place, bytes_read = sent.popleft()
                self._put(place, Counted(counter, bytes_read, count))
        except (EOFError, OSError) as error:
            died = WorkerError("a helper process died while counting; try again with one worker")
            died.__cause__ = error
            self._fail(died)
        except BaseException as error:
            self._fail(error)

    def _take(self, wait: bool = False) -> _Task | None:
        """The next chunk to count; `None` if there is none, or with `wait` none any more."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._waiting or self._all_read or self._stopped)
            if self._stopped or not self._waiting:
                return None
            self._changed.notify_all()
            return self._waiting.popleft()

    def _put(self, place: int, counted: Counted) -> None:
        with self._changed:
            self._counted[place] = counted
            self._changed.notify_all()

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._error = error
            self._changed.notify_all()


def _start_thread(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
