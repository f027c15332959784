"""The columns of a WordPiece record agree with each of its steps.

The slow truth is the frames, which work out counts, scores and ties anew at every step.
"""

from collections import Counter

import numpy as np
import wordpiece_oracle as oracle
from hypothesis import given
from wordpiece_course import in_bytes, timeline_of

from engine.analysis.breakpoint_list import BreakpointList
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceStep
from engine.wordpiece.words import bare


def stops(line: str, timeline: WordPieceTimeline) -> list[int]:
    breakpoints = BreakpointList()
    breakpoints.add(line)
    assert breakpoints.examine(timeline, seconds=60) == len(timeline)
    return breakpoints.hits()


@given(corpus=oracle.corpora())
def test_the_series_of_the_charts_are_the_values_of_the_frames(corpus: dict[str, int]) -> None:
    timeline = timeline_of(in_bytes(corpus))
    steps = len(timeline)
    frames = [timeline.frame.at(step) for step in range(steps + 1)]
    statistics = timeline.statistics
    assert np.allclose(statistics.pieces_per_word(steps), [f.pieces_per_word for f in frames])
    merges = [timeline.record[index] for index in range(steps)]
    assert statistics.winning_counts(steps).tolist() == [merge.count for merge in merges]
    scores = [float(merge.score.value) for merge in merges]
    assert np.allclose(statistics.winning_scores(steps), scores)
    for step in (0, steps):
        lengths = Counter(
            len(bare(piece).decode())
            for piece in timeline.record.vocab[: timeline.record.first_id + step][5:]
        )
        counted = statistics.token_lengths(step).tolist()
        assert {n: found for n, found in enumerate(counted) if found} == lengths


def test_the_length_of_a_piece_is_that_of_its_text() -> None:
    timeline = timeline_of({"größe".encode(): 2})
    vocabulary = timeline.seek(len(timeline)).vocabulary
    pieces = {vocabulary.token(row).decode(): row for row in range(len(vocabulary))}
    assert [vocabulary.length_of(pieces[piece]) for piece in ("größe", "##ß", "g")] == [5, 1, 1]


def merges_of(timeline: WordPieceTimeline) -> list[WordPieceStep]:
    return [timeline.record[index] for index in range(len(timeline))]


def test_counts_rise_and_fall_so_a_count_may_stop_twice() -> None:
    counts = {b"ab": 1, b"cdd": 9, b"ef": 1, b"xcd": 4}
    timeline = timeline_of(counts)
    counted = [merge.count for merge in merges_of(timeline)]
    falls = [k + 1 for k, n in enumerate(counted) if n < 3 and (k == 0 or counted[k - 1] >= 3)]
    assert stops("count<3", timeline) == falls


@given(corpus=oracle.corpora())
def test_pieces_are_sorted_by_the_score_at_which_they_merged(corpus: dict[str, int]) -> None:
    timeline = timeline_of(in_bytes(corpus))
    frame = timeline.seek(len(timeline) // 2)
    order = frame.vocabulary.rows(key=frame.vocabulary.score_order, reverse=True).tolist()
    made, others = order[: frame.step], order[frame.step :]
    scores = [float(frame.merge_at(piece_id - frame.first_id).score.value) for piece_id in made]
    assert scores == sorted(scores, reverse=True)
    assert others == list(range(frame.first_id))
