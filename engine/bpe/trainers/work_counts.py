"""The work of training algorithms, counted: a few counters, and their log step by step.

All algorithms find the same merges, but their work differs by orders of magnitude. Each adds to
the counters in its task's `WorkCounts`, never inside a loop over tokens: it adds the length of
the list it has gone through, a few additions for each step. A `WorkLog` stores the counters step
by step.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from engine.core.arrays import Ints
from engine.core.registry import Registry, registry_of
from engine.core.slow_modules import np


class WorkCounts:
    """The work of an algorithm so far; `COUNTERS` explains the numbers."""

    pairs_scanned: int = 0
    pretokens_visited: int = 0
    tokens_read: int = 0
    places_checked: int = 0
    heap_pushes: int = 0
    heap_pops: int = 0
    stale_entries: int = 0
    bucket_moves: int = 0


class WorkCounter(NamedTuple):
    """One of the numbers of `WorkCounts`.

    `adds_up` is false for a number that describes work counted elsewhere: a stale entry was popped.
    """

    name: str
    label: str
    meaning: str
    adds_up: bool = True


COUNTERS: Registry[str, WorkCounter] = registry_of(
    "counter",
    WorkCounter("pairs_scanned", "pairs scanned", "pairs looked at to find the best"),
    WorkCounter("pretokens_visited", "pretokens visited", "pretokens gone through", adds_up=False),
    WorkCounter("tokens_read", "tokens read", "tokens of these pretokens, each time"),
    WorkCounter("places_checked", "places checked", "places noted for a pair, looked up"),
    WorkCounter("heap_pushes", "heap pushes", "entries put into the heap"),
    WorkCounter("heap_pops", "heap pops", "entries taken out of the heap"),
    WorkCounter("stale_entries", "stale entries", "of those, out of date", adds_up=False),
    WorkCounter("bucket_moves", "bucket moves", "pairs put into a lower bucket"),
)


class WorkLog:
    """The totals of some counters after each step, in a column each.

    >>> work, log = WorkCounts(), WorkLog(("heap_pops", "stale_entries"))
    >>> for stale in (0, 2):
    ...     work.heap_pops += 1 + stale
    ...     work.stale_entries += stale
    ...     log.append(work)
    >>> log.total("heap_pops", 2), log.at_step("heap_pops", 2), log.operations(2).tolist()
    (4, 3, [1, 4])
    """

    def __init__(self, counters: Sequence[str]) -> None:
        self.counters = tuple(counters)
        self._columns = {name: array("q") for name in self.counters}
        self._length = 0

    def __len__(self) -> int:
        """Return the number of logged steps."""
        return self._length

    def append(self, work: WorkCounts) -> None:
        """Log the totals at the end of one more step."""
        for name, column in self._columns.items():
            column.append(getattr(work, name))
        self._length += 1

    def total(self, counter: str, step: int) -> int:
        """Return the count for the first `step` steps and the preparation."""
        return self._columns[counter][step - 1] if step else 0

    def at_step(self, counter: str, step: int) -> int:
        """Return the count for step `step` alone; step 1 includes the preparation."""
        return self.total(counter, step) - self.total(counter, step - 1) if step else 0

    def operations(self, steps: int) -> Ints:
        """Return the sum of the counters that add up, after each of the first `steps` steps."""
        summed = np.zeros(steps, dtype=np.int64)
        for name, column in self._columns.items():
            if COUNTERS[name].adds_up:
                summed += np.frombuffer(column[:steps], dtype=np.int64)
        return summed
