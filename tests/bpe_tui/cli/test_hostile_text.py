"""No text of a corpus, a file name or a tokenizer sends control characters to the terminal."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import regex
from opening import opened_as
from program import press_on_terminal
from screen_text import RAW, raw_on_screen
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from bpe_tui.cli.console import print_json
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.text_field import TextField

NAME = "a\x1b]52;c;aGk=\x07\u202eb[red]"
HOSTILE = (
    "\x1b]52;c;aGk=\x07 \x1b[2J\x9b31m \u202eabc\u2066 a\u200bb\u200d \x00\x7f\ufeff "
    "\u2028 [red]x[/] "
)

KEYS = (
    *("right", "end", "left", "enter", "escape", "question_mark", "escape", "ctrl+p", "escape"),
    *("0", "right", "down", "2", "e", "escape", "r", "down", "escape", "w", "down", "enter"),
    *("3", "end", "enter", "escape", "4", "5", "6", "7", "8", "9", "1", "s", "escape", "x"),
    *("escape", "o", "escape", "b", "escape", "f", "escape", "c", "escape", "h", "m", "escape"),
    *("P", "escape", "L", "escape", "i", "v", "tab", "down", "enter", "escape"),
)


def hostile_corpus(folder: Path) -> Path:
    corpus = folder / f"{NAME}.txt"
    corpus.write_text(HOSTILE * 8 + "low lower lowest newest " * 4, encoding="utf-8")
    return corpus


def all_fields_are_ours(app: App[int]) -> bool:
    fields = (*app.screen.query(Input), *app.screen.query(TextArea))
    return all(isinstance(each, Field | TextField) for each in fields)


async def drive(app: App[int], pilot: Pilot[int]) -> None:
    for key in KEYS:
        await pilot.press(key)
        assert not raw_on_screen(app), (key, app.screen)
        assert all_fields_are_ours(app), (key, app.screen)
        if key in ("x", "s", "o", "ctrl+p"):
            for field in app.screen.query(Input):
                field.value = HOSTILE
            await pilot.pause()
            assert not raw_on_screen(app), (key, app.screen)


@pytest.mark.slow  # it walks through all screens
@pytest.mark.parametrize(
    ("model", "pattern"),
    [("bpe", "whitespace"), ("bpe", "none"), ("wordpiece", "bert"), ("unigram", "whitespace")],
)
async def test_no_screen_draws_a_hostile_corpus_or_its_name_as_it_is(
    tmp_path: Path, model: str, pattern: str
) -> None:
    corpus = hostile_corpus(tmp_path)
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


def hostile_tokenizer(folder: Path) -> Path:
    letters = [chr(code) for code in (*range(33, 127), *range(161, 173), *range(174, 324))]
    byte_level = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "use_regex": False,
        "trim_offsets": True,
    }
    split = {
        "type": "Split",
        "pattern": {"Regex": "\u202e|\x1b|\\w+|\\W"},
        "behavior": "Isolated",
        "invert": False,
    }
    vocab = {token: place for place, token in enumerate([*letters, "lo"])}
    special = {"id": len(vocab), "content": HOSTILE, "special": True}
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    place = folder / f"{NAME}.json"
    place.write_text(
        json.dumps(
            {
                "model": {"type": "BPE", "vocab": vocab, "merges": ["l o"]},
                "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
                "added_tokens": [special | flags],
            }
        )
    )
    return place


# The stream of bytes that a real terminal is given

UNFINISHED = regex.compile(r"\x1b[^A-Za-z]*\Z")
"""A sequence of ours whose end is read with the next key: reading ends after some time."""
OWN = regex.compile(
    r"\x1b\[[0-9;]*m|\x1b\[\d+;\d+H|\x1b\[\?[\d;]+(?:[hl]|\$p)|\x1b\[[<>]\d*u"
    r"|\x1b\]22;[a-z-]+\x07|\x1b\]52;c;[\w+/=]{20,}\x07|\r?\n"
)
"""The program's own control sequences: colours, places, modes, the pointer, the command of `y`.

Nothing in `HOSTILE` is like it.
"""
SENT = {
    "down": "\x1b[B",
    "right": "\x1b[C",
    "end": "\x1b[F",
    "escape": "\x1b",
    "enter": "\r",
    "tab": "\t",
}
"""Key → what a terminal sends for it."""
PRESSED = """
    escape right end 1 ? escape 0 right 2 down a w escape 3 end escape 4 5 7 8 down enter escape
    9 1 s escape x escape o escape b escape i escape v tab down enter escape y escape S escape
"""


def hostile_lesson(folder: Path) -> Path:
    def toml(text: str) -> str:
        return json.dumps(text).replace("\x7f", "\\u007f")

    line = HOSTILE.replace("\u2028", "")
    lesson = folder / f"{NAME}.md"
    lesson.write_text(
        f"+++\ntitle = {toml(HOSTILE)}\ncorpus = {toml(hostile_corpus(folder).name)}\n"
        f"vocab-size = 280\n+++\n## {line}\n{line} **{line}** `{line}` &#27;]52; &#x202e;\n"
        f'```show\nview = "encoding"\nstep = 2\ntext = {toml(HOSTILE)}\n```\n'
        f'## {line}\n```ask\nkind = "next-pair"\nsteps = [1, 2]\n```\n',
    )
    return lesson


@pytest.mark.slow  # the program is started, and each key waits until a terminal is quiet
@pytest.mark.parametrize(
    ("made", "before"),
    [
        (hostile_tokenizer, ""),
        (hostile_lesson, "N N enter ! escape N L escape"),
    ],
)
def test_a_terminal_gets_no_control_characters_of_a_hostile_file(
    tmp_path: Path, made: Callable[[Path], Path], before: str
) -> None:
    command = ["learn"] if made is hostile_lesson else []
    keys = [SENT.get(key, key) for key in f"{before} {PRESSED}".split()]
    drawn = 0
    for key, written in press_on_terminal(keys, *command, made(tmp_path), state=tmp_path / "state"):
        text = UNFINISHED.sub("", OWN.sub("", written.decode(errors="replace")))
        drawn += text.count("␛")
        assert not RAW.findall(text), (key, text)
    assert drawn
    assert not (tmp_path / "state" / "bpe-tui" / "reports").exists()
