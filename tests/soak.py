# ruff: noqa: E402, the path has to be known before the imports
"""Search for keys that do harm: `python tests/soak.py SECONDS [--seed N]`.

Random keys, some of them at once, clicks, drags, wheels, pastes and sizes, and storms of clicks and
sizes over the help, go to the applications of
all models, to tokenizers, counts, checks, comparisons, the start page, lessons and a
quiz, with colours and without. Of each failure the seed and the shortest sequence that still fails
are printed; what stands raw on a screen is one, too, and so is a report. At the end the screens
are told that nothing came to. It is no part of `pytest`.

`python tests/soak.py --growth` presses 1,000 keys on all screens of one application after as many
to warm up, and fails if memory grows by more than 5 MB.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS), str(TESTS / "bpe_tui"), str(TESTS / "engine")]

import psutil
import textual._wait
from fuzz_formats import hugging_faces
from opening import _RUNS, burst, recorded_once
from screen_text import raw_on_screen
from textual import events
from textual.app import App
from textual.drivers.headless_driver import HeadlessDriver
from textual.errors import NoWidget
from textual.geometry import Size
from textual.pilot import OutOfBounds, Pilot
from textual.screen import Screen
from textual.widgets import Input
from tiny_tokenizers import LOW, timeline_of

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import SingleScreenApp
from bpe_tui.lessons.asking import QuizScreen
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import Claimed, Config, RunConfig, TokenizerConfig
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.studies.comparison import ComparedTokenizer, ComparisonScreen
from bpe_tui.widgets.textual_private import guard_messages
from engine import Tokenizer, ask
from engine.text.excerpt import Excerpt

textual._wait.SLEEP_GRANULARITY, textual._wait.SLEEP_IDLE = 0.002, 0.0002
"""Without it Textual's pilot sleeps 50 ms for each key."""
setattr(App, "_print_error_renderables", lambda _: None)  # noqa: B010
"""A failure is printed in one line."""
SIZES = ((120, 40), (80, 24), (40, 20), (20, 10), (1, 1), (200, 60))
SCREENS = tuple("0123456789")
HANDS = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "tab", "space"),
    *("shift+tab", "backspace", "shift+left", "shift+right", "ctrl+a", "delete"),
)
DECLARED = tuple({key for command in COMMANDS for key in command.keys.split(",")})
LETTERS = "abcdefghijklmnoprstuvwxyz0123456789ABCDEFGHIKLMNOPRSTUVWXYZ+-<>.,/?% "
TEXTS = (
    "\x1b]52;c;aGk=\x07",
    "\u202eabc",
    "🇩🇪👍🏽",
    "(?a)(?u)x",
    "(a|aa)+$",
    "low lower",
    "9" * 30,
)
WORDS = ("step", "back", "explain", "save", "open", "encode", "model", "why", "zzz", "breakpoints")
WHEELS = (events.MouseScrollDown, events.MouseScrollUp)
LENGTHS = (60, 60, 60, 300)
LONGEST_SHRINK = 40
"""Most tries to shorten the keys of a failure."""
WARM_ROUNDS = 30
"""Actions after which, and after a minute, memory should not grow any more."""

Doing = tuple[str, ...]


def some_key(dice: random.Random) -> str:
    """Return a key: often Escape, since windows take all keys; else a screen, command or letter."""
    kinds = (("escape",), SCREENS, HANDS, HANDS, DECLARED, DECLARED, LETTERS)
    return dice.choice(dice.choice(kinds))


def some_burst(dice: random.Random) -> tuple[str, ...]:
    """Return keys that are pressed at once: any, or a command that the help finds."""
    if dice.random() < 0.7:
        return tuple(some_key(dice) for _ in range(dice.choice((2, 3, 8, 20))))
    typed = dice.choice(WORDS)[: dice.randrange(9)]
    ends = [dice.choice(("enter", "enter", "escape")) for _ in range(dice.randrange(5))]
    return (*dice.choice((("ctrl+p",), ())), *typed, *ends)


def some_storm(dice: random.Random) -> tuple[str, ...]:
    """Return what comes at once while the help opens: clicks, moves, wheels, sizes and keys."""
    kinds = ("down", "down", "up", "up", "move", "wheel", "size", "size", "key")
    storm = []
    for _ in range(dice.choice((3, 10, 30))):
        kind = dice.choice(kinds)
        places = dice.choice(SIZES) if kind == "size" else (dice.randrange(120), dice.randrange(40))
        key = dice.choice(("escape", "escape", "enter", "down", *"st"))
        storm.append(key if kind == "key" else " ".join([kind, *map(str, places)]))
    return tuple(storm)


