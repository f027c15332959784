"""The screens of a training that removes one n-gram a step."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from opening import SAMPLE, opened_as, step, until
from screen_text import shown_text
from unigram_texts import text_of

from bpe_tui.session.config import RunConfig
from bpe_tui.unigram.encoding_screen import Walkthrough
from bpe_tui.unigram.lesson import UnigramExplainer
from bpe_tui.unigram.narration import narrate
from bpe_tui.unigram.piece_table import PieceDetailPanel, PieceRows
from bpe_tui.unigram.training_screen import PieceCorpusPanel, StepPanel, StepsPanel
from bpe_tui.views.explanation import Beat, CountRoom, StepMoment
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.virtual_table import Header
from engine.unigram.frame import UnigramFrame, UnigramTimeline
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


async def test_the_inspection_counts_n_grams_in_units_and_a_walk_passes_over_words(
    config: RunConfig,
) -> None:
    async with opened_as(config) as (app, pilot):
        await pilot.press("5")
        await until(pilot, lambda: app.screen.id == "unigram-inspection")
        assert "n-grams 7: 7 words, 0 longer" in shown_text(app, "overview")
        frame = app.session.shown
        assert isinstance(frame, UnigramFrame)
        walk = Walkthrough(frame, "我▁喜欢▁苹果")
        assert [each.node for each in walk.steps if isinstance(each, Reached)] == [1, 4, 7]
        assert [walk.reached(place) for place in range(4)] == [0, 1, 4, 7]


async def test_the_table_has_each_loss_without_and_the_step_its_counts(config: RunConfig) -> None:
    async with opened_as(config) as (app, pilot):
        rows = app.screen.query_one(PieceRows)
        assert [place.column.title for place in app.screen.query_one(Header).places] == [
            *("n-gram", "count", "−log P", "without", "increase", "goes")
        ]
        table = [row.split() for row in text_of(rows)]
        assert table[0] == ["他", "1", "2.197", "24.282", "+7.803", "1"]
        assert table[1] == ["你", "1", "2.197", "24.282", "+7.803", "2"]
        assert table[-1] == ["喜欢", "3", "1.099", "43.183", "+26.704", "stays"]
        assert [row.split()[-3:] for row in text_of(app.screen.query_one(StepsPanel))] == [
            *(["seed", "7", "16.479"], ["他", "6", "23.340"], ["你", "5", "30.326"])
        ]
        await pilot.press("right", "right")
        assert step(app) == 2
        counts = [row.split() for row in text_of(app.screen.query_one(StepPanel))]
        assert ["喜欢", "3", "3"] in counts
        assert ["你", "1", "gone"] in counts
        # In the vocabulary, what replaces the word at the cursor: nothing covers it.
        await pilot.press("3")
        about = text_of(app.screen.query_one(PieceDetailPanel))
        assert "Without it the loss would be 38.380, +8.054." in " ".join(about)
        assert ["unknown", "10.000"] in [row.split() for row in about]


async def test_spaces_between_the_sentences_are_shown_in_the_corpus() -> None:
    handout = SAMPLE.with_name("handout.txt")
    config = RunConfig(str(handout), model="unigram", trainer="textbook", units="words")
    async with opened_as(replace(config, pattern="whitespace")) as (app, _):
        assert text_of(app.screen.query_one(PieceCorpusPanel))[0].startswith("low│▁│low│▁│low│")


def test_the_lesson_view_tells_a_removal_in_three_beats() -> None:
    lines = dict.fromkeys(FRUIT.splitlines(), 1)
    trainer = TextbookTrainer(lines, 5, ngram=1)
    steps = list(trainer.steps())
    words = trainer.sentences
    frame = UnigramTimeline(trainer.record, steps, words=words, pattern="lines").frame
    explainer, there = UnigramExplainer(marks=False), StepMoment(frame, frame.at(1), Beat.LIGHT)
    unfinished = UnigramTimeline(trainer.record, steps[:2], words=words, pattern="lines").frame
    for _ in explainer.weigh(unfinished) or ():  # while the first step is not recorded yet
        pass
    assert said(explainer.pick_rows(StepMoment.at_rest(frame), 70)) == [
        "The seed has all 7 n-grams of 1 word.",
        "5 will stay: the one that costs least goes first.",
    ]
    for _ in explainer.weigh(frame) or ():
        pass
    assert explainer.stations(frame) == ("COST", "PICK", "REMOVE")
    bars = said(explainer.count_rows(there, CountRoom(rows=7, width=80, name=10)))
    assert bars[0].startswith("✗ 他")
    assert "→ unknown" in bars[0]
    assert "+7.803" in bars[0]
    assert "+26.704" in bars[-1]
    assert said(explainer.pick_rows(there, 70)) == [
        "他 goes: without it the loss grows least, by 7.803.",
        "6 tie: the smallest bytes decide.",
    ]
    gone, sentence = said(explainer.replace_rows(there, 2, 70))[:2]
    assert gone == "✗ 他"
    assert sentence == "All is cut without it, and counted again."
    end = StepMoment.at_rest(frame.at(2))
    assert len(said(explainer.count_rows(end, CountRoom(rows=7, width=80, name=10)))) <= 7


@pytest.mark.slow
async def test_an_unused_n_gram_is_drawn_without_a_score_on_every_screen(
    config: RunConfig,
) -> None:
    async with opened_as(replace(config, ngram=2)) as (app, pilot):
        await pilot.press("3", "right", "right")
        frame = app.session.shown
        assert isinstance(frame, UnigramFrame)
        assert (frame.expected_counts == 0).any()
        assert "unused" in text_of(app.screen.query_one(PieceRows))[0]
        await pilot.press(*["down"] * frame.size, "4", "5", "2", "0")
