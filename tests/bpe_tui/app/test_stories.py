"""Stories: keys, and what each changes on the screen.

A file of `stories/` names what is opened, then has keys after `>`, a text to paste in quotes, a
cell to click on such as `12,7`, a size such as `80x24`, or `to:` and a word of the row to move the
cursor to. After `|` are the names of the blocks that the keys are about, such as `tokens`, or
`tokens:3` for at most three rows together; without it they are all of the screen, or those in the
line of what is opened. `story.py` says how their changes are told.
Most corpora are so small that their numbers can be counted by hand.
"""

import re
import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from kept import check_kept, is_drawing
from opening import SAMPLE, opened_as, until
from story import MOST_ROWS, Teller, blocks_of
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input, TextArea
from tiny_tokenizers import LOW, timeline_of

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import BaseApp, SingleScreenApp
from bpe_tui.lessons.asking import QuizScreen
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.state import remember_opened
from engine import ask
from engine.wordpiece.frame import WordPieceTimeline
from engine.wordpiece.trainer import WordPieceTrainer

STORIES = Path(__file__).parent / "stories"
SLOW = (
    "another-run",
    "back",
    "breakpoints",
    "changes",
    "comparison",
    "encoding-lines",
    "family",
    "lesson-keys",
    "lessons",
    "models",
    "moves",
    "questions",
    "race",
    "textbook",
    "tokenizer",
    "tokenizer-over-a-corpus",
    "unigram-encoding",
    "unigram-explain",
    "unigram-vocabulary",
    "windows",
    "wordpiece-encoding",
    "wordpiece-explain",
)
"""Stories about further keys of a screen that a quick one shows, too."""
MOST_DOWN = 99
"""Most rows that the cursor is moved down."""
REST_SECONDS, WORK_SECONDS = 0.4, 2
"""Time without a change before lines are drawn, and of work before a test waits no more."""


def quiz_of(asked: str) -> QuizScreen:
    """Return a quiz about the course notes; `stale@2@w|e` is a question at step 2 about a pair."""
    run, pieces = timeline_of(LOW), WordPieceTrainer(LOW, 40, min_count=1)
    questions = []
    for kind, step, about in (each.split("@") for each in asked.split(",")):
        frame = run.seek(int(step)) if step else WordPieceTimeline(pieces.record).frame
        questions.append(ask(kind, frame, about=about or None))
    return QuizScreen(questions, id, "low")


@asynccontextmanager
async def opened_by(options: dict[str, str]) -> AsyncIterator[tuple[BaseApp, Pilot[int]]]:
    """Open what a story opens: a quiz, the start page after some files, or a config."""
    width, height = map(int, options.pop("size").split("x"))
    if "quiz" in options or "opened" in options:
        app: BaseApp = SingleScreenApp(lambda: quiz_of(options["quiz"]))
        if "opened" in options:
            app = BpeTuiApp(None)
            for name in options["opened"].split(","):
                remember_opened(TokenizerConfig(tuple(name.split("+"))))
        async with app.run_test(size=(width, height)) as pilot:
            yield app, pilot
        return
    async with opened_as(config_of(options), (width, height)) as (full, pilot):
        full.clear_notices()
        yield full, pilot


def config_of(options: dict[str, str]) -> Config:
    """Return what a story opens: a tokenizer, or a corpus with options."""
    if "tokenizer" in options:
        corpus = str(SAMPLE.with_name(options["corpus"])) if "corpus" in options else None
        return TokenizerConfig((str(SAMPLE.with_name(options["tokenizer"])),), corpus=corpus)
    given: dict[str, Any] = {
        name: int(text) if text.isdigit() else text for name, text in options.items()
    }
    return RunConfig(**given | {"corpus": str(SAMPLE.with_name(options["corpus"]))})


async def press(app: BaseApp, pilot: Pilot[int], key: str) -> None:
    """Press a key, paste a text, click on a cell, size the terminal, or go to a row."""
    if key[0] == '"':
        app.post_message(events.Paste(key[1:-1].replace("samples", str(SAMPLE.parent))))
    elif re.fullmatch(r"\d+,\d+", key):
        column, row = map(int, key.split(","))
        await pilot.click(offset=(column, row))
    elif re.fullmatch(r"\d+x\d+", key):
        width, height = map(int, key.split("x"))
        await pilot.resize_terminal(width, height)
        await until(pilot, lambda: app.screen.outer_size == (width, height))
    elif key.startswith("to:"):
        await go_to(app, pilot, key[3:])
    else:
        await pilot.press(key)
    await pilot.pause()


async def go_to(app: BaseApp, pilot: Pilot[int], word: str) -> None:
    """Move the cursor of the panel with the focus down to the next row with a word."""
    for _ in range(MOST_DOWN):
        if any(word in each.cursor for each in blocks_of(app.screen).values() if each.is_focused):
            return
        await press(app, pilot, "down")
    raise AssertionError(f"no row below has the word {word}")


async def told_by(
    app: BaseApp, pilot: Pilot[int], teller: Teller, about: dict[str, int], kept: list[str]
) -> list[str]:
    """Return the lines that are kept if they come, or those that stay."""
    clock, most = (monotonic, REST_SECONDS) if is_drawing() else (process_time, WORK_SECONDS)
    now, since = teller.news(app.screen, about), clock()
    while now != kept and clock() - since <= most:
        await pilot.pause(0.01)
        shown, now = now, teller.news(app.screen, about)
        if now != shown:
            since = clock()
    teller.keep()
    return now


def split_line(line: str) -> tuple[list[str], dict[str, int]]:
    """Return the words before `|`, and the blocks after it, each with its most rows together."""
    words = shlex.split(line, comments=True, posix=False)
    at = words.index("|") if "|" in words else len(words)
    named = (word.partition(":") for word in words[at + 1 :])
    return words[:at], {name: int(most or MOST_ROWS) for name, _, most in named}


def stories() -> list[ParameterSet]:
    """Return the names of all stories; those in `SLOW` are slow."""
    names = sorted(path.stem for path in STORIES.glob("*.txt"))
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in names]


@pytest.mark.parametrize("name", stories())
async def test_the_keys_of_a_story_change_what_it_tells(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for field in (Input, TextArea):
        monkeypatch.setattr(field, "cursor_blink", False)
    file, teller = STORIES / f"{name}.txt", Teller()
    parts = re.split("^(?=>)", file.read_text("utf-8"), flags=re.MULTILINE)
    opens, usual = split_line(parts[0].splitlines()[-1])
    async with opened_by(dict(option.split("=", 1) for option in opens)) as (app, pilot):
        app.animation_level = "none"
        for place, (line, *kept) in enumerate(map(str.splitlines, parts[1:]), 1):
            keys, about = split_line(line[1:])
            for key in keys:
                await press(app, pilot, key)
            lines = await told_by(app, pilot, teller, about or usual, kept)
            parts[place] = "\n".join([line, *lines, ""])
            if lines != kept and not is_drawing():
                break
    check_kept(file, "".join(parts))
