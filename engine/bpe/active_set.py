"""The active set of the trainer `linked` at any step, rebuilt from the record of pair counts.

The trainer searches the best pair only among the *active* ones (see `engine.bpe.trainers.linked`).
Which pairs are active follows from the counts alone, whichever algorithm made the record. So no
trainer has to keep the set for a screen to show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.bpe.record import Record
from engine.bpe.trainers import linked
from engine.core.arrays import Integers
from engine.core.slow_modules import np


@dataclass(frozen=True, eq=False)
class ActiveSet:
    """The active set once the pair after `step` merges has been searched.

    Attributes:
        refreshed_at: the step at which the set was built the last time.
        least: the least count that was active then; 0 if there was no pair.
        counts: the true count of each pair now, by number.
        counts_then: the true count of each pair when the set was built.
    """

    refreshed_at: int
    least: int
    counts: Integers
    counts_then: Integers

    @cached_property
    def active_counts(self) -> Integers:
        """The count of each active pair, by number; 0 for any other pair."""
        active = self.counts.copy()
        active[: len(self.counts_then)][self.counts_then < self.least] = 0
        return active

    @cached_property
    def inactive_counts(self) -> Integers:
        """The count that the trainer last found for each inactive pair; 0 for any other pair.

        A pair outside the set is not counted again before the next refresh. So this count may be
        too high, and the pair may be gone.
        """
        return np.where(self.counts_then < self.least, self.counts_then, 0)

    @cached_property
    def active(self) -> int:
        """Number of active pairs."""
        return int(np.count_nonzero(self.active_counts))

    @cached_property
    def inactive(self) -> int:
        """Number of the other pairs that the trainer knows."""
        return int(np.count_nonzero(self.inactive_counts))


class ActiveSets:
    """The active sets of all steps of a record.

    The set is built at every hundredth step, and earlier when the highest count has fallen to one
    that was left out. So only the steps since the last hundredth one decide.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._thresholds: dict[int, tuple[int, int]] = {}  # step → (least, left out)

    def at(self, step: int) -> ActiveSet:
        """Return the set after the first `step` merges, when the next pair has been searched.

        At the last step of a run it is the set that a further merge would be searched in.
        """
        counts = self._record.counts.at(step)
        refreshed = step - step % linked.REFRESH_STEPS
        least, left_out = self._threshold(refreshed)
        for earlier in range(refreshed, step + 1):
            # The top count of the state; the next merge may not be recorded yet.
            top = (
                self._record.winning_counts[earlier]
                if earlier < step
                else int(counts.max(initial=0))
            )
            if top <= left_out:
                refreshed = earlier
                least, left_out = self._threshold(refreshed)
        return ActiveSet(refreshed, least, counts, self._record.counts.at(refreshed))

    def _threshold(self, step: int) -> tuple[int, int]:
        """Return the least active count and the highest one left out, if the set is built here."""
        if (known := self._thresholds.get(step)) is None:
            counts = self._record.counts.at(step)
            counts = counts[counts > 0]
            size = max(linked.LEAST_ACTIVE, len(counts) // linked.ACTIVE_SHARE)
            first = max(len(counts) - size, 0)  # of the active ones, if the counts are sorted
            least = int(np.partition(counts, first)[first]) if len(counts) else 0
            known = least, int(counts[counts < least].max(initial=0))
            self._thresholds[step] = known
        return known
