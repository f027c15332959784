"""Tests of every model in the registry; a new one is tested at once."""

from pathlib import Path

import pytest
from generated import first_quick
from opening import opened, until
from textual.content import Content
from textual.widgets import Input, TextArea

from bpe_tui.app.session_app import PLACES
from bpe_tui.cli.plain import transcript_of
from bpe_tui.session.commands import COMMANDS, lacking
from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import CHARTS, ENCODING, INSPECTION, TRAINING, VOCABULARY
from bpe_tui.session.models import MODELS
from bpe_tui.shell.panel import BORDER_CELLS
from bpe_tui.widgets.controls import Switches
from bpe_tui.words.transcript import AnyTranscript
from engine.formats import open_tokenizer

SAMPLES = Path(__file__).parents[3] / "samples"
HANDOUT = SAMPLES / "handout.txt"
SIZES = {"bpe": 290, "wordpiece": 60, "unigram": 40}
KINDS = (TRAINING, ENCODING, VOCABULARY, CHARTS, INSPECTION)

every_model = pytest.mark.parametrize("model", MODELS)


def transcript(model: str) -> AnyTranscript:
    config = RunConfig(str(HANDOUT), vocab_size=SIZES[model], model=model)
    return transcript_of(config)


def said(transcript: AnyTranscript, *lines: str) -> list[str]:
    return [sentence for line in lines for sentence in transcript.answer(line)]


@every_model
def test_a_step_is_the_same_walked_to_or_jumped_to_or_gone_back_to(model: str) -> None:
    walked, leapt = transcript(model), transcript(model)
    assert said(walked, "play 2") == said(leapt, "go 1", "go 2")
    assert said(walked, "encode low lower") == said(leapt, "encode low lower")
    there = transcript(model)
    before = said(there, "go 1", "encode newest")
    said(there, "next", "back")
    assert said(there, "go 1", "encode newest") == before


FILTERS = [each for each in COMMANDS if each.action.startswith("screen.filter(")]


@pytest.mark.slow
@every_model
async def test_filter_keys_filter_or_say_why_not_and_a_text_may_be_shortened_while_hidden(
    model: str,
) -> None:
    async with opened(HANDOUT, vocab_size=SIZES[model], model=model) as (app, pilot):
        await pilot.press("2", "e", "ctrl+u", *"low", "space", *"newest", "escape")
        await pilot.press("z", "e", "ctrl+u", "a")
        await pilot.press("escape", "escape", "escape")
        assert app.screen.id == MODELS[model].screen(ENCODING)
        await pilot.press("end", "3")
        switches = app.screen.query_one(Switches)
        for command in FILTERS:
            app.clear_notices()
            before = switches.on
            await pilot.press(command.keys)
            assert (switches.on != before) != bool(app.notices.now), command.label
            assert not app.notices.note  # it would be a failure


@every_model
def test_a_transcript_lists_its_commands_and_answers_each(model: str) -> None:
    there = transcript(model)
    helped = "\n".join(said(there, "help"))
    for command in there.COMMANDS:
        assert command.usage in helped
        name = command.usage.split()[0]
        if name not in ("quit", "save"):
            assert said(there, "go 1", name)


@every_model
def test_save_without_a_screen_writes_a_tokenizer(model: str, tmp_path: Path) -> None:
    there, place = transcript(model), tmp_path / "saved"
    assert "Saved" in said(there, "go 2", f"save {place}")[-1]
    assert place.exists()
    (refused,) = said(there, f"save {place}")
    assert refused.startswith(str(place))
    assert "is there already, and nothing is overwritten here" in refused


@every_model
@pytest.mark.parametrize(
    "line", ["jump", "go", "go 9999", "play", "play x", "back x", "encode", "save", "\x1b"]
)
def test_an_unknown_command_gets_one_sentence(model: str, line: str) -> None:
    (answer,) = said(transcript(model), line)
    assert answer.endswith(".")
    assert answer.isprintable()


