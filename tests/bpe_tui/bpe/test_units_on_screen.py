"""Runs of characters and marked ends of words: on screens, in the shell, in the transcript."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from opening import frame_of, opened_as, until
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.narration import narrate
from bpe_tui.bpe.summary_screens import SaveTokenizer
from bpe_tui.cli import main
from bpe_tui.panels.token_detail import LanesPanel
from bpe_tui.panels.training_panels import TypedLine
from bpe_tui.session.config import RunConfig
from bpe_tui.words.narration import heading
from engine.formats import WRITABLE, open_tokenizer

CLASSIC = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3 + "\n中文分词 中文\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "classic.txt"
    path.write_text(CLASSIC, encoding="utf-8")
    return path


def config(corpus: Path, units: str = "end-of-word") -> RunConfig:
    return RunConfig(
        str(corpus),
        vocab_size=40,
        special_tokens=(),
        pattern="whitespace",
        tie_rule="first-seen",
        units=units,
    )


async def test_the_screen_shows_units_and_unknown_characters_and_no_format_to_save_them(
    corpus: Path,
) -> None:
    async with opened_as(config(corpus)) as (app, pilot):
        facts = "classic.txt │ 116 B │ 1 document │ pattern whitespace │ units end-of-word"
        assert heading(app.session, 120) == f"{facts} │ ties first-seen (minbpe)"
        assert "characters and ends of words, each a token of its own" in narrate(frame_of(app))
        line = app.screen.query_one(TypedLine)
        line.query_one(Input).value = "löwest"
        await pilot.pause()
        assert "1 × <unk>, in bytes none" in str(line.border_subtitle)
        await pilot.press("end", "s")
        assert "No format can hold this tokenizer: </w> is a token of its own" in hint(app)


async def test_the_lanes_leave_the_end_of_a_word_out(corpus: Path) -> None:
    async with opened_as(config(corpus)) as (app, pilot):
        app.seek(9)
        await pilot.press("3", "a")
        lanes = app.screen.query_one(LanesPanel)
        marked = next(n for n in range(40) if frame_of(app).token(n) == b"newest</w>")
        lanes.token_ids = (marked,)
        await pilot.pause()
        assert "6 bytes" in str(lanes.border_title)


def test_without_a_screen_unknown_characters_are_reported(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("go 3\nencode low é\n"))
    arguments = [str(corpus), "--plain", "--units", "characters", "--special", "none"]
    assert main(["open", *arguments, "--vocab-size", "40"]) == 0
    shown_text = capsys.readouterr().out
    assert "1 unknown character here. A character that the corpus lacks is <unk>" in shown_text


def test_train_writes_characters_for_hugging_face_and_nothing_else(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", str(corpus), "--units", "characters", "--special", "none"]
    arguments += ["--vocab-size", "40", "--out", str(tmp_path / "t.json")]
    assert main(arguments) != 0
    assert "for characters take the format huggingface" in capsys.readouterr().err
    assert main([*arguments, "--format", "huggingface"]) == 0
    text_shown = capsys.readouterr().err
    assert "16 characters, <unk>" in text_shown
    assert "characters: trained by heap" in text_shown


@pytest.mark.parametrize("format", WRITABLE)
def test_marked_ends_of_words_are_rejected_for_every_format_before_counting(
    format: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", str(corpus), "--units", "end-of-word", "--vocab-size", "40"]
    assert main([*arguments, "--out", str(tmp_path / "t"), "--format", format]) != 0
    text_shown = capsys.readouterr().err
    assert f"{tmp_path / 't'}: no format can hold this tokenizer: </w> is a token" in text_shown


async def test_the_save_window_begins_with_the_format_that_holds_characters(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened_as(config(corpus, "characters")) as (app, pilot):
        await pilot.press("end", "s")
        formats = str(app.screen.query_one("#save-formats", Static).content)
        assert "❯ huggingface" in formats
        assert formats.count("cannot hold this tokenizer") == len(WRITABLE) - 1
        field = app.screen.query_one(Input)
        path = field.value
        await pilot.press("down")
        assert "The format tiktoken knows tokens of bytes only" in hint(app)
        assert "❯ tiktoken" in str(app.screen.query_one("#save-formats", Static).content)
        field.value = ""
        await pilot.press("enter")
        assert hint(app) == "Name a file, or a directory for the formats that fill one."
        field.value = "mine.tiktoken"
        await pilot.press("up")
        assert (field.value, field.cursor_position) == ("mine.json", 9)
        assert not app.screen.query_one("#dialog-hint").has_class("-refused")
        field.value = path
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(app.screen, SaveTokenizer))
        assert open_tokenizer(path).format == "huggingface"


def hint(app: BpeTuiApp) -> str:
    return str(app.screen.query_one("#dialog-hint", Static).content)


def test_too_small_a_vocabulary_is_refused_once_the_characters_are_counted(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["train", str(corpus), "--units", "characters", "--special", "none"]
    arguments += ["--vocab-size", "9", "--out", str(tmp_path / "t.json")]
    assert main([*arguments, "--format", "huggingface"]) != 0
    assert "16 characters, <unk> and 0 special tokens need at least 17" in capsys.readouterr().err
