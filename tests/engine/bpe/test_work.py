"""The work counters of a trainer: declared, never falling, and true on small examples."""

from __future__ import annotations

from typing import ClassVar

import oracles
import pytest
from generated import examples
from hypothesis import given

from engine import Trainer
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.algorithm import COUNTERS, WorkCounts, WorkLog

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
def test_a_trainer_adds_exactly_to_the_counters_it_declares(
    algorithm: str, counts: dict[bytes, int]
) -> None:
    trainer = Trainer(counts, 256 + 99, algorithm=algorithm)
    list(trainer.steps())
    done = {name for name, number in vars(trainer.work).items() if number}
    # The counters of the algorithm that runs: without the kernel, `fast` replaces `native`.
    assert done <= set(trainer.algorithm.counters)


@every_trainer
@examples(20)
@given(counts=oracles.corpora(max_pretokens=10, max_length=20))
def test_counters_only_rise(algorithm: str, counts: dict[bytes, int]) -> None:
    trainer = Trainer(counts, 300, algorithm=algorithm)
    log = WorkLog(trainer.algorithm.counters)
    for _ in trainer.steps():
        log.append(trainer.work)
    for counter in log.counters:
        assert all(log.at_step(counter, step) >= 0 for step in range(len(log) + 1))
        steps = sum(log.at_step(counter, step) for step in range(1, len(log) + 1))
        assert steps == log.total(counter, len(log))
    adding = [counter for counter in log.counters if COUNTERS[counter].adds_up]
    assert log.operations(len(log)).tolist() == [
        sum(log.total(counter, step) for counter in adding) for step in range(1, len(log) + 1)
    ]


class TestOneMergeOfAbab:
    """`abab` twice: the pairs (a, b) and (b, a); four tokens, then two."""

    counts: ClassVar = {b"abab": 2}

    def test_costs_naive_three_readings_of_all_tokens(self) -> None:
        # Counted at first, read to merge, counted again.
        work = work_of(self.counts, "naive", merges=1)
        assert (work.pairs_scanned, work.pretokens_visited, work.tokens_read) == (2, 1, 4 + 4 + 2)

    def test_costs_indexed_one_reading_of_the_pretoken(self) -> None:
        work = work_of(self.counts, "indexed", merges=1)
        assert (work.pairs_scanned, work.pretokens_visited, work.tokens_read) == (2, 1, 4)

    def test_costs_heap_two_entries_at_first_one_pop_and_one_new_entry(self) -> None:
        work = work_of(self.counts, "heap", merges=1)
        assert (work.heap_pushes, work.heap_pops, work.stale_entries) == (3, 1, 0)

    def test_costs_fast_a_look_at_the_two_places(self) -> None:
        assert work_of(self.counts, "fast", merges=1).places_checked == 2

    def test_costs_linked_one_refresh_and_the_two_places(self) -> None:
        work = work_of(self.counts, "linked", merges=1)
        assert (work.refreshes, work.places_checked) == (1, 2)


def test_a_stale_entry_is_one_more_pop_and_push() -> None:
    # (b, c) claims 5 until `ab` has taken 3 of them.
    work = work_of({b"abc": 3, b"bc": 2, b"ab": 9}, "heap")
    assert work.stale_entries == 1
    assert work.heap_pops == 3 + 1
