"""Work of several threads on tasks, whose results come in the order of the tasks.

The work must let other threads run, as the kernel does. Python's own work has one thread.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Generic, TypeVar

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

_AHEAD = 4
"""Tasks read ahead for each thread: two that it works on soon, and two that wait."""


def in_order(
    prepare: Callable[[], Callable[[TaskT], ResultT]],
    tasks: Iterable[TaskT],
    helpers: int,
) -> Generator[ResultT, None, None]:
    """Work on tasks with helper threads and this one; closing the generator ends the helpers.

    Where no thread can start, this one does the work.

    Args:
        prepare: called once in each thread. It returns the function that turns a task into its
            result; that function gets its tasks in order.
        tasks: read by a separate thread, only a few ahead of the results, so they may block or
            never end.
        helpers: number of helpers besides this thread.

    Yields:
        the results, in the order of the tasks.

    Raises:
        Exception: any error of `tasks`, `prepare` or the work, in whichever thread it occurs.
    """
    pool = _Pool[TaskT, ResultT](prepare, tasks, helpers + 1)
    try:
        if pool.start(helpers):
            yield from pool.results()
        else:
            yield from map(prepare(), tasks)
    finally:
        pool.stop()


class _Pool(Generic[TaskT, ResultT]):
    """One thread that reads tasks, the helpers, and the caller's thread.

    The threads read and change what they share only while they hold `_changed`.
    """

    def __init__(
        self,
        prepare: Callable[[], Callable[[TaskT], ResultT]],
        tasks: Iterable[TaskT],
        threads: int,
    ) -> None:
        self._prepare = prepare
        self._tasks = tasks
        self._most_under_way = _AHEAD * threads
        self._changed = threading.Condition()  # its lock can be taken twice
        self._waiting: deque[tuple[int, TaskT]] = deque()  # each with its place among all tasks
        self._done: dict[int, ResultT] = {}
        self._read = 0
        self._given = 0  # number of results yielded, and so the place of the next one
        self._all_read = False
        self._stopped = False
        self._error: BaseException | None = None

    def start(self, helpers: int) -> bool:
        """Start the thread that reads tasks, and as many helpers as can start.

        Returns:
            whether the tasks are being read; if not, none was read.
        """
        try:
            _start_thread(self._read_tasks)
        except RuntimeError:
            return False
        with contextlib.suppress(RuntimeError):  # this thread works, too
            for _ in range(helpers):
                _start_thread(self._work)
        return True

    def results(self) -> Generator[ResultT, None, None]:
        """Yield the results in order; work in this thread, too, while the next one is not ready."""
        work = self._prepare()
        while True:
            taken = None
            with self._changing():
                self._changed.wait_for(
                    lambda: (
                        self._error
                        or self._given in self._done
                        or self._waiting
                        or (self._all_read and self._given == self._read)
                    )
                )
                if self._error is not None:
                    raise self._error
                is_there = self._given in self._done
                if is_there:
                    result = self._done.pop(self._given)
                    self._given += 1  # there is room for one more task
                else:
                    taken = self._take()
            if is_there:
                yield result
            elif taken is not None:
                place, task = taken
                self._put(place, work(task))
            else:
                return

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold what is shared, and wake the threads that wait for a change of it."""
        with self._changed:
            yield
            self._changed.notify_all()

    def stop(self) -> None:
        """End the helpers, without waiting for them.

        They end when they next look at the shared state. The thread that reads tasks may be
        blocked for ever on a pipe that is never written to; it ends with the program.
        """
        with self._changing():
            self._stopped = True

    def _read_tasks(self) -> None:
        try:
            for place, task in enumerate(self._tasks):
                with self._changing():
                    self._changed.wait_for(
                        lambda: self._stopped or self._read - self._given < self._most_under_way
                    )
                    if self._stopped:
                        return
                    self._waiting.append((place, task))
                    self._read += 1
            with self._changing():
                self._all_read = True
        except BaseException as error:
            self._fail(error)

    def _work(self) -> None:
        """Work on tasks in a helper."""
        try:
            work = self._prepare()
            while (task := self._take(wait=True)) is not None:
                self._put(task[0], work(task[1]))
        except BaseException as cause:
            self._fail(cause)

    def _take(self, wait: bool = False) -> tuple[int, TaskT] | None:
        """Take the next task; `None` if none is ready, or with `wait` if none will follow."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._waiting or self._all_read or self._stopped)
            return None if self._stopped or not self._waiting else self._waiting.popleft()

    def _put(self, place: int, result: ResultT) -> None:
        with self._changing():
            self._done[place] = result

    def _fail(self, error: BaseException) -> None:
        """Make the caller raise this error; of several errors the first."""
        with self._changing():
            self._error = self._error or error


def _start_thread(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
