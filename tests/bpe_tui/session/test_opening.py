"""Opening tokenizers, alone or over a corpus, and other files instead."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from generated import first_quick
from opening import SAMPLE, ended, ended_by_failure, frame_of, opened, opened_as, step, until
from program import run
from screen_text import row_texts
from textual.pilot import Pilot
from textual.widgets import Input, Static, TextArea

from bpe_tui import cli
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.training_screen import ChangedPretokens
from bpe_tui.dialogs.open_other import OPENS_SECOND, OpenOther
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.session.config import TOY, Config, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.opening import config_for, split_tokenizers
from bpe_tui.studies.comparison import ComparisonScreen
from bpe_tui.widgets.controls import KeyBar
from bpe_tui.widgets.lines import FoundRows
from engine import Tokenizer, train_bpe
from engine.formats import FORMATS, WRITABLE, is_tokenizer, save
from engine.text.corpus import Reading

HANDOUT = Path(__file__).parents[3] / "samples" / "handout.txt"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer whose ids are not in the order of its merges."""
    vocab, merges = train_bpe(HANDOUT, 300, [])
    shuffled = {999 - token_id: token for token_id, token in vocab.items()}
    directory = tmp_path_factory.mktemp("formats") / "shuffled-ids" / "shuffled"
    directory.parent.mkdir()
    Tokenizer(shuffled, merges, {"<|end|>": 5}).save(directory)
    return directory


def said(app: BpeTuiApp, selector: str) -> str:
    return str(app.screen.query_one(selector, Static).render())


def rows(app: BpeTuiApp) -> list[str]:
    return row_texts(app.screen.query_one(FoundRows))


async def choose(pilot: Pilot[int], path: str) -> None:
    """Open a path in the window."""
    await pilot.press("escape", "o")
    pilot.app.screen.query_one(Input).value = path
    await pilot.press("enter")


# --- two tokenizers, and two files of one --


def test_two_paths_are_two_tokenizers_unless_they_are_the_two_files_of_one(tmp_path: Path) -> None:
    tokenizer = Tokenizer(*train_bpe(HANDOUT, 260, []), {})
    whole: list[str] = ["gpt2"]
    for name in WRITABLE:
        written = FORMATS[name].written(place := tmp_path / f"{name}{FORMATS[name].suffix}")
        save(tokenizer, place, name, renumber=True)
        whole.append(str(place))
        if len(written) == 2 and is_tokenizer(*written):  # else one of them is for people
            pair = tuple(map(str, written))
            assert split_tokenizers(pair) == (pair, ())
    for one in whole:
        assert split_tokenizers((one,)) == ((one,), ())
        for other in whole:
            assert split_tokenizers((one, other)) == ((one,), (other,))
    missing = (whole[1], str(tmp_path / "missing"))
    assert split_tokenizers(missing) == (missing, ())  # what opens it says what is wrong


async def test_two_named_tokenizers_open_side_by_side_and_esc_leads_to_the_first(
    trained: Path,
) -> None:
    swapped = HANDOUT.with_name("swapped.json")
    config = config_for(RunConfig(str(trained), reading=Reading(more=(str(swapped),))))
    assert config == TokenizerConfig((str(trained),), beside=(str(swapped),))
    async with opened_as(config) as (app, pilot):
        await until(pilot, lambda: isinstance(app.screen, ComparisonScreen))
        named = "shuffled  273 │ swapped.json  316"
        await until(pilot, lambda: said(app, "#heading").startswith(named))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: app.screen.id == "encoding")


def test_two_tokenizers_are_refused_where_one_is_followed(trained: Path) -> None:
    two = ("--tokenizer", str(trained), "--tokenizer", str(HANDOUT.with_name("swapped.json")))
    for command in (
        ("open", *two, "--plain"),
        ("record", *two, "--steps", "0-1", "--out", str(trained.with_name("new.cast"))),
    ):
        refused = run(*command)
        assert (refused.returncode, refused.stdout) == (2, b"")
        assert b"are two tokenizers, and this follows one" in refused.stderr