def some_doing(dice: random.Random) -> list[Doing]:
    """Return an action: keys, the mouse, a paste or another size of the terminal."""
    done: list[Doing] = []
    for _ in range(dice.choice(LENGTHS)):
        kind = dice.random()
        places = [str(dice.randrange(end)) for end in (120, 40, 120, 40)]
        if kind < 0.7:
            done.append(("key", some_key(dice)))
        elif kind < 0.85:
            done.append(("keys", *some_burst(dice)))
        elif kind < 0.87:
            done.append(("storm", *some_storm(dice)))
        elif kind < 0.9:
            done.append(("click", *places[:2]))
        elif kind < 0.92:
            done.append(("drag", *places))
        elif kind < 0.94:
            done.append(("wheel", *places[:2], str(dice.randrange(2))))
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


def quiz(_: Path) -> App[int]:
    run = timeline_of(LOW, excerpt=Excerpt.of(b"don't go, lower widest", "gpt2"))
    asked = [
        *(ask("next-pair", run.seek(1)), ask("count-change", run.seek(0), about="e|s")),
        ask("stale", run.seek(2), about="w|e"),
        ask("encode-by-hand", run.seek(2), about="newest"),
        ask("make-merges", run.seek(0)),
    ]
    return SingleScreenApp(lambda: QuizScreen(asked, lambda _: None, "low"))


def live(corpus: Path) -> App[int]:
    """Open a training that runs while keys are pressed."""
    app = BpeTuiApp(RunConfig(str(corpus), vocab_size=500, trainer="naive"), OpeningJob)
    app.makes_ahead = False
    return app


def with_stages(corpus: Path, name: str) -> App[int]:
    """Open a tokenizer of Hugging Face's over a corpus: like Llama's, BERT's, T5's."""
    place = corpus.with_name(f"{name}.json")
    place.write_text(json.dumps(hugging_faces()[name]))
    return opening(TokenizerConfig((str(place),), str(corpus)))


def comparison(_: Path) -> App[int]:
    names = [str(GOLDEN / name) for name in ("tokenizer.json", "gpt2", "handout.tiktoken")]
    text = "low \x1b[2J lower \u202e newest\n".encode()
    compared = [ComparedTokenizer(name, partial(Tokenizer.load, name)) for name in names]
    return SingleScreenApp(lambda: ComparisonScreen(compared, text))


GOLDEN = TESTS / "engine" / "golden"
CLAIMED = Claimed((str(GOLDEN / "gpt2" / "vocab.json"), str(GOLDEN / "gpt2" / "merges.txt")))
OPENINGS: dict[str, Callable[[Path], App[int]]] = {
    "bpe": trained,
    "wordpiece": lambda corpus: trained(corpus, model="wordpiece"),
    "unigram": lambda corpus: trained(corpus, model="unigram"),
    "a regex": lambda corpus: trained(corpus, pattern="\x1b|\u202e|\\w+|\\W"),
    "characters": lambda corpus: trained(corpus, pattern="whitespace", units="end-of-word"),
    "live": live,
    "check": lambda corpus: trained(corpus, claimed=CLAIMED),
    "comparison": comparison,
    "tokenizer": lambda _: opening(TokenizerConfig((str(GOLDEN / "tokenizer.json"),))),
    "tokenizer over corpus": lambda corpus: opening(
        TokenizerConfig((str(GOLDEN / "gpt2"),), str(corpus))
    ),
    **{name: lambda corpus, name=name: with_stages(corpus, name) for name in hugging_faces()},
    "start": lambda _: opening(None),
    "quiz": quiz,
}
LESSONS: dict[str, Callable[[Path], App[int]]] = {
    f"lesson {number + 1}": lambda _, number=number: lesson(number) for number in range(22)
}


# Doing it


async def do(app: App[int], pilot: Pilot[int], kind: str, what: tuple[str, ...]) -> None:
    if kind == "key":
        await pilot.press(what[0])
    elif kind == "keys" and app._driver is not None:  # before any of them is dealt with
        burst(app, *what)
        await pilot.pause()
    elif kind == "storm" and app._driver is not None:
        burst(app, "ctrl+p")
        for each in what:
            storm(app, *each.split())
        await pilot.pause()
        await pilot.resize_terminal(120, 40)
    elif kind == "size":
        await pilot.resize_terminal(int(what[0]), int(what[1]))
    elif kind == "text" and isinstance(app.focused, Input):
        app.focused.value = what[0]
    elif kind in ("click", "drag", "wheel") and app.size.width > 1:
        x, y = (min(int(at), end - 1) for at, end in zip(what, app.size, strict=False))
        with contextlib.suppress(OutOfBounds, NoWidget):  # the screen is not laid out yet
            if kind == "click":
                await pilot.click(offset=(x, y), times=1 + (x % 7 == 0))
            elif kind == "drag":
                await pilot.mouse_down(offset=(x, y))
                to = (min(int(at), end - 1) for at, end in zip(what[2:], app.size, strict=True))
                await pilot.hover(offset=tuple(to))
                await pilot.mouse_up(offset=(x, y))
            else:
                await pilot._post_mouse_events([WHEELS[int(what[2])]], offset=(x, y), button=0)
    SEEN.add(type(app.screen).__name__)


MOUSE: dict[str, type[events.MouseEvent]] = {
    "down": events.MouseDown,
    "up": events.MouseUp,
    "move": events.MouseMove,
    "wheel": events.MouseScrollDown,
}


