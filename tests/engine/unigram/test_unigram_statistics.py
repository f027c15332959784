"""The series of a Unigram training, compared with sums over its frames."""

from __future__ import annotations

import numpy as np
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine.unigram.frame import UnigramTimeline
from engine.unigram.trainer import UnigramTrainer

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=6), st.integers(1, 9), min_size=1)


def recorded(words: dict[str, int]) -> UnigramTimeline:
    trainer = UnigramTrainer(words, 8)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


@examples(25)
@given(WORDS)
def test_a_series_agrees_with_the_frame_at_each_step(words: dict[str, int]) -> None:
    timeline = recorded(words)
    statistics, last = timeline.run.statistics, len(timeline)
    frames = [timeline.seek(step) for step in range(last + 1)]
    assert statistics.losses(last).tolist() == [frame.loss for frame in frames]
    assert statistics.sizes(last).tolist() == [frame.size for frame in frames]
    assert statistics.fertility(last) == pytest.approx(
        [frame.expected_counts.sum() / sum(words.values()) for frame in frames]
    )
    for frame in frames:
        lengths = np.bincount([len(text) for text in frame.texts])
        assert statistics.token_lengths(frame.step).tolist() == lengths.tolist()


def test_a_series_may_be_asked_for_in_any_order() -> None:
    statistics = recorded({"abc": 3, "ab": 5, "bc": 2, "cab": 4}).run.statistics
    whole = statistics.fertility(2).tolist()
    assert statistics.fertility(0).tolist() == whole[:1]
    assert statistics.fertility(1).tolist() == whole[:2]
    assert recorded({}).run.statistics.token_lengths(0).tolist() == [0]


def test_pretokens_are_ranked_by_their_counts() -> None:
    statistics = recorded({"abc": 3, "ab": 5, "bc": 2}).run.statistics
    assert statistics.pretoken_counts.tolist() == [5, 3, 2]
    assert statistics.commonest_pretoken == "ab"
