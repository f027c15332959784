"""Encoding many texts with helper processes.

They are plain subprocesses, for the reasons given in `engine.counting.pool`. Each is looked after
by a thread, which sends it a batch of texts and waits for the ids. Only a few batches are under way
at any time, so that texts may come from an iterator that never ends.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from engine.core.errors import WorkerError
from engine.core.subprocess_worker import receive, send, start_helper
from engine.text.pretokenize import to_bytes

BATCH = 1 << 18
"""Characters in a batch: enough that sending it costs little beside encoding it."""


def encoded_by_processes(
    texts: Iterable[str], task: tuple[Any, ...], processes: int
) -> Generator[list[int], None, None]:
    """The ids of each text, in the order of the texts.

    `task` is the first message to each helper. Closing the generator ends the helpers.

    Raises:
        WorkerError: a helper could not be started, or died.
    """
    helpers: SimpleQueue[_Helper] = SimpleQueue()
    started: list[_Helper] = []
    threads = ThreadPoolExecutor(processes)

    def encode(batch: list[str]) -> list[list[int]]:
        helper = helpers.get()
        try:
            return helper.ask([to_bytes(text) for text in batch])
        finally:
            helpers.put(helper)  # a dead one, too: no thread may wait for ever

    under_way: deque[Future[list[list[int]]]] = deque()
    try:
        for _ in range(processes):
            started.append(_Helper(task))
            helpers.put(started[-1])
        for batch in _batches(texts):
            under_way.append(threads.submit(encode, batch))
            if len(under_way) > 2 * processes:
                yield from under_way.popleft().result()
        while under_way:
            yield from under_way.popleft().result()
    finally:
        for helper in started:
            helper.kill()
        threads.shutdown(cancel_futures=True)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for text in texts:
        batch.append(text)
        length += len(text)
        if length >= BATCH:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


class _Helper:
    """One process, told its task when it is asked for the first time."""

    def __init__(self, task: tuple[Any, ...]) -> None:
        self._task: tuple[Any, ...] | None = task
        self._process = start_helper("engine.encoding.encode_worker")

    def ask(self, texts: list[bytes]) -> list[list[int]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            if self._task is not None:
                send(self._process.stdin, self._task)
                self._task = None
            send(self._process.stdin, texts)
            ids: list[list[int]] = receive(self._process.stdout)
        except (EOFError, OSError) as error:
            raise WorkerError(
                "a helper process died while encoding; try again with one worker"
            ) from error
        return ids

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