async def test_a_second_tokenizer_is_chosen_from_the_list_of_files_on_any_screen(
    trained: Path,
) -> None:
    async with opened(HANDOUT, vocab_size=262) as (app, pilot):
        for keys in ("2 d", "5 d", "ctrl+p s i d e enter"):
            await pilot.press(*keys.split())
            await until(pilot, lambda: isinstance(app.screen, OpenOther))
            assert app.screen.query_one("#open-other").border_title == OPENS_SECOND
            app.screen.query_one(Input).value = str(HANDOUT)
            await pilot.press("enter")
            assert said(app, "#dialog-hint") == f"{HANDOUT}: is no tokenizer"
            app.screen.query_one(Input).value = str(HANDOUT.with_name("swapped.json"))
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ComparisonScreen))
            named = "handout.txt step 0  257 │ swapped.json  316"
            await until(pilot, lambda: said(app, "#heading").startswith(named))  # noqa: B023
            await pilot.press("o")
            app.screen.query_one(Input).value = str(trained)
            await pilot.press("enter")
            named = "handout.txt step 0  257 │ shuffled  273"
            await until(pilot, lambda: said(app, "#heading").startswith(named))  # noqa: B023
            await pilot.press("escape")
            await until(pilot, lambda: app.screen.id in ("encoding", "inspection"))


# --- a tokenizer, alone and over a corpus -----------------------------------------------------


async def test_a_tokenizer_alone_opens_on_the_encoding_screen_and_asks_for_a_text(
    trained: Path,
) -> None:
    async with opened_as(TokenizerConfig((str(trained),))) as (app, pilot):
        assert app.screen.id == "encoding"
        field = app.screen.query_one(TextArea)
        await pilot.press("e")
        assert app.focused is field
        assert field.text  # an example
        assert said(app, "#heading").startswith("shuffled │ gpt2 format │ 273 tokens │ pattern")
        await pilot.press("ctrl+u", *"the")
        frame = frame_of(app)
        ids = [token_id for piece in frame.encode("the<|end|>") for token_id in piece.ids]
        assert ids == Tokenizer.load(trained).encode("the<|end|>")
        await pilot.press("escape")
        await pilot.press("1")
        await until(pilot, lambda: app.screen.query_one("#no-text").has_focus)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, OpenOther))


async def test_a_later_step_is_waited_for_on_the_pipeline_screen() -> None:
    config = RunConfig(str(SAMPLE), vocab_size=700, viewpoint=Viewpoint(300, "pipeline", ""))
    async with opened_as(config) as (app, pilot):
        await until(pilot, lambda: app.screen.id == "pipeline")
        await until(pilot, lambda: app.session.shown and app.session.shown.step == 300)


async def test_over_a_corpus_its_merges_are_the_steps(trained: Path) -> None:
    async with opened_as(TokenizerConfig((str(trained),), str(HANDOUT))) as (app, pilot):
        assert (app.screen.id, step(app)) == ("training", 0)
        await pilot.press("right")
        frame = frame_of(app)
        assert frame.merge is not None
        assert frame.merge.new_id == 999 - 256
        await pilot.press("i")
        assert app.screen.id == "training"  # no fork of what was not trained here


# --- something else ---------------------------------------------------------------------------


@pytest.mark.slow
async def test_a_tokenizer_chosen_beside_a_corpus_is_replayed_over_it_and_a_wrong_file_is_refused(
    trained: Path, tmp_path: Path
) -> None:
    (tmp_path / "empty.txt").touch()
    async with opened(HANDOUT, vocab_size=300) as (app, pilot):
        for path, reason in (
            ("/nowhere/at/all", "no such file"),
            (str(tmp_path / "empty.txt"), "empty"),
        ):
            await choose(pilot, path)
            assert reason in said(app, "#dialog-hint").lower()
            await pilot.press("escape")
        assert app.session.config.name == "handout.txt"
        await choose(pilot, str(trained))
        await ended(app, pilot)
        assert app.session.config.corpus == str(HANDOUT)
        assert app.session.opened is not None


@pytest.fixture
def endless(tmp_path: Path) -> Iterator[Path]:
    """Return a pipe from which a few words come, and no end."""
    os.mkfifo(tmp_path / "endless")
    with os.fdopen(os.open(tmp_path / "endless", os.O_RDWR), "wb", 0) as writer:
        writer.write(b"so far and no further ")
        yield tmp_path / "endless"


@pytest.mark.unix
@pytest.mark.parametrize(("key", "code"), first_quick([("escape", 0), ("ctrl+c", 130)]))
async def test_escape_and_ctrl_c_leave_while_the_first_corpus_is_read(
    endless: Path, key: str, code: int
) -> None:
    app = BpeTuiApp(RunConfig(str(endless)))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "leave" in {k.label for k in app.screen.query_one(KeyBar).keys})
        assert app.session.frame is None
        await pilot.press("right", "z", "s", "g", "e", "2")  # nothing is there to do it with
        await pilot.press(key)
    assert (app.is_running, app.return_code) == (False, code)


