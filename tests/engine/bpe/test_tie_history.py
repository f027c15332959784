"""The tied steps, and the choice of each tie rule."""

from __future__ import annotations

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import Timeline, Trainer
from engine.bpe.run import TieHistory
from engine.bpe.ties import TIE_RULES

CORPORA = oracles.corpora(max_pretokens=12, max_length=8)


@given(counts=CORPORA)
def test_a_step_is_tied_if_its_merge_has_several_tied_pairs(counts: dict[bytes, int]) -> None:
    trainer = Trainer(counts, 300)
    tied = [step.index + 1 for step in trainer.steps() if len(step.tied) > 1]
    history = TieHistory(trainer.record)
    assert history.steps.tolist() == tied
    for step in range(len(trainer.record) + 1):
        assert history.until(step) == sum(t <= step for t in tied)
        assert history.nearest(step, 1) == next((t for t in tied if t > step), None)
        assert history.nearest(step, -1) == next((t for t in reversed(tied) if t < step), None)


def test_blocks_of_steps_make_one_history(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {bytes([97 + place % 5, 97 + place % 7, 97 + place % 3]): 3 for place in range(60)}
    trainer = Trainer(counts, 400)
    tied = [step.index + 1 for step in trainer.steps() if len(step.tied) > 1]
    for block in (1, 2, 7, 1000):
        monkeypatch.setattr("engine.recording.statistics.BLOCK", block)
        assert TieHistory(trainer.record).steps.tolist() == tied


@given(counts=CORPORA, pause=st.integers(1, 5))
def test_reading_in_between_gives_the_same_as_reading_at_the_end(
    counts: dict[bytes, int], pause: int
) -> None:
    trainer = Trainer(counts, 300)
    history = TieHistory(trainer.record)
    for step in trainer.steps():
        if step.index % pause == 0:
            assert history.is_tied(step.index + 1) == (len(step.tied) > 1)
    assert history.steps.tolist() == TieHistory(trainer.record).steps.tolist()


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@given(counts=CORPORA)
@examples(30)
def test_the_choice_of_a_rule_equals_the_next_merge_of_a_run_by_that_rule(
    tie_rule: str, counts: dict[bytes, int]
) -> None:
    run = Trainer(counts, 300, tie_rule=tie_rule)
    timeline = Timeline(counts, run.steps())
    for step in range(len(timeline)):
        frame = timeline.seek(step)
        assert frame.queue.choices[tie_rule] == timeline.record.pair_of(step)
        assert set(frame.queue.choices) == set(TIE_RULES)
