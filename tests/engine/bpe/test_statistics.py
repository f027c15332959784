"""The series of the charts, compared with the same numbers computed frame by frame."""

from __future__ import annotations

from collections import Counter

import oracles
from generated import examples
from hypothesis import given

from engine import Timeline, Trainer

CORPORA = oracles.corpora(max_pretokens=12, max_length=8)


@given(counts=CORPORA)
@examples(50)
def test_a_series_equals_the_values_of_the_single_frames(counts: dict[bytes, int]) -> None:
    timeline = Timeline(counts, Trainer(counts, 300, ["<s>"]).steps())
    frames = [timeline.seek(step) for step in range(len(timeline) + 1)]
    series, steps = timeline.statistics, len(timeline)
    assert series.bytes_per_token(steps).tolist() == [frame.bytes_per_token for frame in frames]
    assert series.ties(steps).tolist() == [frame.tied_steps.until(frame.step) for frame in frames]
    merges = [frame.merge.count for frame in frames if frame.merge]
    assert series.winning_counts(steps).tolist() == merges


@given(counts=CORPORA)
@examples(50)
def test_token_lengths_count_the_tokens_learnt_by_the_step(counts: dict[bytes, int]) -> None:
    timeline = Timeline(counts, Trainer(counts, 300, ["<s>"]).steps())
    for step in reversed(range(len(timeline) + 1)):
        vocab = [bytes([byte]) for byte in range(256)]
        vocab += [timeline.record[index].token for index in range(step)]
        lengths = Counter(map(len, vocab))
        found = timeline.statistics.token_lengths(step).tolist()
        assert found == [lengths[length] for length in range(max(lengths) + 1)]


def test_a_series_can_be_read_while_the_record_grows() -> None:
    counts = {b"abcd": 3}
    trainer = Trainer(counts, 300)
    steps = trainer.steps()
    timeline = Timeline(counts, [next(steps)])
    one = timeline.statistics.winning_counts(1)
    timeline.extend(steps)
    assert one.tolist() == [3]
    assert timeline.statistics.winning_counts(3).tolist() == [3, 3, 3]
    ties = [timeline.statistics.ties(step).tolist() for step in (2, 3)]
    assert ties == [[0, 1, 2], [0, 1, 2, 2]]


def test_an_empty_corpus_is_not_compressed() -> None:
    series = Timeline({}).statistics
    assert series.bytes_per_token(0).tolist() == [1.0]
    assert series.pretoken_counts.tolist() == []
    assert series.commonest_pretoken is None