@pytest.mark.unix
@pytest.mark.slow
async def test_a_reading_shows_its_progress_until_esc_shows_the_previous_session(
    endless: Path,
) -> None:
    async with opened(HANDOUT, vocab_size=280) as (app, pilot):
        app.seek(7)
        app.open(RunConfig(str(endless)))
        await until(pilot, lambda: app.screen.has_class("-reading"))
        assert "endless" in said(app, "#reading-what")
        assert app.session.shown is None
        await pilot.press("escape")
        assert app.session.config.name == HANDOUT.name
        assert app.session.shown is not None
        assert app.session.shown.step == 7

        # Ctrl+C leaves what is being read, but nothing that would be lost.
        await pilot.press("ctrl+c")
        assert app.notices.now == "q quits."
        app.open(RunConfig(str(endless)))
        await pilot.pause()
        await pilot.press("ctrl+c")
        assert app.return_code == 130


@pytest.mark.slow
async def test_recent_files_come_first_a_directory_is_listed_and_typing_narrows_the_list(
    trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trained.parent.parent)
    async with opened_as(TokenizerConfig((str(trained),), str(HANDOUT))) as (app, pilot):
        await pilot.press("o")
        shown = rows(app)
        assert "shuffled  in" in shown[1]
        assert "handout.txt  in" in shown[2]
        window = app.screen
        assert isinstance(window, OpenOther)
        place = next(i for i, row in enumerate(shown) if row.strip() == f"{trained.parent.name}/")
        window.query_one(FoundRows).cursor = place
        await pilot.press("enter")
        assert any(row.strip() == "shuffled/" for row in rows(app))
        await pilot.press(*"shu")
        assert [row.strip(" ❯") for row in rows(app)][1:] == [f"{trained.parent.name}/"]
        await pilot.press("tab")
        assert app.screen.query_one(Input).value.rstrip("/").endswith(trained.parent.name)


async def test_a_hostile_file_name_is_shown_and_never_obeyed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "[@click=app.quit]x[].\x1b]0;evil\x07\n\u202e.txt").write_text("some words here")
    (tmp_path / "never\udcff").mkdir()
    monkeypatch.chdir(tmp_path)
    async with opened(HANDOUT, vocab_size=270, size=(60, 20)) as (app, pilot):
        await pilot.press("o")
        shown = "\n".join(rows(app))
        assert "[@click=app.quit]x[].␛]0;evil" in shown
        assert not {"\x1b", "\x07", "\u202e"} & set(shown)
        await pilot.press("end", "[", "@", "tab")
        assert "cannot hold" in said(app, "#dialog-hint")
        await pilot.press("enter")
        await ended(app, pilot)
        assert app.session.config.name.startswith("[@click")


@pytest.fixture
def damaged(tmp_path: Path) -> Config:
    (tmp_path / "vocab.json").write_text('{"a": 0')
    (tmp_path / "merges.txt").write_text("a b\n")
    return TokenizerConfig((str(tmp_path),))


async def test_a_damaged_tokenizer_leaves_a_sentence_and_keys_lead_back_or_to_a_file_alone(
    trained: Path, damaged: Config
) -> None:
    async with opened_as(TokenizerConfig((str(trained),))) as (app, pilot):
        app.open(damaged)
        await until(pilot, lambda: app.session.failure)
        assert "is no JSON, or cut short" in said(app, "#reading-what")
        await pilot.press("escape")
        assert app.session.config == TokenizerConfig((str(trained),))
        assert app.screen.id == "encoding"
        await pilot.press("ctrl+o")
        assert f"[together with {trained.name}]" in said(app, "#open-keep")
        await pilot.press("ctrl+k")
        app.screen.query_one(Input).value = str(HANDOUT)
        await pilot.press("enter")
        await ended(app, pilot)
        assert app.session.config == RunConfig(str(HANDOUT), min_count=1)
        assert app.session.opened is None
        app.open(damaged)
        await until(pilot, lambda: app.session.failure)
        await pilot.press("o")
        app.screen.query_one(Input).value = str(HANDOUT)
        await pilot.press("enter")
        await ended(app, pilot)
        assert app.session.failure is None


async def test_a_tokenizer_or_corpus_that_cannot_be_read_ends_the_session_opened_for_it(
    damaged: Config,
) -> None:
    for config, told in ((damaged, "vocab.json"), (RunConfig("nothing"), "no such file")):
        app = await ended_by_failure(config)
        assert told in str(app.failure)
        assert app.return_code == 2


