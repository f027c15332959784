"""The work counters of a trainer: declared, never falling, and true on small examples."""

from __future__ import annotations

import oracles
import pytest
from generated import examples
from hypothesis import given

from engine import Trainer
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.work_counts import COUNTERS, WorkCounts, WorkLog

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
    "linked": (
        {"pairs_scanned": 4, "places_checked": 2, "refreshes": 1},
        {"pairs_scanned": 7, "places_checked": 7, "refreshes": 2},
    ),
}


@pytest.mark.parametrize("algorithm", WORK)
def test_the_work_of_one_merge_of_abab_and_of_a_few_merges(algorithm: str) -> None:
    """Of the second corpus: (b, c) claims 5 until `ab` has taken 3 of them."""
    few = {b"abc": 3, b"bc": 2, b"ab": 9}
    assert work_of({b"abc": 1}, "linked").refreshes == 2  # at first, and at the end
    works = work_of({b"abab": 2}, algorithm, merges=1), work_of(few, algorithm)
    done = [{name: number for name, number in vars(work).items() if number} for work in works]
    assert done == list(WORK[algorithm])
