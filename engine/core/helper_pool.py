"""A pool of helpers that works on tasks and gives the results in the order of the tasks.

Work that lets other threads run has threads for helpers. All others are plain subprocesses spoken
to through pipes, and not `multiprocessing`: that would import the caller's main module again, fail
inside a running full-screen application, and leave forked children behind when the parent is
killed. These end when their pipe does, and never print.

What goes through the pipes is pickled. That is safe there, since both ends are this program; what
comes from a file is never unpickled.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, Any, Generic, TypeVar

from engine.core.errors import HelperWarning

if TYPE_CHECKING:
    import subprocess

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1"}
"""For the environment of a process of ours. Imported, numpy starts a thread a core for linear
algebra, of which there is none here: that takes longer than all the rest of the import."""

_START = "import sys; sys.path[:] = sys.argv[1:]; from engine.core.helper_pool import main; main()"

_AHEAD = 4
"""Tasks read for each process before the next result is there: two wait, and two it has already."""

_FILES_TO_START = 8
"""Three pipes and the null device are open for a moment while a helper starts; one is to spare."""

_RARELY = 1 << 20
"""Helpers make many lists and hardly any cycles: so many objects before the collector looks."""


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    prepare: Callable[[], Callable[[TaskT], ResultT]],
    tasks: Iterable[TaskT],
    helpers: int,
    *,
    doing: str,
    threads: bool = False,
) -> Generator[ResultT, None, None]:
    """Work on tasks with helper processes and this one; closing the generator ends them.

    A helper that cannot start or dies is told with a `HelperWarning`, and this process does its
    work again.

    Args:
        prepare: is called once in each process, and gives the function from a task to its result,
            which gets its tasks in their order. Work that is done again gets a function of its own.
            It is pickled, as tasks and results are: a function of a module, or `partial` of one.
        tasks: are read by a thread of their own, only a few ahead of the results, so that they may
            block or never end.
        helpers: how many processes there are beside this one.
        doing: what the work is, for the warning: `counting`.
        threads: whether the helpers are threads: for work that lets others run meanwhile. Nothing
            is pickled then.

    Yields:
        the results, in the order of the tasks.

    Raises:
        Exception: what `tasks`, `prepare` or the work raises, wherever it is done.
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
    """One thread reads tasks, one a helper passes them on; the caller's thread may work, too.

    All that they share is read and changed under `_changed`.
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
        self._lost: deque[list[tuple[int, TaskT]]] = deque()  # what each dead helper had to do
        self._done: dict[int, ResultT] = {}
        self._read = 0
        self._given = 0  # results, so this is the place of the next one, too
        self._all_read = False
        self._stopped = False
        self._error: BaseException | None = None

    def start(self, helpers: int, *, threads: bool) -> bool:
        """Start the thread that reads tasks, the helpers, and the threads that serve them.

        Returns:
            whether tasks are read; if not, none has been.
        """
        try:
            _start_thread(self._read_tasks)
        except RuntimeError:
            return False  # a system that gives us no thread gives no helper, either
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
        """The results in order; this thread works, too, while the next is not there."""
        work = self._prepare()
        while True:
            lost: list[tuple[int, TaskT]] | None = None
            taken = None
            with self._changed:
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
                    self._given += 1
                    self._changed.notify_all()  # there is room for one task more
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

    def _warn(self, what: str) -> None:
        told = f"a helper process {what} while {self._doing}; this process does its work instead"
        warnings.warn(told, HelperWarning, stacklevel=2)

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

    def _read_tasks(self) -> None:
        try:
            for place, task in enumerate(self._tasks):
                with self._changed:
                    self._changed.wait_for(
                        lambda: self._stopped or self._read - self._given < self._most_under_way
                    )
                    if self._stopped:
                        return
                    self._waiting.append((place, task))
                    self._read += 1
                    self._changed.notify_all()
            with self._changed:
                self._all_read = True
                self._changed.notify_all()
        except BaseException as error:
            self._fail(error)

    def _serve(self, helper: subprocess.Popen[bytes]) -> None:
        """Pass tasks to a helper and take its results, as long as there are any."""
        assert helper.stdin is not None
        assert helper.stdout is not None
        sent: deque[tuple[int, TaskT]] = deque()
        try:
            _send(helper.stdin, self._prepare)
            error, _ = _received(helper.stdout)
            # Now it is there, and from now on it works as fast as we do.
            while error is None:
                # One task more than it is working on, so that it never has to wait.
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
            with self._changed:
                self._lost.append(list(sent))
                self._changed.notify_all()
        except BaseException as cause:
            self._fail(cause)

    def _work(self) -> None:
        """What a thread does in place of a helper process."""
        try:
            work = self._prepare()
            while (task := self._take(wait=True)) is not None:
                self._put(task[0], work(task[1]))
        except BaseException as cause:
            self._fail(cause)

    def _take(self, wait: bool = False) -> tuple[int, TaskT] | None:
        """The next task; `None` if there is none, or with `wait` none any more."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._waiting or self._all_read or self._stopped)
            return None if self._stopped or not self._waiting else self._waiting.popleft()

    def _put(self, place: int, result: ResultT) -> None:
        with self._changed:
            self._done[place] = result
            self._changed.notify_all()

    def _fail(self, error: BaseException) -> None:
        """Have the caller raise it; of several errors the first, which led to the others."""
        with self._changed:
            self._error = self._error or error
            self._changed.notify_all()


def _start_thread(work: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()


def _start_helper() -> subprocess.Popen[bytes]:
    import subprocess  # takes its time to load, and most work has no helpers

    here = str(Path(__file__).resolve().parents[2])
    _check_room_for_pipes()
    return subprocess.Popen(
        # Without site-packages of its own: it gets our path.
        [sys.executable, "-S", "-P", "-c", _START, here, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **SINGLE_THREADED},
        start_new_session=True,  # Ctrl+C is for the parent to handle
    )


def _check_room_for_pipes() -> None:
    """Raises `OSError` if too few files may be open; `Popen` would lose the pipes it has made."""
    with contextlib.ExitStack() as opened:
        for _ in range(_FILES_TO_START):
            opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))


def _send(stream: IO[bytes], value: object) -> None:
    import pickle

    pickle.dump(value, stream, pickle.HIGHEST_PROTOCOL)
    stream.flush()


def _received(stream: IO[bytes]) -> Any:
    """What the other end has sent.

    Raises:
        EOFError: it has gone, perhaps amid it.
    """
    import pickle

    try:
        return pickle.load(stream)
    except pickle.UnpicklingError as error:
        raise EOFError from error


# What follows runs in the helper.


def main() -> None:
    """Take `prepare`, say that we are ready, then answer tasks until the input ends."""
    gc.set_threshold(_RARELY)
    messages: SimpleQueue[Any] = SimpleQueue()
    # Tasks are read while we work: one may wait, and whoever sends it need not.
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
            pass  # a task that is on its way must not find the pipe closed before the error is read


def _read_messages(messages: SimpleQueue[Any]) -> None:
    try:
        while True:
            messages.put(_received(sys.stdin.buffer))
    finally:
        messages.put(None)  # the input has ended, or is none of ours
