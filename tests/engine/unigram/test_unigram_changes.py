"""The changes of a step, compared with the record and with plain segmentation."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.events import finished
from engine.text.excerpt import Excerpt
from engine.unigram import frame as frame_module
from engine.unigram.frame import (
    UnigramFrame,
    UnigramTimeline,
    changed_words,
    count_changes,
    m_step,
    piece_occurrences,
)
from engine.unigram.lattice import Lattice, UnigramEncoder
from engine.unigram.pieces import UNKNOWN, Edge, PieceColumns, joined, spelled_counts
from engine.unigram.record import EmStep, PruneStep
from engine.unigram.trainer import UnigramTrainer

WORDS = {"▁hugs": 10, "▁hug": 9, "▁bugs": 6, "▁pun": 4, "▁puns": 3, "▁shrug": 2, "hug": 2}


@pytest.fixture
def timeline() -> UnigramTimeline:
    trainer = UnigramTrainer(WORDS, 16)
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=WORDS, excerpt=Excerpt.of(b"hugs"))


def test_frames_look_alike_if_run_step_and_the_next_step_are_the_same(
    timeline: UnigramTimeline,
) -> None:
    frame, other = timeline.seek(1), UnigramTimeline(timeline.record, timeline.record.steps)
    others = [frame.at(1), frame.at(0), UnigramFrame(timeline.run, 1, 1), other.seek(1)]
    assert [frame.looks_like(each) for each in others] == [True, False, False, False]
    assert frame.excerpt.lines.text == "hugs"


def test_a_run_keeps_the_costs_of_removals_of_the_last_steps(
    timeline: UnigramTimeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "REMOVALS_KEPT", 2)
    for step in range(len(timeline) + 1):
        finished(timeline.seek(step).removals())
    assert list(timeline.run.known_removals) == [2, 3]


def test_the_search_for_a_piece_pauses_after_each_batch_of_words(
    timeline: UnigramTimeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frame_module, "BATCH", 2)
    pun = timeline.record.texts.index("▁pun")
    found = [use and use.text for use in piece_occurrences(timeline.frame, pun)]
    assert found == [None, None, "▁pun", None, None]  # places 0, 2, 3; ▁puns is a piece; 6


def test_counts_after_a_step_are_those_of_the_next_frame(timeline: UnigramTimeline) -> None:
    at_seed = count_changes(timeline.seek(0))
    assert at_seed.before.tolist() == at_seed.after.tolist() != []
    for step in range(1, len(timeline) + 1):
        frame = timeline.seek(step)
        changes = count_changes(frame)
        differences = np.abs(changes.after - changes.before)
        assert (np.diff(differences) <= 0).all()
        for number, before, after in zip(
            changes.numbers.tolist(), changes.before, changes.after, strict=True
        ):
            index = frame.index_of(number)
            assert after == (0 if index is None else frame.expected_counts[index])
            earlier = frame.at(step - 1)
            at = earlier.index_of(number)
            assert at is not None
            assert before == earlier.expected_counts[at]


def test_the_arithmetic_of_the_m_step_gives_the_score_of_the_record(
    timeline: UnigramTimeline,
) -> None:
    for step in range(1, len(timeline) + 1):
        frame = timeline.seek(step)
        for number, score in zip(frame.numbers.tolist(), frame.scores, strict=True):
            shown = m_step(frame, number)
            if isinstance(frame.came_by, EmStep):
                assert shown is not None
                assert shown.score == pytest.approx(score)
            else:
                assert shown is None
    gone = set(timeline.seek(0).numbers.tolist()) - set(frame.numbers.tolist())
    assert gone
    assert {(frame.index_of(number), m_step(frame, number)) for number in gone} == {(None, None)}


def test_changed_words_are_those_that_two_encoders_segment_differently(
    timeline: UnigramTimeline,
) -> None:
    for step in range(1, len(timeline) + 1):
        frame = timeline.seek(step)
        before, after = _encoder(frame.at(step - 1)), _encoder(frame)
        told = list(changed_words(frame))
        assert len(told) == len(WORDS)
        changed = {word.text for word in told if word is not None}
        assert changed == {word for word in WORDS if _cut(before, word) != _cut(after, word)}


def _encoder(frame: UnigramFrame) -> UnigramEncoder:
    return UnigramEncoder(frame.vocabulary)


def _cut(encoder: UnigramEncoder, text: str) -> list[str]:
    lattice = encoder.lattice(text)
    return lattice.spelled(lattice.best)


def test_numbered_pieces_give_the_same_lattice_as_the_encoder(timeline: UnigramTimeline) -> None:
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        for text in (*WORDS, "▁hügx"):
            by_number, by_id = frame.lattice(text), _encoder(frame).lattice(text)
            assert _edges(by_number) == _edges(by_id)
            assert frame.segment(text) == by_id.spelled(by_id.best)
            assert [edge.end for edge in frame.pieces_of(text)] == [
                edge.end for edge in by_id.best.edges
            ]


def _edges(lattice: Lattice) -> list[list[tuple[int, int, float]]]:
    return [[(edge.start, edge.end, edge.score) for edge in node] for node in lattice.arriving]


def test_a_character_that_the_corpus_lacks_is_unknown(timeline: UnigramTimeline) -> None:
    edges = timeline.seek(0).pieces_of("hü")
    assert [edge.piece == UNKNOWN for edge in edges] == [False, True]
    assert timeline.frame.decode([0]) == "<unk>"
    unknown = Edge(1, 2, UNKNOWN, -19.0), Edge(2, 4, UNKNOWN, -20.0)
    assert joined([Edge(0, 1, 7, -2.0), *unknown])[1:] == (Edge(1, 4, UNKNOWN, -39.0),)


def test_columns_flag_runs_of_a_character_and_parts_of_one() -> None:
    columns = PieceColumns(["a", "aa", "ab", "ba", "é", "\udce9", "a\udce9"])
    assert columns.are_runs.tolist() == [False, True, *[False] * 5]
    assert columns.are_partial.tolist() == [False] * 5 + [True] * 2


def test_the_alternative_of_a_piece_is_the_best_way_without_it(timeline: UnigramTimeline) -> None:
    frame = timeline.seek(0)
    other = frame.alternative("▁hug")
    assert other is not None
    assert len(other.edges) > 1
    paths = [path for path in frame.lattice("▁hug").n_best(50) if len(path.edges) > 1]
    assert other.score == max(path.score for path in paths)
    assert frame.alternative("h") is None


def test_prunes_lists_the_steps_right_after_a_prune(timeline: UnigramTimeline) -> None:
    assert list(timeline.run.prunes) == [
        step
        for step in range(1, len(timeline) + 1)
        if isinstance(timeline.seek(step).came_by, PruneStep)
    ]


def test_a_byte_that_is_no_text_is_spelled_as_a_surrogate() -> None:
    assert spelled_counts({b" \xff": 2}) == {"▁\udcff": 2}
