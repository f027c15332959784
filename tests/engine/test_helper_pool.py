"""The pool of helper processes: results in order, errors as they are, nothing left behind."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count, islice

import psutil
import pytest

from engine.core.errors import CorpusError, WorkerError
from engine.core.helper_pool import in_order

DIED = "a helper died"
divide_100 = partial(partial, divmod, 100)
"""Called, it gives the function from a task to `divmod(100, task)`."""


@pytest.mark.parametrize(("helpers", "works_too"), [(1, False), (1, True), (3, False), (3, True)])
def test_results_come_in_the_order_of_the_tasks(helpers: int, works_too: bool) -> None:
    results = in_order(divide_100, range(1, 200), helpers, died=DIED, works_too=works_too)
    assert list(results) == [divmod(100, task) for task in range(1, 200)]


def test_without_tasks_there_are_no_results() -> None:
    assert list(in_order(divide_100, [], 1, died=DIED)) == []


@pytest.mark.parametrize("works_too", [False, True])
def test_an_error_of_the_work_reaches_the_caller_as_it_is(works_too: bool) -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(divide_100, [5, 0, 5], 1, died=DIED, works_too=works_too))


def test_an_error_while_a_helper_prepares_reaches_the_caller_as_it_is() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_order(partial(int, "no number"), [1], 1, died=DIED, works_too=False))


def test_an_error_of_the_system_is_no_death_of_a_helper() -> None:
    with pytest.raises(FileNotFoundError):
        list(in_order(partial(partial, open), ["/no/such/file"], 1, died=DIED, works_too=False))


def test_an_error_of_whoever_gives_the_tasks_reaches_the_caller() -> None:
    def tasks() -> Iterator[int]:
        yield 1
        raise CorpusError("cut short")

    with pytest.raises(CorpusError, match="cut short"):
        list(in_order(divide_100, tasks(), 1, died=DIED))


def test_tasks_are_read_a_little_ahead_only() -> None:
    read: list[int] = []

    def tasks() -> Iterator[int]:
        for task in count(1):
            read.append(task)
            yield task

    results = in_order(divide_100, tasks(), 2, died=DIED)
    assert list(islice(results, 50)) == [divmod(100, task) for task in range(1, 51)]
    assert len(read) < 100
    results.close()


def test_a_helper_that_dies_is_an_error_and_none_is_left() -> None:
    before = set(psutil.Process().children())
    results = in_order(divide_100, count(1), 2, died=DIED, works_too=False)
    next(results)
    for helper in set(psutil.Process().children()) - before:
        helper.kill()
    with pytest.raises(WorkerError, match=DIED):
        list(results)
    assert set(psutil.Process().children()) == before


def test_work_that_no_helper_can_be_told_is_an_error() -> None:
    with pytest.raises((AttributeError, TypeError)):
        list(in_order(lambda: str, [1], 1, died=DIED, works_too=False))
