"""Whole texts under the pieces of a step, compared with all segmentations."""

from __future__ import annotations

from itertools import product

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from unigram_by_hand import score, segmentations

from engine.unigram.frame import UnigramTimeline
from engine.unigram.pieces import spelled
from engine.unigram.trainer import UnigramTrainer

WORDS = {"▁hugs": 10, "▁hug": 9, "▁bugs": 6, "bug": 4, "hug": 2, "<": 1, "|>": 1, "x": 1}


@pytest.fixture(scope="module")
def timeline() -> UnigramTimeline:
    trainer = UnigramTrainer(WORDS, 16, ["<|x|>"])
    events = list(trainer.steps())
    return UnigramTimeline(trainer.record, events, words=WORDS)


@examples(40)
@given(st.lists(st.sampled_from(["hug", " hugs", " bug", "bugs"]), max_size=3), st.integers(1, 6))
def test_the_best_segmentations_of_a_text_are_the_best_of_all(
    timeline: UnigramTimeline, words: list[str], wanted: int
) -> None:
    text = "".join(words)
    for step in (0, len(timeline)):
        frame = timeline.seek(step)
        model = dict(zip(frame.texts, frame.scores.tolist(), strict=True))
        pretokens = [spelled(pretoken.text) for pretoken in frame.cut(text)]
        ways = product(*(list(segmentations(pretoken, model)) for pretoken in pretokens))
        scores = sorted((sum(score(way, model) for way in path) for path in ways), reverse=True)
        found = frame.segmentations(text, wanted)
        assert [path.score for path in found] == pytest.approx(scores[:wanted])
        assert all("".join(path.pieces) == spelled(text) for path in found)


def test_ids_are_those_of_the_saved_vocabulary(timeline: UnigramTimeline) -> None:
    for step in range(len(timeline) + 1):
        frame = timeline.seek(step)
        vocabulary = [text for text, _ in frame.vocabulary]
        assert [vocabulary[id_] for id_ in frame.ids] == frame.texts
        ids = frame.encode("hugs bug<|x|> bugs")
        (best,) = frame.segmentations("hugs bug<|x|> bugs", 1)
        assert tuple(vocabulary[id_] for id_ in ids) == best.pieces


@pytest.mark.parametrize("text", ["漢字", "hüügs 漢字 é", "漢<|x|>字", "", "bugs"])
def test_pieces_and_ids_are_equally_many_and_unknown_characters_are_listed(
    timeline: UnigramTimeline, text: str
) -> None:
    frame, ids = timeline.frame, timeline.frame.encode(text)
    assert {len(path.pieces) for path in frame.segmentations(text, 1)} == {len(ids)}
    assert len(frame.unknown_in(text)) == ids.count(0)
    pretokens = frame.cut(text)
    words = [spelled(pretoken.text) for pretoken in pretokens if not pretoken.special]
    specials = len(pretokens) - len(words)
    assert sum(len(frame.pieces_of(word)) for word in words) + specials == len(ids)
