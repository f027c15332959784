"""The screens of a training that removes one n-gram a step."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened_as, until
from screen_text import shown_text
from unigram_texts import frame_of

from bpe_tui.explain.explanation import Beat, StepMoment
from bpe_tui.explain.unigram import UnigramExplainer
from bpe_tui.session.config import RunConfig
from bpe_tui.unigram.encoding_screen import LatticeDrawing, Walkthrough
from bpe_tui.unigram.narration import narrate
from bpe_tui.widgets.rows import Row
from engine.unigram.frame import UnigramTimeline
from engine.unigram.lattice import Reached
from engine.unigram.textbook import TextbookTrainer

FRUIT = "我 喜欢 苹果\n你 喜欢 香蕉\n他 喜欢 橙子\n"


@pytest.fixture
def config(tmp_path: Path) -> RunConfig:
    place = tmp_path / "fruit.txt"
    place.write_text(FRUIT, "utf-8")
    return RunConfig(
        str(place),
        vocab_size=5,
        model="unigram",
        trainer="textbook",
        units="words",
        pattern="lines",
        ngram=1,
    )


def said(rows: list[Row]) -> list[str]:
    return ["".join(text for text, _ in row.spans).strip() for row in rows]


def test_the_shortest_sentence_about_the_seed_fits_the_smallest_screen() -> None:
    words = {"low": 5, "lower": 2, "widest": 3, "newest": 6}
    trainer = TextbookTrainer(words, 2, units="words", ngram=2)
    steps = list(trainer.steps())
    frame = UnigramTimeline(trainer.record, steps, words=words).frame.at(0)
    assert narrate(frame)[-1] == "Step 0: a seed of 4 n-grams, with the loss 20.882."


def test_ties_are_counted_and_a_seed_of_the_size_asked_for_loses_none() -> None:
    words, found, explainer = {"a": 2, "b": 1, "c": 1}, list[str](), UnigramExplainer(marks=False)
    for size in (1, 3):
        trainer = TextbookTrainer(words, size, units="words", ngram=1)
        steps = list(trainer.steps())
        seed = UnigramTimeline(trainer.record, steps, words=words).frame.at(0)
        moments = [StepMoment.at_rest(seed)]
        for at in range(seed.recorded_steps):
            moments.append(StepMoment(seed.at(at), seed.at(at + 1), Beat.PICK))
        found += [said(explainer.pick_rows(moment, 90))[1] for moment in moments]
        if seed.recorded_steps:
            assert " 1 other ties, and “b” has the smallest bytes." in narrate(seed.at(1))[0]
    assert found == [
        "1 will stay: the one that costs least goes first.",
        "2 tie: the smallest bytes decide.",
        "None ties.",
        "None has to go.",
    ]


async def test_the_inspection_counts_n_grams_in_units_and_a_walk_passes_over_words(
    config: RunConfig,
) -> None:
    async with opened_as(config) as (app, pilot):
        await pilot.press("5")
        await until(pilot, lambda: app.screen.id == "unigram-inspection")
        assert "n-grams 7: 7 words, 0 longer" in shown_text(app, "overview")
        frame = frame_of(app)
        seed = UnigramExplainer(marks=False).pick_rows(StepMoment.at_rest(frame), 60)
        assert said(seed) == [
            "The seed has all 7 n-grams of 1 word.",
            "5 will stay: the one that costs least goes first.",
        ]
        walk = Walkthrough(frame, "我▁喜欢▁苹果")
        assert [each.node for each in walk.steps if isinstance(each, Reached)] == [1, 4, 7]
        assert [walk.reached(place) for place in range(4)] == [0, 1, 4, 7]
        scores = LatticeDrawing(walk, len(walk.steps), 60).rows()[2]
        assert said([scores]) == ["−2.20                −3.30                −5.49"]
