"""Search for keys that do harm: `python tests/soak.py SECONDS [--seed N]`.

Random keys, clicks, wheels, pastes and sizes go to the applications of all models, to tokenizers,
the start page, lessons and a quiz, with colours and without. Of each failure the seed and the
shortest sequence that still fails are printed; what stands raw on a screen is one, too. It is no
part of `pytest`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS / "app")]

import psutil  # noqa: E402
from opening import recorded_once  # noqa: E402
from test_hostile_text import raw_on_screen  # noqa: E402
from textual.app import App  # noqa: E402
from textual.events import MouseScrollDown, MouseScrollUp  # noqa: E402
from textual.pilot import OutOfBounds, Pilot  # noqa: E402
from textual.widgets import Input  # noqa: E402

from bpe_tui.app.app import BpeTuiApp  # noqa: E402
from bpe_tui.app.single_screen import QuizApp  # noqa: E402
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig  # noqa: E402
from engine import Timeline, Trainer  # noqa: E402
from engine.learning.questions import ask  # noqa: E402
from engine.text.excerpt import Excerpt  # noqa: E402

SIZES = ((120, 40), (80, 24), (40, 20), (20, 8), (1, 1), (200, 60))
NAMED = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape"),
    *("tab", "shift+tab", "space", "ctrl+p", "question_mark", "slash", "backspace", "ctrl+o"),
)
SELDOM = (
    *("shift+left", "shift+right", "ctrl+n", "ctrl+b", "ctrl+t", "ctrl+l", "ctrl+g", "ctrl+s"),
    *("f2", "f3", "f4", "percent_sign", "exclamation_mark", "P", "L", "N", "N"),
)
LETTERS = "abcdefghijklmnoprstuvwxyz0123456789ABCDEFGHILMNOPRSTUVWXYZ+-<>.,"
KEYS = (*NAMED, *NAMED, *SELDOM, *LETTERS)
TEXTS = (
    "\x1b]52;c;aGk=\x07",
    "\u202eabc",
    "🇩🇪👍🏽",
    "(?a)(?u)x",
    "(a|aa)+$",
    "low lower",
    "9" * 30,
)
WHEELS = (MouseScrollDown, MouseScrollUp)
LENGTHS = (60, 60, 60, 300)
LONGEST_SHRINK = 40
"""Tries to make one failure shorter."""
WARM_ROUNDS = 30
"""After so many, and a minute, all screens have been there, and memory should grow no more."""

Doing = tuple[str, ...]


def some_doing(dice: random.Random) -> list[Doing]:
    """What somebody does: a key, a click, the wheel, a paste or another size of the terminal."""
    done: list[Doing] = []
    for _ in range(dice.choice(LENGTHS)):
        kind, place = dice.random(), (str(dice.randrange(120)), str(dice.randrange(40)))
        if kind < 0.86:
            done.append(("key", dice.choice(KEYS)))
        elif kind < 0.91:
            done.append(("click", *place))
        elif kind < 0.94:
            done.append(("wheel", *place, str(dice.randrange(2))))
        elif kind < 0.97:
            done.append(("text", dice.choice(TEXTS)))
        else:
            done.append(("size", *map(str, dice.choice(SIZES))))
    return done


# What is opened


def trained(corpus: Path, **asked: Any) -> App[int]:
    return opening(RunConfig(str(corpus), vocab_size=300, **asked))


def opening(config: Config | None, lesson: Path | None = None) -> App[int]:
    app = BpeTuiApp(config, recorded_once, lesson=lesson)
    app.makes_ahead = False
    return app


def lesson(number: int) -> App[int]:
    folder = TESTS.parent / "bpe_tui" / "lessons" / "builtin" / "en"
    return opening(None, sorted(folder.glob("*.md"))[number])


def quiz() -> App[int]:
    counts = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
    trainer = Trainer(counts, 300)
    excerpt = Excerpt.of(b"don't go, lower widest", "gpt2")
    run = Timeline(counts, trainer.steps(), record=trainer.record, excerpt=excerpt)
    run.complete()
    asked = [
        *(ask("next-pair", run.seek(0)), ask("count-change", run.seek(0), about="e|s")),
        *(ask("stale", run.seek(2), about="w|e"), ask("cuts", run.seek(0), about="don't go")),
        *(ask("encode-by-hand", run.seek(2), about="newest"), ask("decode", run.seek(2))),
    ]
    return QuizApp(asked, lambda _: None, "low")


GOLDEN = TESTS / "engine" / "golden"
OPENINGS: dict[str, Callable[[Path], App[int]]] = {
    "bpe": trained,
    "wordpiece": lambda corpus: trained(corpus, model="wordpiece"),
    "unigram": lambda corpus: trained(corpus, model="unigram"),
    "a regex": lambda corpus: trained(corpus, pattern="\x1b|\u202e|\\w+|\\W"),
    "characters": lambda corpus: trained(corpus, pattern="whitespace", units="end-of-word"),
    "tokenizer": lambda _: opening(TokenizerConfig((str(GOLDEN / "tokenizer.json"),))),
    "tokenizer over corpus": lambda corpus: opening(
        TokenizerConfig((str(GOLDEN / "gpt2"),), str(corpus))
    ),
    "start": lambda _: opening(None),
    "quiz": lambda _: quiz(),
    **{f"lesson {n + 1}": lambda _, n=n: lesson(n) for n in range(13)},
}


# Doing it


async def do(app: App[int], pilot: Pilot[int], kind: str, what: tuple[str, ...]) -> None:
    if kind == "key":
        await pilot.press(what[0])
    elif kind == "size":
        await pilot.resize_terminal(int(what[0]), int(what[1]))
    elif kind == "text" and isinstance(app.focused, Input):
        app.focused.value = what[0]
    elif kind in ("click", "wheel") and int(what[0]) < app.size.width > 1:
        place = int(what[0]), min(int(what[1]), app.size.height - 1)
        with contextlib.suppress(OutOfBounds):  # the screen in front is not laid out yet
            if kind == "click":
                await pilot.click(offset=place)
            else:
                await pilot._post_mouse_events([WHEELS[int(what[2])]], offset=place, button=0)


async def failure_of(opened: str, doing: list[Doing], corpus: Path) -> str | None:
    """Where it fails, or `None`; leaving the program is no failure."""
    in_threads: list[BaseException] = []
    threading.excepthook = lambda failed: in_threads.append(failed.exc_value or SystemError())
    try:
        app = OPENINGS[opened](corpus)
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.pause(0.2)
            for kind, *what in doing:
                if not app.is_running or not app.screen_stack:
                    return None
                await do(app, pilot, kind, tuple(what))
            await pilot.pause()
            if app.is_running and app.screen_stack and (raw := raw_on_screen(app)):
                return f"raw on {app.screen}: {raw}"
        if in_threads:
            raise in_threads[0]
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {last.filename}:{last.lineno}: {str(error)[:200]}"
    return None


async def shortest(opened: str, doing: list[Doing], corpus: Path) -> list[Doing]:
    """A part of it that fails, too, from which nothing more could be left out in the time."""
    tries, step = 0, len(doing) // 2
    while step and tries < LONGEST_SHRINK:
        place = 0
        while place < len(doing) and tries < LONGEST_SHRINK:
            tries += 1
            shorter = doing[:place] + doing[place + step :]
            if shorter and await failure_of(opened, shorter, corpus):
                doing = shorter
            else:
                place += step
        step //= 2
    return doing


async def soak(seconds: float, seed: int) -> int:
    """Search so long; how many different failures there were."""
    began, rounds, found, memory = time.monotonic(), 0, set[str](), 0
    corpus = Path("corpus.txt").resolve()
    corpus.write_text("low lower lowest newest widest \u200b漢字 👍🏽 1234\n" * 30)
    while (passed := time.monotonic() - began) < seconds:
        dice = random.Random(f"{seed} {rounds}")
        opened, doing = dice.choice(list(OPENINGS)), some_doing(dice)
        os.environ.pop("NO_COLOR", None)
        if dice.random() < 0.2:
            os.environ["NO_COLOR"] = "1"
        failure = await failure_of(opened, doing, corpus)
        if failure and failure not in found:
            found.add(failure)
            print(f"seed {seed}, round {rounds}, {opened}: {failure}", flush=True)
            print(f"  {await shortest(opened, doing, corpus)}", flush=True)
        rounds += 1
        if passed < 60 or rounds <= WARM_ROUNDS:
            gc.collect()
            memory = psutil.Process().memory_info().rss
    gc.collect()
    grown = psutil.Process().memory_info().rss / memory
    print(f"seed {seed}: {rounds} rounds, {len(found)} failures, memory {grown:.2f} times")
    return len(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    gc.freeze = lambda: None  # it would keep each application for ever
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what it saves goes with it
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            os.environ[name] = str(Path(folder, name.lower()))
        sys.exit(bool(asyncio.run(soak(given.seconds, given.seed))))
