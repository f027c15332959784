"""How much an algorithm does to find its merges, counted in the things it works with.

All algorithms find the same merges; what they look at on the way differs by orders of magnitude.
Each adds to the counters of its problem's `Work`, always, but never inside a loop over tokens: it
adds the length of what it has gone through, a few additions a step. Whoever wants the counters
step by step keeps a `WorkLog` beside the record.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.core.arrays import Ints
from engine.core.registry import Registry, registry_of


@dataclass(slots=True)
class Work:
    """What an algorithm has done so far; `COUNTERS` says what each number counts."""

    pairs_scanned: int = 0
    pretokens_visited: int = 0
    tokens_read: int = 0
    places_checked: int = 0
    heap_pushes: int = 0
    heap_pops: int = 0
    stale_entries: int = 0
    bucket_moves: int = 0
    refreshes: int = 0


@dataclass(frozen=True)
class Counter:
    """One of the numbers of `Work`.

    `adds_up` tells the single things done from numbers that say more about things counted already:
    a stale entry has been popped, a refresh is a scan.
    """

    name: str
    label: str
    meaning: str
    adds_up: bool = True


COUNTERS: Registry[Counter] = registry_of(
    "counter",
    Counter("pairs_scanned", "pairs scanned", "pairs looked at to find the best"),
    Counter("pretokens_visited", "pretokens visited", "pretokens gone through", adds_up=False),
    Counter("tokens_read", "tokens read", "tokens of these pretokens, each time"),
    Counter("places_checked", "places checked", "places noted for a pair, looked up"),
    Counter("heap_pushes", "heap pushes", "entries put into the heap"),
    Counter("heap_pops", "heap pops", "entries taken out of the heap"),
    Counter("stale_entries", "stale entries", "of those, out of date", adds_up=False),
    Counter("bucket_moves", "bucket moves", "pairs put into a lower bucket"),
    Counter("refreshes", "refreshes", "times the active set was made", adds_up=False),
)


class WorkLog:
    """The totals of some counters after each step; a column each.

    >>> work, log = Work(), WorkLog(("heap_pops", "stale_entries"))
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
        """How many steps are logged."""
        return self._length

    def append(self, work: Work) -> None:
        """Write down what has been done by the end of one more step."""
        for name, column in self._columns.items():
            column.append(getattr(work, name))
        self._length += 1

    def total(self, counter: str, step: int) -> int:
        """What was counted in the first `step` steps, and before them to get ready."""
        return self._columns[counter][step - 1] if step else 0

    def at_step(self, counter: str, step: int) -> int:
        """What step `step` alone took; the first has the getting ready with it."""
        return self.total(counter, step) - self.total(counter, step - 1) if step else 0

    def operations(self, steps: int) -> Ints:
        """The sum of the counters that add up, after each of the first `steps` steps."""
        summed = np.zeros(steps, dtype=np.int64)
        for name, column in self._columns.items():
            if COUNTERS[name].adds_up:
                summed += np.frombuffer(column[:steps], dtype=np.int64)
        return summed