# --- what it is, by what is in it -------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.json", "Once upon a time"),
        ("tokenizer.json", '"quoted" words of a text'),
        ("corpus.jsonl", '{"text": "a"}\n{"text": "b"}\n'),
        ("reviews.jsonl", '{"id": 0, "text": "%s"}\n{"id": 1, "text": "so"}\n' % ("so " * 20)),
        ("numbered.jsonl", '{"id": 7, "text": "To be,"}\n{"id": 9, "text": "or not"}\n'),
        ("verse", "('Twas brillig, and the slithy toves\nDid gyre)\n"),
        ("poem.txt", "['Tis the season\nto be jolly\n"),
        ("shop.csv", "id,text\n0,%s\n1,so\n2,la\n3,fa\n4,mi\n" % ("so " * 20)),
        ("list.json", '["a", "b"]'),
        ("a.model", "minbpe and its friends\n"),
        ("b.tiktoken", "\n\nwords"),
        ("p.pkl", "(a text in brackets)"),
        ("gpt2", "named as an encoding is"),
    ],
)
def test_a_text_is_a_corpus_whatever_it_is_called(
    tmp_path: Path, name: str, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(content)
    run = RunConfig(name)
    as_text = config_for(run, ["min_count"])
    assert replace(as_text, viewpoint=run.viewpoint) == run


def test_a_tokenizer_given_as_corpus_is_opened_as_one(trained: Path) -> None:
    config = config_for(RunConfig(str(trained)))
    assert config == TokenizerConfig((str(trained),))
    texts = config_for(RunConfig(str(trained), reading=Reading(more=("a", "b", "c"))))
    assert texts == TokenizerConfig((str(trained),), "a", reading=Reading(more=("b", "c")))
    vocab, merges = (str(trained / name) for name in ("vocab.json", "merges.txt"))
    both = config_for(RunConfig(vocab, reading=Reading(more=(merges, "a", "b"))))
    assert both == TokenizerConfig((vocab, merges), "a", reading=Reading(more=("b",)))
    assert config_for(RunConfig("cl100k_base")) == TokenizerConfig(("cl100k_base",))
    missing = RunConfig("nowhere.txt")
    assert config_for(missing) == missing


async def test_a_text_that_begins_as_a_tokenizer_does_is_read_as_a_text(tmp_path: Path) -> None:
    corpus = tmp_path / "about.txt"
    corpus.write_text("minbpe v1\nis a great library. " * 9)
    config = config_for(RunConfig(str(corpus), vocab_size=270))
    assert isinstance(config, TokenizerConfig)
    async with opened_as(config) as (app, _):
        assert app.session.config == RunConfig(str(corpus), vocab_size=270)


def test_options_of_the_command_line_override_the_tokenizers_files(
    monkeypatch: pytest.MonkeyPatch, trained: Path
) -> None:
    seen: list[Config] = []
    shows = "bpe_tui.cli.inputs.open_screen"
    monkeypatch.setattr(shows, lambda config, **_: seen.append(config) or 0)
    files = str(trained / "vocab.json"), str(trained / "merges.txt")
    both = [part for name in files for part in ("--tokenizer", name)]
    for arguments, config in (
        (["open", *both], TokenizerConfig(files)),
        (["open", *both, str(HANDOUT)], TokenizerConfig(files, str(HANDOUT))),
        (["open", *both, "--special", "none"], TokenizerConfig(files, None, ())),
        (["open", *both, "--pattern", "gpt2"], TokenizerConfig(files, pattern="gpt2")),
    ):
        assert cli.main(arguments) == 0
        assert seen.pop() == config


# --- saving -----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", first_quick(["xaby", "low$\nnewer$\n"]))
async def test_a_toy_corpus_steps_unless_rare_pairs_are_refused_and_then_says_so(
    tmp_path: Path, text: str
) -> None:
    toy = tmp_path / "toy.txt"
    toy.write_text(text)
    config = config_for(RunConfig(str(toy)))
    assert isinstance(config, RunConfig)
    assert config.min_count == 1
    toy.write_text((text * TOY)[:TOY])
    assert config_for(RunConfig(str(toy))) == RunConfig(str(toy))
    toy.write_text(text)
    async with opened_as(config) as (app, pilot):
        await pilot.press("right")
        assert frame_of(app).merge is not None
    config = config_for(RunConfig(str(toy)), ["min_count"])
    async with opened_as(config) as (app, pilot):
        why = "ll pairs occur once: --min-count 1 goes on."
        assert f" A{why}" in said(app, "#narration")
        words = app.screen.query_one(ChangedPretokens)

        def shown() -> str:
            return " ".join(t for row in range(words.row_count) for t, _ in words.row(row).spans)

        await until(pilot, lambda: shown() == f"A{why}")
        await pilot.press("4")
        await until(pilot, lambda: app.screen.query(ChartPanel))
        assert app.screen.query_one("#counts", ChartPanel).why_empty == f"A{why}"
