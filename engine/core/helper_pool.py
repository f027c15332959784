"""A pool of helpers that works on tasks and yields the results in the order of the tasks.

If the work lets other threads run, the helpers are threads. Otherwise they are plain subprocesses
that communicate through pipes. `multiprocessing` would import the caller's main module again, fail
inside a running full-screen application, and leave forked children behind when the parent is
killed. Ours end when their pipe is closed, and never print.

Messages in the pipes are pickled. That is safe because both ends are this program; data from a
file is never unpickled.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from engine.core.errors import HelperWarning
from engine.core.systems import own_group

if TYPE_CHECKING:
    import subprocess

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1"}
"""Environment of a helper process. Without it, importing numpy starts a thread for each core, for
linear algebra that is not used here; that takes longer than the rest of the import."""

_START = "import sys; sys.path[:] = sys.argv[1:]; from engine.core.helper_pool import main; main()"

_AHEAD = 4
"""Tasks read ahead for each process: two that it has already, and two that wait."""

_FILES_TO_START = 8
"""Files that are open while a helper starts: three pipes, the null device, and one to spare."""

_RARELY = 1 << 20
"""New objects between two garbage collections: helpers make many lists and hardly any cycles."""


def in_order(
    prepare: Callable[[], Callable[[TaskT], ResultT]],
    tasks: Iterable[TaskT],
    helpers: int,
    *,
    doing: str,
    threads: bool = False,
) -> Generator[ResultT, None, None]:
    """Work on tasks with helper processes and this one; closing the generator ends the helpers.

    If a helper cannot start or dies, there is a `HelperWarning`, and this process repeats the
    helper's work.

    Args:
        prepare: called once in each process. It returns the function that turns a task into its
            result; that function gets its tasks in order. Repeated work gets a new function.
            `prepare`, tasks and results are pickled: it is a function of a module, or a `partial`
            of one.
        tasks: read by a separate thread, only a few ahead of the results, so they may block or
            never end.
        helpers: number of helpers besides this process.
        doing: a word for the work, for the warning: `counting`.
        threads: whether the helpers are threads, for work that lets other threads run. Then
            nothing is pickled.

    Yields:
        the results, in the order of the tasks.

    Raises:
        Exception: any error of `tasks`, `prepare` or the work, in whichever process it occurs.
    """
    pool = _Pool[TaskT, ResultT](prepare, tasks, helpers + 1, doing)
    try:
        if pool.start(helpers, threads=threads):
            yield from pool.results()
        else:
            yield from map(prepare(), tasks)
    finally:
        pool.stop()


class _Pool(Generic[TaskT, ResultT]):
    """One thread that reads tasks, one for each helper that sends them, and the caller's thread.

    The threads read and change what they share only while they hold `_changed`.
    """

    def __init__(
        self,
        prepare: Callable[[], Callable[[TaskT], ResultT]],
        tasks: Iterable[TaskT],
        processes: int,
        doing: str,
    ) -> None:
        self._prepare = prepare
        self._tasks = tasks
        self._most_under_way = _AHEAD * processes
        self._doing = doing
        self._helpers: list[subprocess.Popen[bytes]] = []
        self._changed = threading.Condition()  # its lock can be taken twice
        self._waiting: deque[tuple[int, TaskT]] = deque()  # each with its place among all tasks
        self._lost: deque[list[tuple[int, TaskT]]] = deque()  # the tasks of each dead helper
        self._done: dict[int, ResultT] = {}
        self._read = 0
        self._given = 0  # number of results yielded, and so the place of the next one
        self._all_read = False
        self._stopped = False
        self._error: BaseException | None = None

    def start(self, helpers: int, *, threads: bool) -> bool:
        """Start the thread that reads tasks, the helpers, and the threads that serve them.

        Returns:
            whether the tasks are being read; if not, none was read.
        """
        try:
            _start_thread(self._read_tasks)
        except RuntimeError:
            return False  # without threads there are no helpers either
        try:
            for _ in range(helpers):
                if threads:
                    _start_thread(self._work)
                    continue
                helper = _start_helper()
                self._helpers.append(helper)
                _start_thread(self._serve, helper)
        except (OSError, RuntimeError) as error:  # no process, no room for its pipes; no thread
            self._warn(f"could not be started ({error})")
        return True

    def results(self) -> Generator[ResultT, None, None]:
        """Yield the results in order; work in this thread, too, while the next one is not ready."""
        work = self._prepare()
        while True:
            lost: list[tuple[int, TaskT]] | None = None
            taken = None
            with self._changing():
                self._changed.wait_for(
                    lambda: (
                        self._error
                        or self._lost
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
                elif self._lost:
                    lost = self._lost.popleft()
                else:
                    taken = self._take()
            if is_there:
                yield result
            elif lost is not None:
                self._warn("died")
                again = self._prepare()
                for place, task in lost:
                    self._put(place, again(task))
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

    def _warn(self, what: str) -> None:
        message = f"a helper process {what} while {self._doing}; this process does its work instead"
        warnings.warn(message, HelperWarning, stacklevel=2)

    def stop(self) -> None:
        """End the helpers, without waiting for the threads.

        A thread may be blocked for ever on a pipe that is never written to. Threads end when they
        next look at the shared state, or with the program.
        """
        with self._changing():
            self._stopped = True
        for helper in self._helpers:
            helper.kill()
        for helper in self._helpers:
            helper.communicate()

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

    def _serve(self, helper: subprocess.Popen[bytes]) -> None:
        """Send tasks to a helper and receive its results, until no task is left."""
        assert helper.stdin is not None
        assert helper.stdout is not None
        sent: deque[tuple[int, TaskT]] = deque()
        try:
            _send(helper.stdin, self._prepare)
            error, _ = _received(helper.stdout)
            # The helper has started.
            while error is None:
                # Send one task ahead, so that the helper never has to wait.
                while len(sent) < 2 and (task := self._take(wait=not sent)) is not None:
                    sent.append(task)
                    _send(helper.stdin, task[1])
                if not sent:
                    return
                error, result = _received(helper.stdout)
                if error is None:
                    self._put(sent.popleft()[0], result)
            self._fail(error)
        except (EOFError, OSError):
            with self._changing():
                self._lost.append(list(sent))
        except BaseException as cause:
            self._fail(cause)

    def _work(self) -> None:
        """Work on tasks in a thread; it replaces a helper process."""
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


def _start_helper() -> subprocess.Popen[bytes]:
    import subprocess  # slow to load, and most work has no helpers

    here = str(Path(__file__).resolve().parents[2])
    with contextlib.ExitStack() as opened:
        # Raise `OSError` now if too few files may be open; `Popen` would lose its pipes.
        for _ in range(_FILES_TO_START):
            opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
    return subprocess.Popen(
        # The helper gets our path instead of its own site-packages.
        [sys.executable, "-S", "-P", "-c", _START, here, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **SINGLE_THREADED},
        **own_group(),  # Ctrl+C is for the parent to handle
    )


def _send(stream: IO[bytes], value: object) -> None:
    import pickle

    pickle.dump(value, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _received(stream: IO[bytes]) -> Any:
    """Receive a value from the other end.

    Raises:
        EOFError: the other end is gone, perhaps in the middle of a message.
    """
    import pickle

    try:
        return pickle.load(stream)
    except pickle.UnpicklingError as error:
        raise EOFError from error


# The functions below run in the helper.


def main() -> None:
    """Receive `prepare`, report that we are ready, then answer tasks until the input ends."""
    gc.set_threshold(_RARELY)
    messages: SimpleQueue[Any] = SimpleQueue()
    # Tasks are read while we work, so that the sender never has to wait.
    threading.Thread(target=_read_messages, args=(messages,), daemon=True).start()
    answers = sys.stdout.buffer
    try:
        if (prepare := messages.get()) is None:
            return
        work = prepare()
        _send(answers, (None, None))
        while (task := messages.get()) is not None:
            _send(answers, (None, work(task)))
    except BrokenPipeError:
        return
    except Exception as error:
        _send(answers, (error, None))
        while messages.get() is not None:
            pass  # a task on its way must not find the pipe closed before the error is read


def _read_messages(messages: SimpleQueue[Any]) -> None:
    try:
        while True:
            messages.put(_received(sys.stdin.buffer))
    finally:
        messages.put(None)  # the input has ended, or is not ours
