"""A log of counters that can be read as it was at any step.

For each step the log stores which counters were set and their values. The state at step k is the
start plus the entries of the first k steps; of several entries for one counter the last one wins.
numpy applies them in one assignment. When the entries since the last checkpoint outnumber the
counters, the whole state is stored as a new checkpoint. So checkpoints take no more memory than the
log, and no read replays more entries than there are counters.

One thread may append while others read steps that they know to be complete: arrays are replaced by
longer copies, never resized in place. Reading may store a checkpoint, behind a lock.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import repeat
from threading import Lock
from typing import Any, Literal

from engine.core.arrays import Integers, Ints
from engine.core.slow_modules import np

IntegerType = Literal["i", "q"]
"""Type codes of `array` and numpy for integers of 32 and 64 bits."""


class _Locked:
    """Something with a lock of its own, which stays in this process if it is pickled."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())


class GrowingArray(_Locked):
    """A growing array of integers: extend it at the end, view any finished part.

    Values that come as `array` are stored as they are until the first view, so writing needs no
    numpy.
    """

    def __init__(self, integers: IntegerType) -> None:
        self._lock = Lock()
        self._integers = integers
        self._data: Integers | None = None
        self._length = 0  # number of values in `_data`
        self._waiting: list[array[int]] = []
        self._waiting_length = 0

    def __len__(self) -> int:
        with self._lock:  # a reader's view may be moving waiting values
            return self._length + self._waiting_length

    def extend(self, values: Sequence[int] | Integers) -> int:
        """Add values at the end, and return the length then."""
        with self._lock:
            if isinstance(values, array):
                self._waiting.append(values)
                self._waiting_length += len(values)
            else:
                self._take_in()
                self._add(values)
            return self._length + self._waiting_length

    def view(self, start: int, stop: int) -> Integers:
        if self._waiting or self._data is None:
            with self._lock:
                self._take_in()
        assert self._data is not None
        return self._data[start:stop]

    def _take_in(self) -> None:
        """Copy the waiting arrays into `_data`."""
        if self._data is None:
            self._data = np.empty(0, dtype=self._integers)
        for values in self._waiting:
            self._add(values)
        self._waiting, self._waiting_length = [], 0

    def _add(self, values: Sequence[int] | Integers) -> None:
        assert self._data is not None
        needed = self._length + len(values)
        if needed > len(self._data):
            grown = np.empty(max(needed, 2 * len(self._data)), dtype=self._data.dtype)
            grown[: self._length] = self._data[: self._length]
            self._data = grown
        self._data[self._length : needed] = values
        self._length = needed

    @property
    def nbytes(self) -> int:
        """Memory of the values, in bytes."""
        return len(self) * array(self._integers).itemsize


