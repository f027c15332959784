"""At which steps of a run the winning pair was tied, for all steps at once.

A pair's count is constant over stretches of steps, from one change of it to the next. The top
count only falls; so the steps at which it has a certain value are one stretch, too. A pair is tied
for the top where the stretch of its count meets that of the top with the same value: two binary
searches for each entry of the log, and no walk through the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from engine.change_log import Ints

if TYPE_CHECKING:
    from engine.record import Record


class TieHistory(Sequence[int]):
    """The tied steps of a record; those recorded since are added when somebody asks."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._known = 0
        self._steps: Ints = np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        return int(self._steps[place])

    @property
    def steps(self) -> Ints:
        """Step numbers, from 1, of the merges whose pair shared its count with another."""
        known, recorded = self._known, len(self._record)
        if known < recorded:
            find = pairs_at_top if self._record.by_rule else pairs_as_frequent
            tied = np.flatnonzero(find(self._record, known, recorded) > 1)
            self._steps = np.append(self._steps, tied + known + 1)
            self._known = recorded
        return self._steps

    def is_tied(self, step: int) -> bool:
        """Whether the merge that led to a step was tied."""
        steps = self._steps if step <= self._known else self.steps
        place = int(np.searchsorted(steps, step))
        return place < len(steps) and int(steps[place]) == step

    def until(self, step: int) -> int:
        """How many of the first `step` merges were tied."""
        return int(np.searchsorted(self.steps, step, side="right"))

    def nearest(self, step: int, direction: int) -> int | None:
        """The nearest tied step after `step` (1) or before it (−1)."""
        if direction > 0:
            place = int(np.searchsorted(self.steps, step, side="right"))
        else:
            place = int(np.searchsorted(self.steps, step, side="left")) - 1
        return int(self.steps[place]) if 0 <= place < len(self.steps) else None


def pairs_at_top(record: Record, first: int, last: int) -> Ints:
    """How many pairs had the top count before each merge from number `first` to before `last`."""
    tops = np.array([record.count_of(index) for index in range(first, last)], dtype=np.int64)
    pairs, since, counts = record.counts.entries(first, last)
    # Counts only fall: a pair below the last top at the start is not at any top.
    hopeful = (since > first) | (counts >= tops[-1])
    pairs, since, counts = pairs[hopeful], since[hopeful] - first, counts[hopeful]
    order = np.argsort(pairs, kind="stable")
    pairs, since, counts = pairs[order], since[order], counts[order]
    until = np.append(since[1:], last - first)
    until[np.append(pairs[1:] != pairs[:-1], True)] = last - first
    # `tops` falls; its negative can be searched.
    begin = np.maximum(since, np.searchsorted(-tops, -counts, side="left"))
    end = np.minimum(until, np.searchsorted(-tops, -counts, side="right"))
    meets = begin < end
    tally = np.bincount(begin[meets], minlength=last - first + 1)
    tally -= np.bincount(end[meets], minlength=last - first + 1)
    return np.cumsum(tally)[: last - first]


def pairs_as_frequent(record: Record, first: int, last: int) -> Ints:
    """The same one merge at a time, for a fork, in which the merges' counts may rise."""
    return np.array(
        [
            np.count_nonzero(record.counts.at(index) == record.count_of(index))
            for index in range(first, last)
        ],
        dtype=np.int64,
    )