def storm(app: App[int], kind: str, *places: str) -> None:
    """Send an event as the terminal does, before those before it are dealt with."""
    assert isinstance(app._driver, HeadlessDriver)
    x, y = map(int, places or "00")
    if kind == "size":
        app._driver._size = Size(x, y)
        app.post_message(events.Resize(Size(x, y), Size(x, y)))
    elif kind in MOUSE:
        app._driver.process_message(
            MOUSE[kind](None, x, y, 0, 0, int(kind in ("down", "up")), False, False, False, x, y)
        )
    else:
        burst(app, kind)


SEEN = set[str]()
"""The screens and windows that got an action."""


def never_seen(kind: type[Any] = Screen) -> list[str]:
    """Return our screens and windows that got no action."""
    found = []
    for each in kind.__subclasses__():
        if each.__module__.startswith("bpe_tui") and not each.__subclasses__():
            found += [each.__name__] if each.__name__ not in SEEN else []
        found += never_seen(each)
    return sorted(set(found))


def reports() -> list[Path]:
    return [*Path(os.environ["XDG_STATE_HOME"], "bpe-tui").glob("reports/*")]


def reraise(error: Exception) -> None:
    raise error


async def failure_of(opened: str, doing: list[Doing], corpus: Path) -> str | None:
    """Return the failure of some actions, or `None`; leaving the program is no failure."""
    in_threads: list[BaseException] = []
    threading.excepthook = lambda failed: in_threads.append(failed.exc_value or SystemError())
    try:
        app = (OPENINGS | LESSONS)[opened](corpus)
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
        for written in reports():
            told = written.read_text()
            written.unlink()
            return f"reported: {told[-600:]}"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {last.filename}:{last.lineno}: {str(error)[:200]}"
    return None


async def shortest(opened: str, doing: list[Doing], corpus: Path) -> list[Doing]:
    """Return fewer actions with the same failure, as few as the time allows."""
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
    """Search for `seconds`; return the number of different failures."""
    began, rounds, found, memory = time.monotonic(), 0, set[str](), 0
    corpus = Path("corpus.txt").resolve()
    corpus.write_text("low lower lowest newest widest \u200b漢字 👍🏽 1234\n" * 30)
    while (passed := time.monotonic() - began) < seconds:
        dice = random.Random(f"{seed} {rounds}")
        opened = dice.choice((*OPENINGS, *OPENINGS, *dice.sample(list(LESSONS), 4)))
        doing = some_doing(dice)
        os.environ.pop("NO_COLOR", None)
        if dice.random() < 0.2:
            os.environ["NO_COLOR"] = "1"
        failure = await failure_of(opened, doing, corpus)
        if failure and failure not in found:
            found.add(failure)
            print(f"seed {seed}, round {rounds}, {opened}: {failure}", flush=True)
            print(f"  {await shortest(opened, doing, corpus)}", flush=True)
        rounds += 1
        _RUNS.clear()
        gc.collect()  # whole applications wait for it, of which a program has one
        if passed < 60 or rounds <= WARM_ROUNDS:
            memory = psutil.Process().memory_info().rss
    gc.collect()
    grown = psutil.Process().memory_info().rss / memory
    print(f"seed {seed}: {rounds} rounds, {len(found)} failures, memory {grown:.2f} times")
    print(f"  never seen: {', '.join(never_seen()) or 'none'}")
    return len(found)


TOUR = (
    *("l", "l", "right_square_bracket", "question_mark", "escape", *"2345", "1", "t", "h"),
    *("x", "escape", "b", "escape", "ctrl+p", "escape", "s", "escape", *"0ll", "1", "l"),
)
"""Keys that come to all screens of a training, and open and close windows."""
MOST_GROWTH = 5.0
"""Megabytes that memory may grow by in 1,000 keys."""


async def growth() -> float:
    """Return how many megabytes a warm application grows by in 1,000 keys."""
    corpus = Path("corpus.txt").resolve()
    corpus.write_text("".join(f"lower {number * number} newest\n" for number in range(2_000)))
    app = opening(RunConfig(str(corpus), vocab_size=2_000))
    sizes = []
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(0.2)
        for _ in range(2):
            for place in range(1_000):
                await pilot.press(TOUR[place % len(TOUR)])
            gc.collect()
            sizes.append(psutil.Process().memory_info().rss / 1e6)
    return sizes[1] - sizes[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=60)
    parser.add_argument("--growth", action="store_true", help="measure memory instead")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    guard_messages(reraise)  # as the application does at a terminal
    gc.freeze = lambda: None  # it would keep each application for ever
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # what it saves goes with it
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"):
            os.environ[name] = str(Path(folder, name.lower()))
        if given.growth:
            print(f"1,000 keys: {(grown := asyncio.run(growth())):+.1f} MB")
            sys.exit(grown > MOST_GROWTH)
        sys.exit(bool(asyncio.run(soak(given.seconds, given.seed))))
