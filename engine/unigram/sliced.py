"""Work in slices: a screen that trains a model must get a turn at least every 50 ms.

Whatever takes long is a generator that yields a `WorkProgress` now and then and returns its result:
pull as long as there is time, stop pulling to stop. `finished` is for callers who can wait.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

from engine.core.events import WorkProgress

Result = TypeVar("Result")


Work = Generator[WorkProgress, None, Result]
"""Work that can be interrupted after every `WorkProgress`, and returns its result."""


def finished(work: Work[Result]) -> Result:
    """The result of the work, all slices of it done now.

    >>> def count_to(number):
    ...     for done in range(number):
    ...         yield WorkProgress("counting", done, number)
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
