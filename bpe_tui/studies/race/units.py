"""What the work of a trainer is measured in: operations, or processor time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bpe_tui.widgets.axes import Numbers
from bpe_tui.widgets.visible import number
from engine.bpe.race import Runner, SizeRace


@dataclass(frozen=True)
class Unit:
    """A measure of work.

    Attributes:
        until: what a runner had done after each of its first so many steps.
        by_size: what a trainer needed for parts of the corpus: (sizes, amounts).
        told: an amount in words.
    """

    name: str
    until: Callable[[Runner, int], Numbers]
    by_size: Callable[[SizeRace, str], tuple[Numbers, Numbers]]
    told: Callable[[float], str]

    def at(self, runner: Runner, step: int) -> float:
        """What a runner had done after `step` merges."""
        return float(self.until(runner, step)[-1]) if step else 0.0


def time_told(milliseconds: float) -> str:
    """A duration in three digits: 43.1 → '43.1 ms'; 2500.0 → '2.50 s'."""
    if milliseconds >= 999.5:
        return f"{milliseconds / 1000:.2f} s"
    digits = 0 if milliseconds >= 99.95 else 1 if milliseconds >= 9.995 else 2
    return f"{milliseconds:.{digits}f} ms"


LEAST_TIME = 1e-3
"""Logarithmic axes have no place for zero, and no clock tells less."""


def _times_of(sizes: SizeRace, trainer: str) -> tuple[Numbers, Numbers]:
    parts, seconds = sizes.seconds_of(trainer)
    return parts, seconds * 1000


OPERATIONS = Unit(
    "operations",
    lambda runner, steps: np.maximum(runner.work.operations(steps), 1),
    lambda sizes, trainer: sizes.operations_of(trainer),
    number,
)
TIME = Unit(
    "milliseconds",
    lambda runner, steps: np.maximum(runner.seconds_until(steps) * 1000, LEAST_TIME),
    _times_of,
    time_told,
)
UNITS = (OPERATIONS, TIME)
