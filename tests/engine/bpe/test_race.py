"""Races: the same merges with different work, in slices, within a budget."""

from __future__ import annotations

from unittest.mock import patch

from engine import Trainer
from engine.bpe import race as race_module
from engine.bpe.race import RACERS, Race, RaceSettings, RunnerState, bearable_part, sample

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
        race = Race(COUNTS, RaceSettings(290, tie_rule="first-seen"), ["fast", "linked", "naive"])
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
