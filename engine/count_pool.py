"""Helper processes that count chunks.

They are plain subprocesses spoken to through pipes, and not `multiprocessing`: that would import
the caller's main module again, fail inside a running full-screen application, and leave forked
children behind when the parent is killed. These end when their pipe does.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import SimpleQueue

from engine.corpus import Chunk
from engine.count_worker import ChunkCount, receive, send
from engine.errors import WorkerError
from engine.patterns import Pattern

_START = "import sys; sys.path[:] = sys.argv[1:]; from engine.count_worker import main; main()"


def counted_by_processes(
    chunks: Iterator[Chunk], pattern: Pattern, special_tokens: Sequence[str], processes: int
) -> Iterator[tuple[Chunk, ChunkCount]]:
    """Each chunk with its count, in the order of the chunks.

    Closing the generator ends the helpers.

    Raises:
        WorkerError: a helper could not be started, or died.
    """
    pool = _Pool(chunks, pattern, special_tokens)
    try:
        pool.start(processes)
        yield from pool.results()
    finally:
        pool.stop()


class _Pool:
    """One thread a helper: it takes the next chunk, sends it, and passes the answer on."""

    def __init__(
        self, chunks: Iterator[Chunk], pattern: Pattern, special_tokens: Sequence[str]
    ) -> None:
        self._chunks = enumerate(chunks)
        self._task = ([(a.name, a.regex) for a in pattern.alternatives], list(special_tokens))
        self._reading = threading.Lock()
        self._stopped = False
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._threads: list[threading.Thread] = []
        # (place, chunk, count); an exception; or None from a thread that has no more to do.
        self._answers: SimpleQueue[tuple[int, Chunk, ChunkCount] | BaseException | None] = (
            SimpleQueue()
        )

    def start(self, processes: int) -> None:
        here = str(Path(__file__).resolve().parent.parent)
        for _ in range(processes):
            try:
                helper = subprocess.Popen(
                    [sys.executable, "-P", "-c", _START, here, *sys.path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # Ctrl+C is for the parent to handle
                )
            except OSError as error:
                raise WorkerError(f"cannot start a helper process: {error}") from error
            self._helpers.append(helper)
            thread = threading.Thread(target=self._serve, args=(helper,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def results(self) -> Iterator[tuple[Chunk, ChunkCount]]:
        early: dict[int, tuple[Chunk, ChunkCount]] = {}
        wanted, running = 0, len(self._threads)
        while running:
            answer = self._answers.get()
            if answer is None:
                running -= 1
            elif isinstance(answer, BaseException):
                raise answer
            else:
                place, chunk, count = answer
                early[place] = (chunk, count)
            while wanted in early:
                yield early.pop(wanted)
                wanted += 1

    def stop(self) -> None:
        """End the helpers.

        The threads are not waited for: one may be reading from a pipe into which nobody writes,
        for ever. They end as soon as they turn to their helper, or with the program.
        """
        self._stopped = True
        for helper in self._helpers:
            helper.kill()
        for helper in self._helpers:
            helper.communicate()

    def _serve(self, helper: subprocess.Popen[bytes]) -> None:
        assert helper.stdin is not None
        assert helper.stdout is not None
        try:
            send(helper.stdin, self._task)
            while (next_chunk := self._next_chunk()) is not None:
                place, chunk = next_chunk
                send(helper.stdin, (chunk.data, chunk.continues))
                count = ChunkCount(*receive(helper.stdout))
                # The text has served; only its place and progress are of use from here on.
                self._answers.put((place, Chunk(b"", chunk.bytes_read, chunk.continues), count))
            self._answers.put(None)
        except (EOFError, OSError) as error:
            died = WorkerError("a helper process died while counting; try again with one worker")
            died.__cause__ = error
            self._answers.put(died)
        except BaseException as error:
            self._answers.put(error)

    def _next_chunk(self) -> tuple[int, Chunk] | None:
        with self._reading:
            return None if self._stopped else next(self._chunks, None)
