"""The pool of helper processes: results in order, errors unchanged, no process left."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count, islice, takewhile

import psutil
import pytest

from engine import CorpusError
from engine.core.errors import HelperWarning
from engine.core.helper_pool import in_order

divide_100 = partial(partial, divmod, 100)
"""Returns the function from a task to `divmod(100, task)`."""


@pytest.mark.parametrize("helpers", [1, 3])
def test_results_come_in_the_order_of_the_tasks(helpers: int) -> None:
    results = in_order(divide_100, range(1, 200), helpers, doing="testing")
    assert list(results) == [divmod(100, task) for task in range(1, 200)]


def test_without_tasks_there_are_no_results() -> None:
    assert list(in_order(divide_100, [], 1, doing="testing")) == []


def test_an_error_of_the_work_reaches_the_caller_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        list(in_order(divide_100, [5, 0, 5], 1, doing="testing"))


def test_an_error_while_a_helper_prepares_reaches_the_caller_as_it_is() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_order(partial(int, "no number"), [1], 1, doing="testing"))


def test_an_error_of_the_system_is_no_death_of_a_helper() -> None:
    with pytest.raises(FileNotFoundError):
        list(in_order(partial(partial, open), ["/no/such/file"], 1, doing="testing"))


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

    results = in_order(divide_100, tasks(), 2, doing="testing")
    assert list(islice(results, 50)) == [divmod(100, task) for task in range(1, 51)]
    assert len(read) < 100
    results.close()


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
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (8, limits[1]))
    try:
        with pytest.warns(HelperWarning, match="could not be started"):
            assert list(in_order(divide_100, [5, 3], 2, doing="testing")) == [(20, 0), (33, 1)]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_work_that_cannot_be_sent_to_a_helper_is_an_error() -> None:
    with pytest.raises((AttributeError, TypeError)):
        list(in_order(lambda: str, [1], 1, doing="testing"))
