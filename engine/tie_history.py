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


BLOCK = 512
"""Steps looked at together. Few pairs come near the top within a block: only those are sorted."""


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
        if self._record.given:
            return self._steps  # merges that nobody chose were never tied
        find = pairs_at_top if self._record.by_rule else pairs_as_frequent
        while self._known < len(self._record):
            stop = min(self._known + BLOCK, len(self._record))
            tied = np.flatnonzero(find(self._record, self._known, stop) > 1)
            self._steps = np.append(self._steps, tied + self._known + 1)
            self._known = stop
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


def pairs_at_top(record: Record, start: int, stop: int) -> Ints:
    """How many pairs had the top count before each of the merges `start` … `stop` − 1."""
    tops = record.counts_until(stop)[start:]
    pairs, since, counts = _counts_that_matter(record, start, stop, int(tops[-1]))
    order = np.argsort(pairs, kind="stable")
    pairs, since, counts = pairs[order], since[order], counts[order]
    until = np.append(since[1:], stop)
    until[np.append(pairs[1:] != pairs[:-1], True)] = stop
    # `tops` falls; its negative can be searched.
    first = np.maximum(since, start + np.searchsorted(-tops, -counts, side="left"))
    end = np.minimum(until, start + np.searchsorted(-tops, -counts, side="right"))
    meets = first < end
    steps = stop - start
    tally = np.bincount(first[meets] - start, minlength=steps + 1)
    tally -= np.bincount(end[meets] - start, minlength=steps + 1)
    return np.cumsum(tally)[:steps]


def _counts_that_matter(
    record: Record, start: int, stop: int, lowest_top: int
) -> tuple[Ints, Ints, Ints]:
    """The counts from `start` on as pairs, steps and counts, without pairs too rare throughout."""
    state = record.counts.at(start)
    frequent = np.flatnonzero(state >= lowest_top)
    pairs, since, counts = record.counts.entries(start, stop)
    matters = np.zeros(int(max(pairs.max(initial=0), frequent.max(initial=0))) + 1, dtype=np.bool_)
    matters[frequent] = True
    matters[pairs[counts >= lowest_top]] = True
    kept = matters[pairs]
    return (
        np.append(frequent, pairs[kept]),
        np.append(np.full(len(frequent), start), since[kept]),
        np.append(state[frequent], counts[kept]).astype(np.int64),
    )


def pairs_as_frequent(record: Record, first: int, last: int) -> Ints:
    """The same one merge at a time, for a fork, in which the merges' counts may rise."""
    return np.array(
        [
            np.count_nonzero(record.counts.at(index) == record.count_of(index))
            for index in range(first, last)
        ],
        dtype=np.int64,
    )
