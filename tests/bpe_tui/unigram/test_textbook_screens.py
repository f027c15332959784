"""The textbook's Unigram, on the command line and on its screens."""

from math import inf
from pathlib import Path

import pytest
from opening import opened_as, until
from program import BAD_INPUT, STORIES, run
from screen_text import shown_text
from unigram_texts import frame_of

from bpe_tui.explain.explanation import Beat, StepMoment
from bpe_tui.explain.unigram import UnigramExplainer
from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.session.models import MODELS, completed
from bpe_tui.session.opening_command import command_that_opens
from bpe_tui.unigram.encoding_screen import LatticeDrawing, Walkthrough
from bpe_tui.unigram.model import save_in_format
from bpe_tui.unigram.narration import narrate
from bpe_tui.widgets.rows import Row
from bpe_tui.words.narration import ENDED
from engine.unigram.frame import UnigramTimeline
from engine.unigram.lattice import Reached
from engine.unigram.textbook import TextbookTrainer
from engine.unigram.trainer import UnigramStopReason
from engine.unigram.units import GRAM_UNITS, TRAINER_NAMES

FRUIT = "我 喜欢 苹果\n你 喜欢 香蕉\n他 喜欢 橙子\n"
TEXTBOOK = ("--model", "unigram", "--trainer", "textbook")


@pytest.fixture
def fruit(tmp_path: Path) -> Path:
    place = tmp_path / "fruit.txt"
    place.write_text(FRUIT, "utf-8")
    return place


def plain(corpus: Path, commands: str, *options: str) -> list[str]:
    done = run("open", corpus, "--plain", *options, stdin=commands.encode())
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def refusal(*arguments: str | Path) -> str:
    done = run(*arguments)
    assert done.returncode == BAD_INPUT
    assert not done.stdout
    return done.stderr.decode().splitlines()[-1]


def test_the_fruit_loses_two_words_in_plain_sentences(fruit: Path) -> None:
    commands = "step\ngo 2\npiece 喜欢\npiece 他\nencode 他 喜欢 苹果\ndecode 2 5\nback\n"
    lines = plain(fruit, commands, *TEXTBOOK, "--units", "words:1", "--vocab-size", "5")
    text = "\n".join(lines)
    assert "the seed has 7 n-grams of 1 word, counted 9 times in all" in lines[0]
    assert (
        "他, count 1 of 9, −log P 2.197, loss without it 24.282, +7.803: goes at step 1.\n"
        "你, count 1 of 9, −log P 2.197, loss without it 24.282, +7.803: goes at step 2.\n"
        "我, count 1 of 9, −log P 2.197, loss without it 24.282, +7.803: stays.\n"
    ) in text
    assert "喜欢, count 3 of 9, −log P 1.099, loss without it 43.183, +26.704: stays." in lines
    assert (
        "Step 2 of 2: “你” goes: the loss without it is least, 31.260. 4 others tie, and “你” has "
        "the smallest bytes. Counted again, the loss rises from 23.340 to 30.326. "
        "Training ended: the vocabulary has the size asked for."
    ) in lines
    assert "喜欢 has the id 2: count 3 of 7, −log P 0.847." in lines
    assert "他 is no piece any more: it went at step 1." in lines
    assert "In ids: 0 2 5." in lines
    assert "The text of 2 ids is 喜欢·苹果." in lines
    assert lines[-1].endswith("the removal is undone; 1 n-gram comes back.")


def test_without_a_size_the_end_claims_none_asked_for(fruit: Path) -> None:
    assert plain(fruit, "go 100%\n", *TEXTBOOK, "--units", "words:1")[-1].endswith(
        "Training ended: half of the n-grams are left, as no size was asked for."
    )
    em = plain(fruit, "go 100%\n", "--model", "unigram")[-1]
    assert em.endswith("a tenth of the longer pieces is left at most, as no size was asked for.")
    blank = fruit.with_name("blank.txt")
    blank.write_text("\n \n")
    assert plain(blank, "go 100%\n", *TEXTBOOK)[-1].endswith("nothing to make pieces of.")


