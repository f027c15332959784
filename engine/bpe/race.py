"""The race: several trainers on the same corpus. They find the same merges with different work.

They run one after the other, each on its own, so that none waits for another's memory. Time is
processor time of the thread that runs them, without the building of what all are given alike.
A trainer that takes longer than the budget is stopped where it is; what it did until then stands.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from time import monotonic, thread_time

import numpy as np

from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import Trainer
from engine.bpe.trainers import TRAINERS, algorithm_for
from engine.bpe.trainers.algorithm import Algorithm, WorkLog
from engine.core.arrays import Floats, Ints
from engine.core.events import Pair
from engine.encoding.alphabet import DEFAULT_UNITS, UNITS

SLICE_SECONDS = 0.02
PARTS = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
SAMPLE_SEED = 0
RACERS = tuple(name for name, algorithm in TRAINERS.items() if algorithm.counters)
"""Those that count their work; `native` does that of `fast`."""


class RunnerState(Enum):
    """How far a runner is; the value says it in words."""

    WAITING = "waits for its turn"
    RUNNING = "runs"
    FINISHED = "has finished"
    OUT_OF_TIME = "was stopped: its time was up"


class Runner:
    """One trainer in a race.

    Attributes:
        algorithm: what it runs.
        pairs: the pairs that it merged, in order.
        work: its counters after each step.
    """

    def __init__(self, algorithm: Algorithm) -> None:
        self.algorithm = algorithm
        self.pairs: list[Pair] = []
        self.work = WorkLog(algorithm.counters)
        self.state = RunnerState.WAITING
        self._seconds = array("d")

    def __len__(self) -> int:
        """How many merges it has made."""
        return len(self._seconds)

    def seconds_at(self, step: int) -> float:
        """Processor time for the first `step` merges and for getting ready."""
        return self._seconds[step - 1] if step else 0.0

    def seconds_until(self, steps: int) -> Floats:
        """`seconds_at` of steps 1 … `steps`."""
        return np.frombuffer(self._seconds[:steps], dtype=np.float64)

    def run(self, trainer: Trainer, budget: float | None) -> Iterator[None]:
        """Make the merges; yields after every slice of time."""
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
    """What is to be trained, the same for all runners; as in `Trainer`.

    `budget` are the seconds that each may take.
    """

    vocab_size: int
    special_tokens: Sequence[str] = ()
    tie_rule: str = "lexicographic"
    min_count: int = 1
    max_token_length: int | None = None
    units: str = DEFAULT_UNITS
    budget: float | None = None

    def trainer(self, counts: Mapping[bytes, int], algorithm: str) -> Trainer:
        return Trainer(
            *(counts, self.vocab_size, self.special_tokens),
            tie_rule=self.tie_rule,
            algorithm=algorithm,
            min_count=self.min_count,
            max_token_length=self.max_token_length,
            units=self.units,
        )


class Race:
    """A race of `trainers`, by their names; those that cannot do what is asked stay away.

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
        self, counts: Mapping[bytes, int], course: RaceSettings, trainers: Sequence[str] = RACERS
    ) -> None:
        rule = TIE_RULES[course.tie_rule]
        self._counts, self._course = counts, course
        units = UNITS[course.units]
        alphabet, self.of_bytes = units.base({}).alphabet, units.spells_all
        self.absent = [
            name for name in trainers if algorithm_for(name, rule, alphabet).name != name
        ]
        self.runners = [Runner(TRAINERS[name]) for name in trainers if name not in self.absent]

    def slices(self) -> Iterator[None]:
        """Run it; yields after every slice of time. Stop pulling to stop it."""
        for runner in self.runners:
            trainer = self._course.trainer(self._counts, runner.algorithm.name)
            yield from runner.run(trainer, self._course.budget)

    @property
    def steps(self) -> int:
        """The merges of whoever has come farthest."""
        return max(map(len, self.runners), default=0)

    @property
    def first_difference(self) -> int | None:
        """The index of the first merge in which two runners differ, as far as they have come."""
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


@dataclass(frozen=True)
class SizePoint:
    """The race on a part of the corpus, of so many bytes."""

    size: int
    race: Race


@dataclass
class SizeRace:
    """A race on growing parts of the corpus: how the cost grows with its size.

    A part is drawn at random: each occurrence of a pretoken is in it with the same probability.
    So it has fewer distinct pretokens than the whole, but more than its share, as a shorter text
    has.
    """

    counts: Mapping[bytes, int]
    course: RaceSettings
    trainers: Sequence[str] = RACERS
    points: list[SizePoint] = field(default_factory=list)

    def slices(self) -> Iterator[None]:
        """Run it, from the smallest part; yields after every slice of time."""
        for part in PARTS:
            counts = sample(self.counts, part)
            size = sum(len(pretoken) * count for pretoken, count in counts.items())
            race = Race(counts, self.course, self.trainers)
            yield from race.slices()
            if size and all(point.size < size for point in self.points):
                self.points.append(SizePoint(size, race))

    def operations_of(self, trainer: str) -> tuple[Ints, Ints]:
        """(sizes, operations in all) of a trainer, where it finished."""
        runs = list(self._finished(trainer))
        operations = [int(runner.work.operations(len(runner))[-1]) for _, runner in runs]
        return _ints([size for size, _ in runs]), _ints(operations)

    def seconds_of(self, trainer: str) -> tuple[Ints, Floats]:
        """(sizes, seconds in all) of a trainer, where it finished."""
        runs = list(self._finished(trainer))
        seconds = [runner.seconds_at(len(runner)) for _, runner in runs]
        return _ints([size for size, _ in runs]), np.array(seconds, dtype=np.float64)

    def _finished(self, trainer: str) -> Iterator[tuple[int, Runner]]:
        for point in self.points:
            for runner in point.race.runners:
                is_it = runner.algorithm.name == trainer
                if is_it and len(runner) and runner.state is RunnerState.FINISHED:
                    yield point.size, runner


def bearable_part(counts: Mapping[bytes, int], most: int) -> float:
    """The largest 1/2, 1/4, … of the corpus whose distinct pretokens have at most so many bytes.

    >>> bearable_part({b"low": 4, b"lower": 2}, 8), bearable_part({b"low": 4, b"lower": 2}, 4)
    (1.0, 0.25)
    """
    part = 1.0
    while sum(map(len, sample(counts, part) if part < 1 else counts)) > most:
        part /= 2
    return part


def _ints(numbers: Sequence[int]) -> Ints:
    return np.array(numbers, dtype=np.int64)


def sample(counts: Mapping[bytes, int], part: float) -> dict[bytes, int]:
    """A part of the occurrences, drawn at random and the same each time, in the same order.

    >>> sample({b"low": 4, b"er": 4}, 0.5), sample({b"low": 4}, 1.0)
    ({b'low': 2, b'er': 1}, {b'low': 4})
    """
    numbers = np.fromiter(counts.values(), dtype=np.int64, count=len(counts))
    drawn = np.random.default_rng(SAMPLE_SEED).binomial(numbers, part).tolist()
    return {pretoken: count for pretoken, count in zip(counts, drawn, strict=True) if count}
