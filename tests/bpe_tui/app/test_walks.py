"""Walks: keys, and what each changes on the screen, with its colours.

A file of `walks/` names what is opened, then has keys after `>`, a text to paste in quotes, a cell
to click on such as `12,7`, or a size such as `80x24`, each with the rows of the screen that change.
Under a row, a letter marks each cell whose style is not that of most; the end of the file says
which. Most corpora are so small that their numbers can be counted by hand.
After a change that is meant, write the rows again and read what has changed:
`BPE_TUI_SNAPSHOTS=draw pytest -n 0 tests/bpe_tui/app/test_walks.py`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from string import ascii_letters, digits
from time import monotonic, process_time
from typing import Any

import pytest
from opening import SAMPLE, opened_as, until
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import BaseApp, SingleScreenApp
from bpe_tui.lessons.asking import QuizScreen
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.state import remember_opened
from bpe_tui.styles import DARK
from bpe_tui.widgets.textual_private import painted_lines
from engine import Timeline, Trainer, ask
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

WALKS = Path(__file__).parent / "walks"
DRAWN_WITH = Path(__file__).parent / "snapshots" / "drawn-with.txt"
VERSIONS = "\n".join(f"{name} {version(name)}" for name in ("textual", "rich")) + "\n"
DRAWS = os.environ.get("BPE_TUI_SNAPSHOTS") == "draw"
REST_SECONDS, WORK_SECONDS = 0.4, 2
"""Time without a change before the rows are written, and of work before a test waits no more."""
LETTERS = ascii_letters + digits + "αβγδεζηθλμπρστφψω"
TIME = re.compile(r" *(?:[\d.,]+ [µm]s|\d+\.\d+ s)\b")
"""A measured time, which is never the same."""

USUAL = {f"{DARK.foreground} on {DARK.background}": " "}
"""The style without a letter."""

Rows = list[tuple[str, str]]
"""The text of each row of the screen, and the letters of its styles."""


def quiz_of(asked: str) -> QuizScreen:
    """Return a quiz about the course notes; `stale@2@w|e` is a question at step 2 about a pair."""
    counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    trainer, pieces = Trainer(counts, 300), WordPieceTrainer(counts, 40, min_count=1)
    run = Timeline(counts, trainer.steps(), record=trainer.record)
    run.complete()
    questions = []
    for kind, step, about in (each.split("@") for each in asked.split(",")):
        frame = run.seek(int(step)) if step else WordPieceTimeline(pieces.record).frame
        questions.append(ask(kind, frame, about=about or None))
    return QuizScreen(questions, id, "low")


@asynccontextmanager
async def opened_by(line: str) -> AsyncIterator[tuple[BaseApp, Pilot[int]]]:
    """Open what a walk opens: a quiz, the start page after some files, or a config."""
    options = dict(option.split("=", 1) for option in line.split())
    if "quiz" in options or "opened" in options:
        app: BaseApp = SingleScreenApp(lambda: quiz_of(options["quiz"]))
        if "opened" in options:
            app = BpeTuiApp(None)
            for name in options["opened"].split(","):
                remember_opened(TokenizerConfig(tuple(name.split("+"))))
        width, height = map(int, options["size"].split("x"))
        async with app.run_test(size=(width, height)) as pilot:
            yield app, pilot
        return
    async with opened_as(*config_of(line)) as (full, pilot):
        full.clear_notices()
        yield full, pilot


def config_of(line: str) -> tuple[Config, tuple[int, int]]:
    """Return what a walk opens, a tokenizer or a corpus with options, and the size."""
    options = dict(option.split("=", 1) for option in line.split())
    width, height = map(int, options.pop("size").split("x"))
    if "tokenizer" in options:
        corpus = str(SAMPLE.with_name(options["corpus"])) if "corpus" in options else None
        file = str(SAMPLE.with_name(options["tokenizer"]))
        return TokenizerConfig((file,), corpus=corpus), (width, height)
    given: dict[str, Any] = {
        name: int(text) if text.isdigit() else text for name, text in options.items()
    }
    return RunConfig(**given | {"corpus": str(SAMPLE.with_name(options["corpus"]))}), (
        width,
        height,
    )


def painted(app: BaseApp, letters: dict[str, str]) -> Rows:
    """Return the rows of the screen in front; a style without a letter gets one."""
    rows = []
    for strip in painted_lines(app.screen):
        text = TIME.sub(lambda found: "time".rjust(len(found[0])), strip.text.rstrip())
        styles = (str(part.style) for part in strip)
        found = [letters.setdefault(style, LETTERS[len(letters) - 1]) for style in styles]
        marks = "".join(
            letter * part.cell_length for letter, part in zip(found, strip, strict=True)
        )
        rows.append((text, marks.rstrip()))
    return rows


def changed(before: Rows, now: Rows) -> list[str]:
    """Return the lines of the rows that are not as before."""
    lines: list[str] = []
    for place, (text, marks) in enumerate(now):
        if len(before) != len(now) or before[place] != (text, marks):
            lines += [f"{place:3} {text}", *[f"    {marks}"] * bool(marks)]
    return lines


async def press(app: BaseApp, pilot: Pilot[int], key: str) -> None:
    """Press a key, paste a text, click on a cell, or give the terminal a size."""
    if key[0] == '"':
        app.post_message(events.Paste(key[1:-1].replace("samples", str(SAMPLE.parent))))
    elif re.fullmatch(r"\d+,\d+", key):
        column, row = map(int, key.split(","))
        await pilot.click(offset=(column, row))
    elif "x" in key and key[0].isdigit():
        width, height = map(int, key.split("x"))
        await pilot.resize_terminal(width, height)
        await until(pilot, lambda: app.screen.outer_size == (width, height))
    else:
        await pilot.press(key)
    await pilot.pause()


async def lines_of(
    app: BaseApp, pilot: Pilot[int], before: Rows, letters: dict[str, str], wanted: list[str]
) -> tuple[Rows, list[str]]:
    """Return the rows and the changed lines: those wanted if they come, or those that stay."""
    clock, most = (monotonic, REST_SECONDS) if DRAWS else (process_time, WORK_SECONDS)
    now, since = painted(app, letters), clock()
    while changed(before, now) != wanted or DRAWS:
        if clock() - since > most:
            break
        await pilot.pause(0.01)
        shown, now = now, painted(app, letters)
        if now != shown:
            since = clock()
    return now, changed(before, now)


@pytest.mark.parametrize("name", sorted(path.stem for path in WALKS.glob("*.txt")))
async def test_the_keys_of_a_walk_draw_its_rows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for field in (Input, TextArea):
        monkeypatch.setattr(field, "cursor_blink", False)
    file = WALKS / f"{name}.txt"
    if not DRAWS and DRAWN_WITH.read_text("utf-8") != VERSIONS:
        pytest.skip("the walks were drawn with other versions of Textual or Rich")
    head, *walk = re.split("^(?=>)", file.read_text("utf-8"), flags=re.MULTILINE)
    *_, legend = walk[-1].partition("\n\n")
    letters = USUAL | {line[4:]: line[0] for line in legend.splitlines() if not DRAWS}
    rows, written = Rows(), head
    async with opened_by(head.splitlines()[-1]) as (app, pilot):
        app.animation_level = "none"
        for keys, *wanted in (part.partition("\n\n")[0].splitlines() for part in walk):
            for key in shlex.split(keys[1:], comments=True, posix=False):
                await press(app, pilot, key)
            rows, lines = await lines_of(app, pilot, rows, letters, wanted)
            assert lines == wanted or DRAWS, f"{file} has other rows after {keys}"
            written += "\n".join([keys, *lines, ""])
    if DRAWS:
        written += "".join(
            f"\n{letter} = {style}" for style, letter in letters.items() if letter > " "
        )
        file.write_text(f"{written}\n", "utf-8")
