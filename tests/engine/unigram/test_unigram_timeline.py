"""The timeline of a Unigram training goes both ways; a jump shows the same as single steps."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import TimelineError
from engine.core.events import finished
from engine.unigram.frame import UnigramFrame, UnigramTimeline
from engine.unigram.record import EmStep, PruneStep, Seeded
from engine.unigram.trainer import Event, UnigramTrainer

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
TEXT = (SAMPLES / "tinystories_valid.txt").read_text(encoding="utf-8")[:30_000]
COUNTS = Counter("▁" + word for word in TEXT.split())
TYPED = ["▁happily", "▁unknown日", "there"]

Shown = tuple[list[str], list[float], list[float], float, list[list[str]]]


def shown(frame: UnigramFrame) -> Shown:
    """Return all numbers of a frame as plain values."""
    return (
        frame.texts,
        frame.scores.tolist(),
        frame.expected_counts.tolist(),
        frame.loss,
        [frame.segment(text) for text in TYPED],
    )


@cache
def run() -> tuple[UnigramTrainer, list[Event], list[Shown]]:
    """A training, with the frames of a screen that followed it live."""
    trainer = UnigramTrainer(COUNTS, 300)
    events: list[Event] = []
    seen: list[Shown] = []
    for event in trainer.steps():
        events.append(event)
        if isinstance(event, Seeded):
            live = UnigramTimeline(event.record)
            seen.append(shown(live.frame))
        elif isinstance(event, EmStep | PruneStep):
            live.extend([event])
            seen.append(shown(live.forward()))
    return trainer, events, seen


def timeline() -> UnigramTimeline:
    trainer, events, _ = run()
    return UnigramTimeline(trainer.record, events)


PLACES = st.deferred(lambda: st.integers(0, len(timeline())))


@given(st.lists(PLACES, max_size=6))
def test_seeking_shows_the_same_as_following_the_training(places: list[int]) -> None:
    played = timeline()
    for place in places:
        assert shown(played.seek(place)) == run()[2][place]


def test_a_prune_keeps_three_quarters_and_the_last_one_the_size_asked_for() -> None:
    prunes = [step for step in run()[0].record.steps if isinstance(step, PruneStep)]
    sizes = [(step.size_before, step.size_after) for step in prunes]
    # 330 is 1.1 × 300, and `<unk>` is one of the 300.
    by_loss = [(1369, 1026), (1024, 768), (768, 576), (576, 432), (432, 330)]
    assert sizes == [*by_loss, (330, 299)]
    small = [event for event in UnigramTrainer({"ab": 3}, 4).steps() if hasattr(event, "removed")]
    assert [type(step) for step in small] == [EmStep, EmStep]  # there are three pieces


def test_a_prune_uses_the_loss_increases_of_the_frame_before() -> None:
    played = timeline()
    for place in range(len(played)):
        step = played.seek(place).leads_on
        if isinstance(step, PruneStep):
            found = finished(played.frame.removals())
            numbers = [piece.number for piece in step.removed]
            assert played.frame.leaving == set(numbers)
            told = [piece.loss_increase for piece in step.removed]
            assert found.loss_increases[numbers].tolist() == told


@pytest.mark.parametrize("place", [-1, 1000])
def test_a_place_that_is_not_recorded_is_an_error(place: int) -> None:
    played = timeline()
    with pytest.raises(TimelineError, match="there is no"):
        played.seek(place)
    record = run()[0].record
    for read in (record.scores_at, record.size_at, record.expected_at, record.loss_at):
        with pytest.raises(TimelineError, match="there is no"):
            read(place)
