"""The pool of helper threads: results in order, errors unchanged, no thread left."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from time import monotonic, sleep
from typing import Any
from unittest.mock import Mock, patch

import psutil
import pytest

from engine import CorpusError
from engine.core import systems
from engine.core.helper_pool import in_order

divide_100 = partial(partial, divmod, 100)
"""Returns the function from a task to `divmod(100, task)`."""


def until(condition: Callable[[], bool]) -> None:
    end = monotonic() + 60
    while not condition():
        assert monotonic() < end
        sleep(0.001)


@pytest.mark.parametrize("workers", [1, 3])
def test_results_come_in_the_order_of_the_tasks(workers: int) -> None:
    results = in_order(divide_100, range(1, 200), workers)
    assert list(results) == [divmod(100, task) for task in range(1, 200)]
    assert list(in_order(divide_100, [], workers)) == []


@pytest.mark.parametrize(
    ("prepare", "task", "error"),
    [
        (divide_100, 0, ZeroDivisionError),
        (partial(int, "no number"), 1, ValueError),
        (partial(partial, open), "/no/such/file", FileNotFoundError),
    ],
)
def test_an_error_reaches_the_caller_as_it_is(prepare: Any, task: Any, error: Any) -> None:
    with pytest.raises(error):
        list(in_order(prepare, [task], 1))


def test_an_error_of_the_tasks_iterator_reaches_the_caller() -> None:
    def tasks() -> Iterator[int]:
        yield 1
        raise CorpusError("cut short")

    with pytest.raises(CorpusError, match="cut short"):
        list(in_order(divide_100, tasks(), 1))


def test_tasks_are_read_a_little_ahead_only() -> None:
    read: list[int] = []

    def tasks() -> Iterator[int]:
        for task in count(1):
            read.append(task)
            yield task

    before = set(threading.enumerate())
    results = in_order(divide_100, tasks(), 3)
    assert list(islice(results, 50)) == [divmod(100, task) for task in range(1, 51)]
    assert len(read) <= 50 + 4 * 3 + 1  # four for each of three workers, and the next
    results.close()
    until(lambda: before.issuperset(threading.enumerate()))


def test_where_no_thread_can_start_this_one_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError))
    assert list(in_order(divide_100, [5, 3], 2)) == [(20, 0), (33, 1)]


@pytest.mark.parametrize("started", [1, 2])
def test_the_threads_that_can_start_do_all_the_work(
    monkeypatch: pytest.MonkeyPatch, started: int
) -> None:
    start = threading.Thread.start
    left = iter([start] * started)

    def start_a_few(thread: threading.Thread) -> None:
        next(left, Mock(side_effect=RuntimeError))(thread)

    monkeypatch.setattr(threading.Thread, "start", start_a_few)
    assert list(in_order(divide_100, [5, 3], 3)) == [(20, 0), (33, 1)]


# --- the system


def interrupted(wait: Callable[[], object]) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    try:
        systems.interrupt_soon(0.01)
        wait()
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.unix
def test_sizes_of_this_machine_and_process_are_those_that_psutil_finds() -> None:
    assert systems.memory_of_machine() == psutil.virtual_memory().total
    assert systems.available_cores() == len(psutil.Process().cpu_affinity())
    peak, now = systems.peak_memory(), psutil.Process().memory_info().rss
    assert peak is not None
    assert 0.9 * now <= peak < 8 * now
    assert systems.user_id(-1) == os.getuid()


@pytest.mark.unix
def test_what_a_system_lacks_has_a_substitute(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sched_getaffinity", "getuid", "sysconf_names"):
        monkeypatch.delattr(os, name)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    found = systems.available_cores(), systems.memory_of_machine(), systems.user_id(-1)
    assert found == (1, None, -1)
    monkeypatch.delattr(systems.signal, "setitimer")
    with pytest.raises(KeyboardInterrupt):
        interrupted(lambda: until(lambda: False))


@pytest.mark.unix
def test_signals_reach_the_loop_and_an_interrupt_comes_in_time() -> None:
    async def caught(has_handlers: bool) -> list[int]:
        loop, at_once, heard = asyncio.get_running_loop(), list[int](), list[int]()
        lacks = None if has_handlers else NotImplementedError
        with patch.object(
            loop, "add_signal_handler", Mock(wraps=loop.add_signal_handler, side_effect=lacks)
        ):
            systems.on_signal(signal.SIGUSR1, at_once.append, heard.append)
        signal.raise_signal(signal.SIGUSR1)
        assert (at_once, heard) == ([signal.SIGUSR1], [])
        await asyncio.sleep(0.01)
        return heard

    before = signal.getsignal(signal.SIGUSR1), signal.getsignal(signal.SIGALRM)
    try:
        assert [asyncio.run(caught(each)) for each in (True, False)] == [[signal.SIGUSR1]] * 2
        with pytest.raises(KeyboardInterrupt):
            interrupted(lambda: sleep(60))  # it ends a system call
    finally:
        signal.signal(signal.SIGUSR1, before[0])
        signal.signal(signal.SIGALRM, before[1])
