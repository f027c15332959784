"""Columns, filters, uses and series of pieces, compared with plain Python and with frames."""

from __future__ import annotations

import numpy as np
import pytest
from generated import examples
from hypothesis import example, given
from hypothesis import strategies as st

from engine.analysis.inspection import PIECE_FILTERS
from engine.core.events import finished
from engine.unigram.frame import UnigramFrame, UnigramTimeline, piece_occurrences
from engine.unigram.record import NEVER
from engine.unigram.trainer import UnigramTrainer

WORDS = st.dictionaries(st.text("aAb▁", min_size=1, max_size=7), st.integers(1, 9), min_size=1)
HUGS = {"▁hugs": 10, "▁hug": 9, "▁bugs": 6, "▁pun": 4, "▁puns": 3, "▁shrug": 2, "hug": 2}


def recorded(words: dict[str, int]) -> UnigramTimeline:
    trainer = UnigramTrainer(words, 14, ["<|x|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=words)


def frames(timeline: UnigramTimeline) -> list[UnigramFrame]:
    return [timeline.seek(step) for step in range(len(timeline) + 1)]


def kept(frame: UnigramFrame, name: str) -> set[str]:
    keeps = PIECE_FILTERS[name](frame)
    return {text for text, keep in zip(frame.texts, keeps, strict=True) if keep}


@examples(25)
@given(WORDS)
@example(HUGS)
def test_filters_keep_the_pieces_with_the_property(words: dict[str, int]) -> None:
    for frame in frames(recorded(words)):
        texts = frame.texts
        assert kept(frame, "characters") == {text for text in texts if len(text) == 1}
        following = frame.at(min(frame.step + 1, frame.recorded_steps))
        assert kept(frame, "leaving") == set(texts) - set(following.texts)
        seldom = {t for t, n in zip(texts, frame.expected_counts, strict=True) if n < 1}
        assert kept(frame, "seldom") == seldom


def test_a_removal_that_is_not_recorded_yet_is_unknown() -> None:
    timeline = recorded(HUGS)
    early = UnigramFrame(timeline.run, 0, 0)
    assert (early.goes_at == NEVER).all()


def test_the_uses_of_a_piece_are_the_words_whose_best_segmentation_has_it() -> None:
    for frame in frames(recorded(HUGS)):
        for number, text in zip(frame.numbers.tolist(), frame.texts, strict=True):
            found = [use for use in piece_occurrences(frame, number) if use is not None]
            assert {use.text: use.times for use in found} == {
                word: times for word, times in HUGS.items() if text in frame.segment(word)
            }


@examples(25)
@given(WORDS)
@example(HUGS)
def test_the_arithmetic_of_a_removal_gives_its_loss_increase(words: dict[str, int]) -> None:
    for frame in frames(recorded(words)):
        removals = finished(frame.removals())
        for number in frame.numbers.tolist():
            cost = removals.cost_of(number, sum(words.values()))
            increase = removals.loss_increases[number]
            if cost is None:
                assert increase == 0 or number < frame.record.characters
            else:
                assert cost.loss_increase == pytest.approx(increase)
                parts = [frame.record.texts[part] for part in cost.alternative]
                assert "".join(parts) == frame.record.texts[number]


# -- the series of a run


@examples(25)
@given(WORDS)
@example(HUGS)
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
