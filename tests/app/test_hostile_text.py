"""Whatever a corpus, a file name or a tokenizer holds, the terminal is given nothing that acts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import regex
from opening import opened_as, until
from textual.app import App
from textual.command import CommandInput
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from bpe_tui.cli.console import print_json
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.widgets.fields import Field, TextField

HOSTILE = (
    "\x1b]52;c;aGk=\x07 \x1b[2J\x9b31m \u202eabc\u2066 a\u200bb\u200d \x00\x7f\ufeff "
    "\u2028 [red]x[/] "
)
RAW = regex.compile(r"[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]")

KEYS = (
    *("right", "end", "left", "enter", "escape", "question_mark", "escape", "ctrl+p", "escape"),
    *("0", "right", "down", "2", "e", "escape", "r", "down", "escape", "w", "down", "enter"),
    *("3", "end", "enter", "escape", "4", "5", "6", "7", "8", "9", "1", "s", "escape", "x"),
    *("escape", "o", "escape", "b", "escape", "f", "escape", "c", "escape", "h", "m", "escape"),
    *("P", "escape", "L", "escape", "i", "v", "tab", "down", "enter", "escape"),
)


def raw_on_screen(app: App[int]) -> set[str]:
    """What stands on the screen that a terminal would act upon, hide or reorder."""
    strips = app.screen._compositor.render_strips()
    return {found for strip in strips for found in RAW.findall(strip.text)}


def all_fields_are_ours(app: App[int]) -> bool:
    fields = (*app.screen.query(Input), *app.screen.query(TextArea))
    return all(isinstance(each, Field | TextField | CommandInput) for each in fields)


async def drive(app: App[int], pilot: Pilot[int]) -> None:
    for key in KEYS:
        await pilot.press(key)
        await pilot.pause()
        assert not raw_on_screen(app), (key, app.screen)
        assert all_fields_are_ours(app), (key, app.screen)
        if key in ("x", "s", "o", "ctrl+p"):
            for field in app.screen.query(Input):
                field.value = HOSTILE
            await pilot.pause()
            assert not raw_on_screen(app), (key, app.screen)


@pytest.mark.parametrize(
    ("model", "pattern"),
    [("bpe", "whitespace"), ("bpe", "none"), ("wordpiece", "bert"), ("unigram", "whitespace")],
)
async def test_no_screen_draws_a_hostile_corpus_or_its_name_as_it_is(
    tmp_path: Path, model: str, pattern: str
) -> None:
    corpus = tmp_path / "a\x1b]52;c;aGk=\x07\u202eb[red].txt"
    corpus.write_text(HOSTILE * 8 + "low lower lowest newest " * 4, encoding="utf-8")
    config = RunConfig(str(corpus), vocab_size=300, model=model, pattern=pattern)
    async with opened_as(config, (100, 30)) as (app, pilot):
        await drive(app, pilot)


def test_json_at_a_terminal_is_the_same_value_in_escapes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_json({HOSTILE: "é漢😀\U000e0001"})
    written = capsys.readouterr().out
    assert not RAW.search(written.rstrip("\n"))
    assert "é漢😀" in written
    assert json.loads(written) == {HOSTILE: "é漢😀\U000e0001"}


async def test_the_regex_of_a_hostile_tokenizer_is_tried_in_the_lab_and_drawn_there(
    tmp_path: Path,
) -> None:
    letters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 324))]
    split = {
        "type": "Split",
        "pattern": {"Regex": "\u202e|\x1b|\\w+|\\W"},
        "behavior": "Isolated",
        "invert": False,
    }
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    vocab = {token: place for place, token in enumerate([*letters, "lo"])}
    model = {"type": "BPE", "vocab": vocab, "merges": ["l o"]}
    stages = {"type": "Sequence", "pretokenizers": [split, {**byte_level, "trim_offsets": True}]}
    place = tmp_path / "tokenizer.json"
    place.write_text(json.dumps({"model": model, "pre_tokenizer": stages}))
    async with opened_as(TokenizerConfig((str(place),)), (100, 30)) as (app, pilot):
        app.navigation.open_encoding("low")
        await pilot.pause()
        await pilot.press("escape", "r")
        lab = app.screen.query_one("#regex-input", Input)
        await until(pilot, lambda: "\x1b" in lab.value)
        await pilot.press("down", "up")
        await pilot.pause(0.2)
        assert not raw_on_screen(app)
