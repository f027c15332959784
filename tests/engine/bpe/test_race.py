"""Races: the same merges with different work, in slices, within a budget."""

from unittest.mock import patch

import oracles
import pytest
from generated import examples
from hypothesis import given

from engine import Trainer
from engine.bpe import race as race_module
from engine.bpe.race import RACERS, Race, RaceSettings, RunnerState, bearable_part, sample
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.work_counts import COUNTERS, WorkCounts, WorkLog

COUNTS = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3, b"lowlow": 1}
COURSE = RaceSettings(290)


def finished(race: Race) -> Race:
    for _ in race.slices():
        pass
    return race


class TestARace:
    def test_is_run_by_every_trainer_to_the_same_merges(self) -> None:
        race = finished(Race(COUNTS, COURSE))
        assert [runner.algorithm.name for runner in race.runners] == list(RACERS)
        alone = Trainer(COUNTS, 290)
        pairs = [step.pair for step in alone.steps()]
        assert all(runner.pairs == pairs for runner in race.runners)
        assert all(runner.state is RunnerState.FINISHED for runner in race.runners)
        assert (race.first_difference, race.steps) == (None, len(pairs))

    def test_has_the_counters_of_each_step(self) -> None:
        race = finished(Race(COUNTS, COURSE, ["naive", "heap"]))
        naive, heap = race.runners
        alone = Trainer(COUNTS, 290, algorithm="naive")
        list(alone.steps())
        assert naive.work.total("pairs_scanned", len(naive)) == alone.work.pairs_scanned
        assert heap.work.total("heap_pops", 1) == 1
        assert len(heap.work) == len(heap)

    def test_has_times_that_never_decrease(self) -> None:
        [runner] = finished(Race(COUNTS, COURSE, ["fast"])).runners
        times = runner.seconds_until(len(runner)).tolist()
        assert times == sorted(times)
        assert runner.seconds_until(3).tolist() == times[:3]

    def test_finds_the_first_merge_that_differs(self) -> None:
        race = finished(Race(COUNTS, COURSE, ["heap", "fast", "naive"]))
        race.runners[1].pairs[2] = (0, 0)
        assert race.first_difference == 2

    def test_stops_a_runner_whose_time_is_up(self) -> None:
        race = finished(Race(COUNTS, RaceSettings(290, budget=0.0), ["naive"]))
        assert (race.runners[0].state, len(race.runners[0])) == (RunnerState.OUT_OF_TIME, 1)

    def test_stops_when_its_slices_are_not_pulled(self) -> None:
        race = Race(COUNTS, COURSE)
        with patch.object(race_module, "SLICE_SECONDS", 0.0):
            next(race.slices())
        first, *others = race.runners
        assert (first.state, len(first)) == (RunnerState.RUNNING, 1)
        for seconds, slices in ((9.0, 0), (-1.0, race.steps)):
            with patch.object(race_module, "SLICE_SECONDS", seconds):
                assert len(list(Race(COUNTS, RaceSettings(257), ["heap"]).slices())) == slices
        assert all(runner.state is RunnerState.WAITING for runner in others)

    def test_is_run_only_by_trainers_that_can_follow_the_tie_rule(self) -> None:
        race = Race(COUNTS, RaceSettings(290, tie_rule="first-seen"), ["fast", "heap", "naive"])
        assert race.absent == ["fast"]
        assert finished(race).first_difference is None

    def test_of_nothing_has_no_steps(self) -> None:
        race = finished(Race({}, COURSE))
        assert (race.steps, race.first_difference) == (0, None)


def test_a_part_is_halved_until_its_pretokens_are_few_enough() -> None:
    counts = {b"low": 4, b"lower": 2}
    assert [bearable_part(counts, most) for most in (8, 7)] == [1.0, 0.25]


def test_a_sample_draws_every_occurrence_alike() -> None:
    counts = {bytes([byte]): 1000 for byte in range(256)}
    some = sample(counts, 0.25)
    assert list(some) == list(counts)
    assert abs(sum(some.values()) / 256_000 - 0.25) < 0.01
    assert sample(counts, 0.25) == some


every_trainer = pytest.mark.parametrize("algorithm", TRAINERS)


def work_of(counts: dict[bytes, int], algorithm: str, merges: int = 99) -> WorkCounts:
    trainer = Trainer(counts, 256 + merges, algorithm=algorithm)
    list(trainer.steps())
    return trainer.work


def test_every_counter_is_explained() -> None:
    assert list(WorkCounts.__annotations__) == list(COUNTERS)


@every_trainer
@examples(20)
@given(counts=oracles.corpora(max_pretokens=10, max_length=20))
def test_only_declared_counters_rise_and_none_falls(
    algorithm: str, counts: dict[bytes, int]
) -> None:
    trainer = Trainer(counts, 300, algorithm=algorithm)
    log = WorkLog(trainer.algorithm.counters)
    for _ in trainer.steps():
        log.append(trainer.work)
    # The counters of the algorithm that runs: without the kernel, `fast` replaces `native`.
    done = {name for name, number in vars(trainer.work).items() if number}
    assert done <= set(trainer.algorithm.counters)
    for counter in log.counters:
        assert all(log.at_step(counter, step) >= 0 for step in range(len(log) + 1))
        steps = sum(log.at_step(counter, step) for step in range(1, len(log) + 1))
        assert steps == log.total(counter, len(log))
    adding = [counter for counter in log.counters if COUNTERS[counter].adds_up]
    assert log.operations(len(log)).tolist() == [
        sum(log.total(counter, step) for counter in adding) for step in range(1, len(log) + 1)
    ]


WORK = {
    # Counted at first, read to merge, counted again: all tokens, three times.
    "naive": (
        {"pairs_scanned": 2, "pretokens_visited": 1, "tokens_read": 4 + 4 + 2},
        {"pairs_scanned": 5, "pretokens_visited": 9, "tokens_read": 35},
    ),
    "indexed": (
        {"pairs_scanned": 2, "pretokens_visited": 1, "tokens_read": 4},
        {"pairs_scanned": 5, "pretokens_visited": 5, "tokens_read": 10},
    ),
    # A stale entry is one more pop, and a push if the pair still occurs.
    "heap": (
        {"heap_pushes": 3, "heap_pops": 1, "pretokens_visited": 1, "tokens_read": 4},
        {"heap_pushes": 4, "heap_pops": 3 + 1, "stale_entries": 1}
        | {"pretokens_visited": 5, "tokens_read": 10},
    ),
    "fast": (
        {"pairs_scanned": 3, "places_checked": 2},
        {"pairs_scanned": 9, "places_checked": 5, "bucket_moves": 1},
    ),
}


@pytest.mark.parametrize("algorithm", WORK)
def test_the_work_of_one_merge_of_abab_and_of_a_few_merges(algorithm: str) -> None:
    """Of the second corpus: (b, c) claims 5 until `ab` has taken 3 of them."""
    few = {b"abc": 3, b"bc": 2, b"ab": 9}
    works = work_of({b"abab": 2}, algorithm, merges=1), work_of(few, algorithm)
    done = [{name: number for name, number in vars(work).items() if number} for work in works]
    assert done == list(WORK[algorithm])
