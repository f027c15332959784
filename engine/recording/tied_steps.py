"""At which steps of a run the winning pair was tied: to be asked about any of them, at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from engine.core.arrays import Ints

BLOCK = 512
"""Steps looked at together."""


class Recorded(Protocol):
    """What has so many steps by now."""

    def __len__(self) -> int: ...


class TiedSteps(Sequence[int]):
    """The tied steps of a record, in order; those recorded since are added when somebody asks.

    A subclass says how many pairs shared the top.
    """

    def __init__(self, record: Recorded) -> None:
        self._recorded = record
        self._known = 0
        self._steps: Ints = np.zeros(0, dtype=np.int64)

    @abstractmethod
    def pairs_at_top(self, start: int, stop: int) -> Ints:
        """How many pairs shared the top before each of the merges `start` … `stop` − 1."""

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        return int(self._steps[place])

    @property
    def steps(self) -> Ints:
        """Step numbers, from 1, of the merges whose pair shared the top with another."""
        while self._known < len(self._recorded):
            stop = min(self._known + BLOCK, len(self._recorded))
            tied = np.flatnonzero(self.pairs_at_top(self._known, stop) > 1)
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
