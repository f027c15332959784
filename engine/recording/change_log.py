"""A log of counters that can be read as it was at any step.

The log keeps, for each step, which counters were set to what. State at step k is the start plus
the first k steps' entries, the last entry for a counter winning; numpy does that in one assignment.
Now and then a whole state is kept (a checkpoint), where the entries since the last one outnumber
the counters: so checkpoints take no more room than the log itself, and no read replays more than
one copy's worth of entries.

One thread may append while others read steps they know to be complete: arrays are only ever
replaced by longer copies, never resized in place. Reading may keep a checkpoint, behind a lock.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import repeat
from threading import Lock
from typing import Literal

from engine.core.arrays import Integers, Ints, np

IntegerType = Literal["i", "q"]
"""Integers of 32 or 64 bits, as `array` and numpy call them."""


class GrowingArray:
    """A growing array of integers: extend it at the end, view any finished part.

    What comes in arrays is kept as it is until somebody looks, so that writing needs no numpy.
    """

    def __init__(self, integers: IntegerType) -> None:
        self._integers = integers
        self._data: Integers | None = None
        self._length = 0  # of what is in `_data`
        self._waiting: list[array[int]] = []
        self._waiting_length = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return self._length + self._waiting_length

    def extend(self, values: Sequence[int] | Integers) -> None:
        with self._lock:
            if isinstance(values, array):
                self._waiting.append(values)
                self._waiting_length += len(values)
            else:
                self._take_in()
                self._add(values)

    def view(self, start: int, stop: int) -> Integers:
        if self._waiting or self._data is None:
            with self._lock:
                self._take_in()
        assert self._data is not None
        return self._data[start:stop]

    def _take_in(self) -> None:
        """Add what has waited."""
        if self._data is None:
            self._data = np.empty(0, dtype=self._integers)
        for values in self._waiting:
            self._add(values)
        self._waiting, self._waiting_length = [], 0

    def _add(self, values: Sequence[int] | Integers) -> None:
        assert self._data is not None
        needed = self._length + len(values)
        if needed > len(self._data):
            grown = np.empty(max(needed, 2 * len(self._data), 256), dtype=self._data.dtype)
            grown[: self._length] = self._data[: self._length]
            self._data = grown
        self._data[self._length : needed] = values
        self._length = needed

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the values take."""
        return len(self) * array(self._integers).itemsize


