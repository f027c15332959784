"""The heap rebuilt from the record, compared with a real heap in the same training."""

from __future__ import annotations

import oracles
import pytest
from generated import diagonal_quick, examples
from heap_by_hand import replay
from hypothesis import given
from hypothesis import strategies as st

from engine import Trainer
from engine.bpe.heap_replay import HeapReplay
from engine.bpe.record import Record
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.core.events import Pair

MERGES = 40
every_rule = pytest.mark.parametrize("tie_rule", TIE_RULES)


def trained(corpus: dict[bytes, int], tie_rule: str, algorithm: str) -> Record:
    trainer = Trainer(corpus, 256 + MERGES, tie_rule=tie_rule, algorithm=algorithm)
    for _ in trainer.steps():
        pass
    return trainer.record


def claims(heap: HeapReplay, record: Record, step: int) -> dict[Pair, int]:
    claimed = heap.claims(step).tolist()
    return {pair: claim for pair, claim in zip(record.pairs, claimed, strict=False) if claim}


@pytest.mark.parametrize(("algorithm", "tie_rule"), diagonal_quick(TRAINERS, TIE_RULES))
@examples(40)
@given(corpus=oracles.corpora())
def test_claims_agree_with_a_heap_whichever_trainer_ran(
    algorithm: str, tie_rule: str, corpus: dict[bytes, int]
) -> None:
    record = trained(corpus, tie_rule, algorithm)
    heap = HeapReplay(record)
    for step, moment in enumerate(replay(corpus, tie_rule, MERGES)):
        assert claims(heap, record, step) == moment.claims


@every_rule
@examples(40)
@given(corpus=oracles.corpora(max_pretokens=9), data=st.data())
def test_any_step_may_be_requested_at_any_time(
    tie_rule: str, corpus: dict[bytes, int], data: st.DataObject
) -> None:
    moments = [moment.claims for moment in replay(corpus, tie_rule, MERGES)]
    trainer = Trainer(corpus, 256 + MERGES, tie_rule=tie_rule)
    record = trainer.record
    heap = HeapReplay(record)
    assert claims(heap, record, 0) == moments[0]
    for done, _ in enumerate(trainer.steps(), 1):
        if data.draw(st.booleans()):
            step = data.draw(st.integers(1, done))
            assert claims(heap, record, step) == moments[step]


def test_a_far_step_can_be_replayed_in_slices() -> None:
    counts = {bytes((97 + i % 26, 97 + i // 26)) * 2: i for i in range(1, 400)}
    record = trained(counts, "lexicographic", "fast")
    heap, parts = HeapReplay(record), []
    while (part := heap.replay(MERGES, seconds=0)) < 1:
        parts.append(part)
        heap.replay(MERGES, seconds=0.0001)
    assert parts == sorted(parts)
    assert claims(heap, record, MERGES) == claims(HeapReplay(record), record, MERGES)
