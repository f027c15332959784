"""Work in slices: a screen that trains a model must get a turn at least every 50 ms.

Whatever takes long is a generator that yields a `Progress` now and then and returns its result:
pull as long as there is time, stop pulling to stop. `finished` is for callers who can wait.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")


@dataclass(frozen=True)
class Progress:
    """How far the work at hand is: what is being done, and `done` parts of `total`."""

    doing: str
    done: int
    total: int


Work = Generator[Progress, None, Result]
"""Work that can be interrupted after every `Progress`, and returns its result."""


def finished(work: Work[Result]) -> Result:
    """The result of the work, all slices of it done now.

    >>> def count_to(number):
    ...     for done in range(number):
    ...         yield Progress("counting", done, number)
    ...     return number
    >>> finished(count_to(3))
    3
    """
    while True:
        try:
            next(work)
        except StopIteration as stop:
            result: Result = stop.value
            return result