@pytest.mark.parametrize(
    ("model", "screen", "keys"),
    first_quick(
        [
            ("unigram", TRAINING, ("I", "i", "v", "full_stop", "6")),
            ("wordpiece", TRAINING, ("i", "v", "full_stop")),
            ("unigram", ENCODING, ("c", "w", "6")),
        ]
    ),
)
async def test_a_key_for_merges_says_why_a_model_has_none(
    model: str, screen: str, keys: tuple[str, ...]
) -> None:
    async with opened(HANDOUT, vocab_size=SIZES[model], model=model) as (app, pilot):
        await pilot.press("12"[screen == ENCODING], "escape")
        for key in keys:
            await pilot.press(key)
            assert app.screen.id == MODELS[model].screen(screen)
            assert app.notices.now.endswith("."), key


@every_model
def test_each_refusal_belongs_to_a_command_and_each_screen_to_the_application(model: str) -> None:
    actions = {command.action for command in COMMANDS}
    assert actions.issuperset(lacking(MODELS[model]))
    assert all(sentence.endswith(".") for sentence in lacking(MODELS[model]).values())
    assert {MODELS[model].screen(kind) for kind in KINDS} <= PLACES.keys()


@pytest.mark.parametrize("model", first_quick(MODELS))
async def test_the_same_keys_lead_to_the_same_screens_and_texts_are_typed_during_training(
    model: str,
) -> None:
    async with opened(HANDOUT, vocab_size=SIZES[model], model=model) as (app, pilot):
        for key, kind in zip("12345", KINDS, strict=True):
            await pilot.press("escape", key)  # out of the field, where a digit is a digit
            assert app.screen.id == MODELS[model].screen(kind)
            app.seek(2)
            await pilot.pause()
            app.seek(1)
            await pilot.pause()
        await pilot.press("escape")
        for typed in ("sun", "set"):
            await pilot.press("1", "e")
            app.screen.query_one("#encode-input", Input).value = typed
            await pilot.press("escape", "2")
            assert app.screen.query_one("#text", TextArea).text == typed
            await pilot.press("escape")


@pytest.mark.slow  # it walks through all screens
@every_model
async def test_every_screen_shows_far_jumps_and_cuts_no_title_in_a_border(model: str) -> None:
    sample = SAMPLES / "tinystories_valid.txt"
    async with opened(sample, size=(100, 30), vocab_size=600, model=model) as (app, pilot):
        last = len(app.session.recording or ())
        for key in "12345":
            await pilot.press("escape", key, "escape")
            for wanted in (0, last, 1):
                app.seek(wanted)
                await pilot.pause()
                assert app.session.shown is not None
                assert app.session.shown.step == wanted
            for size in ((100, 30), (60, 20)):
                await pilot.resize_terminal(*size)
                await pilot.pause()
                for panel in app.screen.query("*"):
                    room = panel.outer_size.width - BORDER_CELLS
                    for said in (panel.border_title, panel.border_subtitle):
                        cells = Content.from_markup(said or "").cell_length
                        assert not panel.region or cells <= room, said


@pytest.mark.parametrize("model", first_quick(MODELS))
async def test_the_tokenizer_of_a_step_is_saved_and_opened_again(
    model: str, tmp_path: Path
) -> None:
    async with opened(HANDOUT, vocab_size=SIZES[model], model=model) as (app, pilot):
        await pilot.press("s")
        app.screen.query_one(Input).value = str(tmp_path / "saved.json")
        await pilot.press("enter")
        await until(pilot, (tmp_path / "saved.json").exists)
        read = open_tokenizer(tmp_path / "saved.json").tokenizer
        assert read.decode(read.encode("low lower")) == "low lower"


async def test_the_run_that_another_model_left_comes_back_as_it_was() -> None:
    async with opened(HANDOUT, vocab_size=290) as (app, pilot):
        await pilot.press("right", "right", "right", "M", "down", "enter")
        await until(pilot, lambda: app.session.stop_reason is not None)
        other, left = app.session, app.session.came_from
        assert left is not None
        assert (left.model.name, other.model.name) == ("bpe", "wordpiece")
        for there, back in ((left, other), (other, left)):
            await pilot.press("I")
            assert (app.session, app.session.came_from) == (there, back)
            assert app.screen.id == there.model.screen(TRAINING)
        assert left.shown is not None
        assert left.shown.step == 3
        await pilot.press("M", "end", "enter")
        await until(pilot, lambda: app.session.stop_reason is not None)
        assert app.session.came_from is other  # one run is kept, not all before it
        assert other.came_from is None
