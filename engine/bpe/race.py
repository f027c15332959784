"""The race: several trainers on the same corpus find the same merges with different work.

They run one after the other, so that none waits for another's memory. Time is the processor time
of their thread, without the preparation of the common task. A trainer that exceeds its budget is
stopped; its results until then remain.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from time import monotonic, thread_time
from typing import Any

import numpy as np

from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import Trainer
from engine.bpe.trainers import TRAINERS, algorithm_for
from engine.bpe.trainers.algorithm import Algorithm
from engine.bpe.trainers.work_counts import WorkLog
from engine.core.arrays import Floats
from engine.core.events import Pair
from engine.encoding.alphabet import DEFAULT_UNITS, UNITS

SLICE_SECONDS = 0.02
SAMPLE_SEED = 0
RACERS = tuple(name for name, algorithm in TRAINERS.items() if algorithm.counters)
"""Trainers that count their work; `native` does the work of `fast`."""


class RunnerState(Enum):
    """The progress of a runner; the value describes it."""

    WAITING = "waits for its turn"
    RUNNING = "runs"
    FINISHED = "has finished"
    OUT_OF_TIME = "was stopped: its time was up"


class Runner:
    """One trainer in a race.

    Attributes:
        algorithm: the algorithm that it runs.
        pairs: the pairs that it has merged, in order.
        work: its counters after each step.
    """

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self.pairs: list[Pair] = []
        self.work = WorkLog(algorithm.counters)
        self.state = RunnerState.WAITING
        self._seconds = array("d")

    def __len__(self) -> int:
        """Return the number of merges made."""
        return len(self._seconds)

    def seconds_until(self, steps: int) -> Floats:
        """Return the processor time by each of steps 1 … `steps`, with the preparation."""
        return np.frombuffer(self._seconds[:steps], dtype=np.float64)

    def run(self, trainer: Trainer, budget: float | None) -> Iterator[None]:
        """Make the merges; yield after every slice of time."""
        self.state = RunnerState.RUNNING
        steps = trainer.steps()
        spent, due = 0.0, monotonic() + SLICE_SECONDS
        while True:
            started = thread_time()
            step = next(steps, None)
            spent += thread_time() - started
            if step is None:
                self.state = RunnerState.FINISHED
                return
            self.pairs.append(step.pair)
            self.work.append(trainer.work)
            self._seconds.append(spent)
            if budget is not None and spent > budget:
                self.state = RunnerState.OUT_OF_TIME
                return
            if monotonic() >= due:
                yield
                due = monotonic() + SLICE_SECONDS


@dataclass(frozen=True)
class RaceSettings:
    """The settings of a race, equal for all runners; see `Trainer`.

    `budget` is the time limit of each runner, in seconds.
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    tie_rule: str = "lexicographic"
    min_count: int = 1
    max_token_length: int | None = None
    units: str = DEFAULT_UNITS
    budget: float | None = None


class Race:
    """A race of trainers, by their names; those that cannot train with the settings are absent.

    >>> race = Race({b"abab": 2}, RaceSettings(258), ("naive", "fast"))
    >>> for _ in race.slices(): pass
    >>> [(runner.algorithm.name, len(runner)) for runner in race.runners], race.first_difference
    ([('naive', 2), ('fast', 2)], None)

    Attributes:
        runners: in the order in which they start.
        absent: the names of trainers that cannot follow the tie rule or merge only bytes.
        of_bytes: whether merges start from bytes.
    """

    def __init__(
        self, counts: Mapping[bytes, int], settings: RaceSettings, trainers: Sequence[str] = RACERS
    ) -> None:
        rule = TIE_RULES[settings.tie_rule]
        self._counts, self._settings = counts, settings
        units = UNITS[settings.units]
        alphabet, self.of_bytes = units.base({}).alphabet, units.spells_all
        self.absent = [
            name for name in trainers if algorithm_for(name, rule, alphabet).name != name
        ]
        self.runners = [Runner(TRAINERS[name]) for name in trainers if name not in self.absent]

    def slices(self) -> Iterator[None]:
        """Run the race; yield after every slice of time. Stop pulling to stop it."""
        options: dict[str, Any] = {**vars(self._settings)}
        budget = options.pop("budget")
        for runner in self.runners:
            options["trainer"] = runner.algorithm.name
            yield from runner.run(Trainer(self._counts, **options), budget)

    @property
    def steps(self) -> int:
        """The largest number of merges of any runner."""
        return max(map(len, self.runners), default=0)

    @property
    def first_difference(self) -> int | None:
        """The index of the first merge that differs between two runners; `None` if none does."""
        ends = [runner.pairs for runner in self.runners]
        longest = max(ends, key=len, default=[])
        differ = (
            index
            for pairs in ends
            if pairs != longest[: len(pairs)]
            for index, pair in enumerate(pairs)
            if pair != longest[index]
        )
        return min(differ, default=None)


def bearable_part(counts: Mapping[bytes, int], most: int) -> float:
    """Return the largest part 1, 1/2, 1/4, … with at most `most` bytes of distinct pretokens.

    >>> bearable_part({b"low": 4, b"lower": 2}, 8), bearable_part({b"low": 4, b"lower": 2}, 4)
    (1.0, 0.25)
    """
    part = 1.0
    while sum(map(len, sample(counts, part) if part < 1 else counts)) > most:
        part /= 2
    return part


def sample(counts: Mapping[bytes, int], part: float) -> dict[bytes, int]:
    """Draw a part of the occurrences at random, with a fixed seed; the order is kept.

    >>> sample({b"low": 4, b"er": 4}, 0.5), sample({b"low": 4}, 1.0)
    ({b'low': 2, b'er': 1}, {b'low': 4})
    """
    numbers = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    drawn = np.random.default_rng(SAMPLE_SEED).binomial(numbers, part).tolist()
    return {pretoken: count for pretoken, count in zip(counts, drawn, strict=True) if count}