def test_train_writes_words_with_their_scores(fruit: Path, tmp_path: Path) -> None:
    out = tmp_path / "fruit.vocab"
    asked = (fruit, *TEXTBOOK, "--units", "words:1", "--vocab-size", "5", "--out", out)
    why = refusal("train", *asked)
    assert "cannot hold n-grams of words" in why
    assert "--format pieces" in why
    assert not out.exists()
    done = run("train", *asked, "--format", "pieces")
    assert done.returncode == 0, done.stderr.decode()
    lines = out.read_text("utf-8").splitlines()
    assert lines[:4] == ["<unk>\t0", "<|endoftext|>\t0", "喜欢\t-0.847298", "我\t-1.94591"]


@pytest.mark.parametrize("format", ["pieces", "huggingface"])
def test_pieces_of_probability_0_are_left_out_and_counted(format: str, tmp_path: Path) -> None:
    pieces = [("low", -1.0), ("zig", -inf), ("zag", -inf), ("\udcff", -2.0)]
    unused = "2 left out, being unused: P is 0"
    for most, told in ((4, f"1 left out, being no UTF-8; {unused}"), (3, unused), (1, "")):
        path = tmp_path / f"{most}.json"
        assert save_in_format(format, pieces[:most], "none", [], path, overwrite=False) == told
        text = path.read_text()
        assert "low" in text
        assert "zig" not in text


def test_n_grams_of_characters_are_saved_as_a_tokenizer_that_encodes(tmp_path: Path) -> None:
    corpus, out = tmp_path / "hugs.txt", tmp_path / "hugs.json"
    corpus.write_text("hug hugs hug pug\n")
    options = (*TEXTBOOK, "--units", "characters:3")
    done = run("train", corpus, *options, "--vocab-size", "6", "--out", out)
    assert done.returncode == 0, done.stderr.decode()
    ids = run("encode", "--tokenizer", out, "hugs hug").stdout.decode().split()
    shown = plain(corpus, "go 100%\nencode hugs hug\n", *options, "--vocab-size", "6")
    assert f"In ids: {' '.join(ids)}." in shown


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((*TEXTBOOK, "--vocab-size", "0"), "ask for at least 1"),
        ((*TEXTBOOK, "--units", "bytes"), "there are: words, characters"),
        (("--model", "unigram", "--trainer", "naive"), "there are: em, textbook"),
        (("--model", "unigram", "--units", "words:2"), "--units words:N is for"),
        (("--model", "unigram", "--units", "words"), "for --trainer textbook"),
        (("--units", "characters:2"), "--units characters:N is for"),
        (("--model", "unigram", "--vocab-size", "5"), "--trainer textbook) goes on below that"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(
    fruit: Path, options: tuple[str, ...], why: str
) -> None:
    assert why in refusal("open", fruit, "--plain", *options)


def test_a_large_text_is_refused_with_an_estimate_and_nothing_is_written(tmp_path: Path) -> None:
    out = tmp_path / "stories.vocab"
    options = (*TEXTBOOK, "--vocab-size", "10", "--format", "pieces", "--out", out)
    why = refusal("train", STORIES, *options)
    assert "moves" in why
    assert "--trainer em" in why
    assert not out.exists()


# -- the registries agree, and numbers are written as words


def test_the_trainers_units_and_reasons_to_end_are_those_of_the_library() -> None:
    em, textbook = MODELS["unigram"].trainers
    assert (em.name, textbook.name) == TRAINER_NAMES
    assert textbook.units == tuple(GRAM_UNITS)
    assert textbook.pattern == GRAM_UNITS[textbook.units[0]].pattern
    assert {reason.name for reason in UnigramStopReason} <= set(ENDED)


def test_the_command_that_opens_it_again_has_all_its_options(fruit: Path) -> None:
    config = completed(RunConfig(str(fruit), 5, model="unigram", trainer="textbook", ngram=1))
    command = command_that_opens(config, Viewpoint())
    assert command.split(str(fruit))[1].split() == [
        *("--vocab-size", "5", "--pattern", "lines", "--trainer", "textbook"),
        *("--model", "unigram", "--units", "words:1"),
    ]


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
