"""The pool of helper processes: results in order, errors unchanged, no process left."""

from __future__ import annotations

import asyncio
import gc
import io
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice, takewhile
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, patch

import psutil
import pytest

from engine import CorpusError
from engine.core import helper_pool, systems
from engine.core.errors import HelperWarning
from engine.core.helper_pool import in_order

divide_100 = partial(partial, divmod, 100)
"""Returns the function from a task to `divmod(100, task)`."""


def until(condition: Callable[[], bool]) -> None:
    end = monotonic() + 5
    while not condition():
        assert monotonic() < end
        sleep(0.001)


@pytest.mark.parametrize("helpers", [1, 3])
def test_results_come_in_the_order_of_the_tasks(helpers: int) -> None:
    results = in_order(divide_100, range(1, 200), helpers, doing="testing")
    assert list(results) == [divmod(100, task) for task in range(1, 200)]
    assert list(in_order(divide_100, [], helpers, doing="testing")) == []


@pytest.mark.parametrize(
    ("prepare", "task", "error"),
    [
        (divide_100, 0, ZeroDivisionError),
        (partial(int, "no number"), 1, ValueError),
        (partial(partial, open), "/no/such/file", FileNotFoundError),  # no death of a helper
        (lambda: str, 1, pickle.PicklingError),  # it cannot be sent
    ],
)
def test_an_error_reaches_the_caller_as_it_is(prepare: Any, task: Any, error: Any) -> None:
    with pytest.raises(error):
        list(in_order(prepare, [task], 1, doing="testing"))


def test_an_error_of_the_tasks_iterator_reaches_the_caller() -> None:
    def tasks() -> Iterator[int]:
        yield 1
        raise CorpusError("cut short")

    with pytest.raises(CorpusError, match="cut short"):
        list(in_order(divide_100, tasks(), 1, doing="testing"))


def test_tasks_are_read_a_little_ahead_only() -> None:
    read: list[int] = []

    def tasks() -> Iterator[int]:
        for task in count(1):
            read.append(task)
            yield task

    before = set(threading.enumerate())
    results = in_order(divide_100, tasks(), 2, doing="testing", threads=True)
    assert list(islice(results, 50)) == [divmod(100, task) for task in range(1, 51)]
    # Four for each of three workers, and one that finds no room.
    until(lambda: len(read) == 50 + 4 * 3 + 1)
    sleep(0.01)
    assert len(read) == 63
    results.close()
    until(lambda: before.issuperset(threading.enumerate()))


def test_this_process_does_the_work_of_helpers_that_die_and_none_is_left() -> None:
    before = set(psutil.Process().children())
    results = in_order(divide_100, count(1), 2, doing="testing")
    found = [next(results)]
    for helper in set(psutil.Process().children()) - before:
        helper.kill()
    with pytest.warns(
        HelperWarning, match="died while testing; this process does its work"
    ) as caught:
        found += takewhile(lambda _: len(caught) < 2, results)
    results.close()
    assert found == [divmod(100, task) for task in range(1, len(found) + 1)]
    assert set(psutil.Process().children()) == before


def test_this_process_does_all_the_work_where_no_helper_can_start() -> None:
    resource = pytest.importorskip("resource")
    limits, files = resource.getrlimit(resource.RLIMIT_NOFILE), psutil.Process().num_fds()
    resource.setrlimit(resource.RLIMIT_NOFILE, (8, limits[1]))
    try:
        with pytest.warns(HelperWarning, match="could not be started"):
            assert list(in_order(divide_100, [5, 3], 2, doing="testing")) == [(20, 0), (33, 1)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert psutil.Process().num_fds() == files


def test_without_threads_this_process_works_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", Mock(side_effect=RuntimeError))
    assert list(in_order(divide_100, [5, 3], 2, doing="testing")) == [(20, 0), (33, 1)]


def test_a_helper_has_two_tasks_at_once_and_those_of_a_dead_one_are_lost() -> None:
    for answers, done, lost, error, sent in (
        ([(None, None), (None, 5)], {0: 5}, [[(1, 11), (2, 12)]], None, [10, 11, 12]),
        ([(None, None), (ZeroDivisionError(), None)], {}, [], ZeroDivisionError, [10, 11]),
        ([(KeyError(), None)], {}, [], KeyError, []),
    ):
        pool: Any = helper_pool._Pool(divide_100, (), 2, "testing")  # type: ignore[arg-type]
        pool._waiting.extend((place, 10 + place) for place in range(4))
        answered = io.BytesIO(b"".join(map(pickle.dumps, answers)))
        helper: Any = SimpleNamespace(stdin=io.BytesIO(), stdout=answered)
        pool._serve(helper)
        assert (pool._done, [*pool._lost]) == (done, lost)
        assert pool._error is None if error is None else type(pool._error) is error
        tasks = b"".join(pickle.dumps(task, 5) for task in sent)
        assert helper.stdin.getvalue() == pickle.dumps(divide_100, 5) + tasks
    # This process does what is lost; the error of a thread is kept.
    pool = helper_pool._Pool(divide_100, (), 2, "testing")  # type: ignore[arg-type]
    pool._lost.append([(0, 7), (1, 30)])
    pool._all_read, pool._read = True, 2
    with pytest.warns(HelperWarning, match="died while testing"):
        assert list(pool.results()) == [(14, 2), (3, 10)]
    pool._waiting.append((2, 0))
    pool._work()
    assert isinstance(pool._error, ZeroDivisionError)


# --- the other end


def run_helper(sent: list[object], answers: object) -> None:
    """Run the program of a helper in this process."""
    given = io.BytesIO(b"".join(map(pickle.dumps, sent)))
    streams = {"stdin": SimpleNamespace(buffer=given), "stdout": SimpleNamespace(buffer=answers)}
    quiet = patch.object(threading, "excepthook")  # a thread ends by an error with the input
    with patch.multiple(sys, **streams), patch.object(gc, "set_threshold") as collecting, quiet:
        helper_pool.main()
    collecting.assert_called_once_with(1 << 20)


def test_a_helper_finds_this_package_and_starts_no_threads_of_numpy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = Path(helper_pool.__file__).parents[2]
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if Path(each).resolve() != here])
    read_variable = pickle.dumps(partial(partial, os.getenv))
    answered, _ = helper_pool._start_helper().communicate(
        read_variable + pickle.dumps("OPENBLAS_NUM_THREADS")
    )
    assert pickle.loads(answered.removeprefix(pickle.dumps((None, None), 5))) == (None, "1")


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ([divide_100, 7, 30], [(None, None), (None, (14, 2)), (None, (3, 10))]),
        ([divide_100, 7, 0, 8], [(None, None), (None, (14, 2)), ("ZeroDivisionError", None)]),
        ([partial(int, "no number"), 7], [("ValueError", None)]),
        ([None], []),
        ([], []),
    ],
)
def test_a_helper_answers_each_task_until_the_first_error(
    sent: list[object], expected: list[object]
) -> None:
    made = io.BytesIO()
    run_helper(sent, made)
    made.seek(0)
    answers = [pickle.load(made) for _ in expected]
    assert [(error and type(error).__name__, result) for error, result in answers] == expected
    assert made.read() == b""


# --- the system


def interrupted() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may ignore it
    try:
        systems.interrupt_soon(0.01)
        sleep(1)
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
        interrupted()


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
            interrupted()
    finally:
        signal.signal(signal.SIGUSR1, before[0])
        signal.signal(signal.SIGALRM, before[1])
