"""A stand-in for Dask that does each task at once, in this process."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any
from unittest import mock

ADDRESS = "tcp://here:8786"


def result_of(given: Any) -> Any:
    """Return an argument of a task, with results in place of its futures."""
    if isinstance(given, list):
        return [*map(result_of, given)]
    return given.result() if isinstance(given, Future) else given


def submit(function: Callable[..., Any], *given: Any, pure: bool, **options: Any) -> Any:
    """Do a task, and send what it returns."""
    future: Any = Future()
    future.key = id(future)
    try:
        found = function(*map(result_of, given), **options)
        future.set_result(pickle.loads(pickle.dumps(found)))
    except Exception as error:
        future.set_exception(error)
    return future


def submit_all(function: Callable[..., Any], tasks: list[Any], **options: Any) -> list[Any]:
    return [submit(function, task, **options) for task in tasks]


def as_completed(futures: list[Any], **_: object) -> Iterator[tuple[Any, Any]]:
    """Yield futures with their results or errors; the last one is done first."""
    return ((each, each.exception() or each.result()) for each in reversed(futures))


@contextmanager
def here() -> Iterator[Any]:
    """Have this stand-in imported as Dask: two workers, which have three threads together."""
    dask = mock.MagicMock(as_completed=as_completed)
    for made in (dask.Client.return_value, dask.LocalCluster.return_value):
        made.__exit__.return_value = None
    dask.client = dask.Client.return_value.__enter__.return_value
    dask.client.configure_mock(submit=submit, map=submit_all, gather=result_of)
    dask.client.nthreads.return_value = {"tcp://here:1": 2, "tcp://here:2": 1}
    dask.client.run = lambda function: {"tcp://here:1": function()}
    with mock.patch.dict(sys.modules, dask=dask, distributed=dask):
        yield dask