class ChangeLog:
    """Counters numbered from 0 and their values after each step, kept as `integers`.

    >>> log = ChangeLog([5, 3])
    >>> log.append([0, 2], [1, 4], width=3)
    >>> log.at(0).tolist(), log.at(1).tolist()
    ([5, 3], [1, 3, 4])
    """

    def __init__(self, start: Sequence[int], integers: IntegerType = "q") -> None:
        self.integers = integers
        self._ends = array("q", (0,))  # step → where its entries end
        self._widths = array("q", (len(start),))  # step → how many counters there are then
        self._counters = GrowingArray("i")
        self._values = GrowingArray(integers)
        self._lock = Lock()
        self._checkpoint_steps = [0]
        self._checkpoints: list[Integers | array[int]] = [array(integers, start)]

    def append(
        self, counters: Sequence[int] | Integers, values: Sequence[int] | Integers, width: int
    ) -> None:
        """One step: these counters were set to these values; there are `width` counters now."""
        self._counters.extend(counters)
        self._values.extend(values)
        self._widths.append(width)
        self._ends.append(len(self._counters))

    def append_many(
        self, counters: array[int], values: array[int], ends: array[int], widths: array[int]
    ) -> None:
        """Several steps at once: what they set, where each one's part ends in the log, widths.

        >>> log = ChangeLog([5, 3])
        >>> log.append_many(*(array("q", part) for part in ([0, 2, 1], [1, 4, 0], [2, 3], [3, 3])))
        >>> log.at(1).tolist(), log.at(2).tolist()
        ([1, 3, 4], [1, 0, 4])
        """
        self._counters.extend(counters)
        self._values.extend(values)
        self._widths.extend(widths)
        self._ends.extend(ends)

    def append_unchanged(self, steps: int, width: int) -> None:
        """So many steps that set no counter."""
        self._widths.extend(repeat(width, steps))
        self._ends.extend(repeat(len(self._counters), steps))

    def changes(self, step: int) -> tuple[Integers, Integers]:
        """The counters that step number `step` (from 0) set, and the values it set them to."""
        self._check(step, len(self._ends) - 2)
        start, end = self._ends[step], self._ends[step + 1]
        return self._counters.view(start, end), self._values.view(start, end)

    def differences(self, step: int) -> list[tuple[int, int, int]]:
        """What step number `step` changed: (counter, before, after); a new counter was 0 before.

        >>> log = ChangeLog([5, 3])
        >>> log.append([0, 2], [1, 4], width=3)
        >>> log.differences(0)
        [(0, 5, 1), (2, 0, 4)]
        """
        counters, after = self.changes(step)
        state = self.at(step)
        before = np.zeros(len(counters), dtype=np.int64)
        known = counters < len(state)
        before[known] = state[counters[known]]
        return list(zip(counters.tolist(), before.tolist(), after.tolist(), strict=True))

    def entries(self, start: int, stop: int) -> tuple[Integers, Ints, Integers]:
        """What the steps after state `start`, up to state `stop`, set: counters, states, values.

        A value holds from its state on: what step number k set from state k + 1.
        """
        ends = np.array(self._ends[start : stop + 1], dtype=np.int64)
        since = np.repeat(np.arange(start + 1, stop + 1), np.diff(ends))
        first, end = int(ends[0]), int(ends[-1])
        return self._counters.view(first, end), since, self._values.view(first, end)

    def history(self, counter: int, until: int) -> tuple[Ints, Integers]:
        """The steps after which a counter had another value, up to `until`, and those values.

        >>> log = ChangeLog([5, 3])
        >>> log.append([0, 2], [1, 4], width=3)
        >>> states, values = log.history(0, until=1)
        >>> states.tolist(), values.tolist()
        ([0, 1], [5, 1])
        """
        self._check(until, len(self._ends) - 1)
        start = self._checkpoints[0]
        ends = np.array(self._ends[: until + 1], dtype=np.int64)
        places = np.flatnonzero(self._counters.view(0, int(ends[-1])) == counter)
        states = np.searchsorted(ends, places, side="right")
        values = self._values.view(0, int(ends[-1]))[places]
        if counter < len(start):
            states, values = np.insert(states, 0, 0), np.insert(values, 0, start[counter])
        return states, values

    def at(self, step: int) -> Integers:
        """All counters after the first `step` steps: an array of the caller's own."""
        self._check(step, len(self._ends) - 1)
        with self._lock:
            index = bisect_right(self._checkpoint_steps, step) - 1
            base_step, base = self._checkpoint_steps[index], self._checkpoints[index]
        state = self._replay(base, base_step, step)
        if self._ends[step] - self._ends[base_step] > max(len(state), 4096):
            self._keep(step, state.copy())
        return state

    def _keep(self, step: int, state: Integers) -> None:
        with self._lock:
            index = bisect_right(self._checkpoint_steps, step)
            self._checkpoint_steps.insert(index, step)
            self._checkpoints.insert(index, state)

    def _check(self, step: int, last: int) -> None:
        if not 0 <= step <= last:
            raise IndexError(f"step {step} is not among those from 0 to {last}")

    def _replay(self, base: Integers | array[int], base_step: int, step: int) -> Integers:
        start, end = self._ends[base_step], self._ends[step]
        state = np.zeros(self._widths[step], dtype=self.integers)
        state[: len(base)] = base
        # Where a counter comes up twice, numpy keeps the later value: just what a replay means.
        state[self._counters.view(start, end)] = self._values.view(start, end)
        return state

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the entries take, checkpoints left out."""
        entries = self._counters.nbytes + self._values.nbytes
        return entries + 8 * (len(self._ends) + len(self._widths))