class ChangeLog(_Locked):
    """Counters numbered from 0 and their values after each step, stored as `integers`.

    Attributes:
        first: the number of the first state.

    >>> log = ChangeLog([5, 3])
    >>> log.append([0, 2], [1, 4], width=3)
    >>> log.at(0).tolist(), log.at(1).tolist()
    ([5, 3], [1, 3, 4])
    """

    def __init__(
        self, start: Sequence[int] | Integers, integers: IntegerType = "q", first: int = 0
    ) -> None:
        self._lock = Lock()
        self.integers, self.first = integers, first
        self._ends = array("q", (0,))  # step after the first → end of its entries
        self._widths = array("q", (len(start),))  # step after the first → number of counters then
        self._counters = GrowingArray("i")
        self._values = GrowingArray(integers)
        self._checkpoint_steps = [0]
        self._checkpoints: list[Integers | array[int]] = [array(integers, start)]

    def append(
        self, counters: Sequence[int] | Integers, values: Sequence[int] | Integers, width: int
    ) -> None:
        """Append a step that sets some counters; `width` is the number of counters after it."""
        end = self._counters.extend(counters)
        self._values.extend(values)
        self._widths.append(width)
        self._ends.append(end)

    def append_many(
        self, counters: array[int], values: array[int], ends: array[int], widths: array[int]
    ) -> None:
        """Append several steps at once.

        Args:
            counters, values: the entries of all steps.
            ends: the end of each step's entries in the whole log.
            widths: the number of counters after each step.

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
        """Append steps that set no counter."""
        self._widths.extend(repeat(width, steps))
        self._ends.extend(repeat(len(self._counters), steps))

    def changes(self, step: int) -> tuple[Integers, Integers]:
        """Return the counters that step number `step` (from `first`) set, and their new values."""
        step = self._place(step, len(self._ends) - 2)
        start, end = self._ends[step], self._ends[step + 1]
        return self._counters.view(start, end), self._values.view(start, end)

    def differences(self, step: int) -> list[tuple[int, int, int]]:
        """List the changes of step number `step`: (counter, before, after); a new counter was 0.

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
        """Return the entries of the steps from state `start` to `stop`: counters, states, values.

        A value holds from its state on; step number k sets values from state k + 1 on.
        """
        ends = np.array(self._ends[start - self.first : stop - self.first + 1], dtype=np.int64)
        since = np.repeat(np.arange(start + 1, stop + 1), np.diff(ends))
        first, end = int(ends[0]), int(ends[-1])
        return self._counters.view(first, end), since, self._values.view(first, end)

    def history(self, counter: int, until: int, since: int | None = None) -> tuple[Ints, Integers]:
        """Return the states, up to `until`, at which a counter was set, and its values there.

        With `since`, only the states after that one.

        >>> log = ChangeLog([5, 3])
        >>> log.append([0, 2], [1, 4], width=3)
        >>> states, values = log.history(0, until=1)
        >>> states.tolist(), values.tolist()
        ([0, 1], [5, 1])
        >>> log.history(0, until=1, since=1)[0].tolist()
        []
        """
        start, after = self._checkpoints[0], 0 if since is None else since - self.first
        until = self._place(until, len(self._ends) - 1)
        ends = np.array(self._ends[after : until + 1], dtype=np.int64)
        first = int(ends[0])
        places = np.flatnonzero(self._counters.view(first, int(ends[-1])) == counter) + first
        states = np.searchsorted(ends, places, side="right") + after + self.first
        values = self._values.view(0, int(ends[-1]))[places]
        if not after and counter < len(start):
            states, values = np.insert(states, 0, self.first), np.insert(values, 0, start[counter])
        return states, values

    def at(self, step: int) -> Integers:
        """Return all counters after the first `step` steps, in a new array."""
        step = self._place(step, len(self._ends) - 1)
        with self._lock:
            index = bisect_right(self._checkpoint_steps, step) - 1
            base_step, base = self._checkpoint_steps[index], self._checkpoints[index]
        start, end = self._ends[base_step], self._ends[step]
        state = np.zeros(self._widths[step], dtype=self.integers)
        state[: len(base)] = base
        # If a counter occurs twice, numpy keeps the later value, as a replay must. Small integers
        # as places would be converted one by one, which takes a third of the time.
        state[self._counters.view(start, end).astype(np.intp)] = self._values.view(start, end)
        if end - start > len(state):
            with self._lock:
                index = bisect_right(self._checkpoint_steps, step)
                self._checkpoint_steps.insert(index, step)
                self._checkpoints.insert(index, state.copy())
        return state

    def _place(self, step: int, last: int) -> int:
        first, last = self.first, self.first + last
        if not first <= step <= last:
            raise IndexError(f"step {step} is not among those from {first} to {last}")
        return step - first

    @property
    def last(self) -> int:
        """The number of the last state."""
        return self.first + len(self._ends) - 1

    @property
    def nbytes(self) -> int:
        """Memory of the entries without checkpoints, in bytes."""
        entries = self._counters.nbytes + self._values.nbytes
        return entries + 8 * (len(self._ends) + len(self._widths))
