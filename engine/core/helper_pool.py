"""Work of several threads on tasks, whose results come in the order of the tasks.

The work must let other threads run, as the kernel does. Python's own work has one thread.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

_AHEAD = 4
"""Tasks read ahead for each thread: two that it works on soon, and two that wait."""


def in_order(
    prepare: Callable[[], Callable[[TaskT], ResultT]], tasks: Iterable[TaskT], workers: int
) -> Generator[ResultT, None, None]:
    """Work on tasks with several threads; this one reads them.

    Closing the generator ends the threads. Where none can start, this one does the work.

    Args:
        prepare: called once in each thread. It returns the function that turns a task into its
            result; that function gets its tasks in order.
        tasks: read only a few ahead of the results, so they may never end.
        workers: number of threads.

    Yields:
        the results, in the order of the tasks.

    Raises:
        Exception: any error of `tasks`, `prepare` or the work, in whichever thread it occurs.
    """
    waiting = SimpleQueue[Any]()  # tasks, each with a queue for its answer
    answers: deque[SimpleQueue[tuple[Any, BaseException | None]]] = deque()

    def work_on_tasks() -> None:
        work = None
        while (taken := waiting.get()) is not None:
            task, answer = taken
            try:
                work = work or prepare()
                answer.put((work(task), None))
            except BaseException as error:
                answer.put((None, error))

    def next_result() -> ResultT:
        result: ResultT
        result, error = answers.popleft().get()
        if error is not None:
            raise error
        return result

    threads = [Thread(target=work_on_tasks, daemon=True) for _ in range(workers)]
    with suppress(RuntimeError):
        for thread in threads:
            thread.start()
    if threads[0].ident is None:
        yield from map(prepare(), tasks)
        return
    try:
        for task in tasks:
            answers.append(SimpleQueue())
            waiting.put((task, answers[-1]))
            while answers and (len(answers) > _AHEAD * workers or not answers[0].empty()):
                yield next_result()
        while answers:
            yield next_result()
    finally:
        with suppress(Empty):
            while True:
                waiting.get_nowait()
        for _ in threads:
            waiting.put(None)
