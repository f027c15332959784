"""At which steps of a run the winning pair was tied, for all steps at once.

A pair's count is constant over stretches of steps, from one change of it to the next. The top
count only falls; so the steps at which it has a certain value are one stretch, too. A pair is tied
for the top where the stretch of its count meets that of the top with the same value: two binary
searches for each entry of the log, and no walk through the steps. Few pairs come near the top
within a block of steps: only those are sorted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.core.arrays import Ints
from engine.recording.tied_steps import TiedSteps

if TYPE_CHECKING:
    from engine.bpe.record import Record


class TieHistory(TiedSteps):
    """The tied steps of a record of byte-pair encoding, tied for the top count."""

    def __init__(self, record: Record) -> None:
        super().__init__(record)
        self._record = record

    @property
    def steps(self) -> Ints:
        if self._record.given:
            return self._steps  # merges that nobody chose were never tied
        return super().steps

    def pairs_at_top(self, start: int, stop: int) -> Ints:
        find = pairs_at_top if self._record.by_rule else pairs_as_frequent
        return find(self._record, start, stop)


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
