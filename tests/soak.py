"""Search for keys that do harm: `python tests/soak.py SECONDS [--seed N]`.

Random keys, clicks, pastes and sizes go to applications of all models. Of each failure the seed and
the shortest sequence that still fails are printed. It is no part of `pytest`.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent / "app")]

import psutil  # noqa: E402
from opening import opened  # noqa: E402
from textual.widgets import Input  # noqa: E402

MODELS = ("bpe", "wordpiece", "unigram")
SIZES = ((120, 40), (80, 24), (40, 20), (20, 8), (1, 1), (200, 60))
NAMED = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown", "enter", "escape"),
    *("tab", "shift+tab", "space", "ctrl+p", "question_mark", "slash", "backspace", "ctrl+o"),
)
KEYS = (*NAMED, *NAMED, *"abcdefghijklmnoprstuvwxyz0123456789ABCDEFGHILMNOPRSTUVWXYZ+-<>.,")
TEXTS = (
    "\x1b]52;c;aGk=\x07",
    "\u202eabc",
    "🇩🇪👍🏽",
    "(?a)(?u)x",
    "(a|aa)+$",
    "low lower",
    "9" * 30,
)
LENGTH = 60
LONGEST_SHRINK = 40
"""Tries to make one failure shorter."""

Doing = tuple[str, ...]


def some_doing(dice: random.Random) -> list[Doing]:
    """What somebody does: a key, a click, a paste or another size of the terminal."""
    done: list[Doing] = []
    for _ in range(LENGTH):
        kind = dice.random()
        if kind < 0.9:
            done.append(("key", dice.choice(KEYS)))
        elif kind < 0.94:
            done.append(("click", str(dice.randrange(120)), str(dice.randrange(40))))
        elif kind < 0.97:
            done.append(("text", dice.choice(TEXTS)))
        else:
            done.append(("size", *map(str, dice.choice(SIZES))))
    return done


async def failure_of(model: str, doing: list[Doing], corpus: Path) -> str | None:
    """Where it fails, or `None`; leaving the program is no failure."""
    try:
        async with opened(corpus, vocab_size=300, model=model) as (app, pilot):
            for kind, *what in doing:
                if not app.is_running or not app.screen_stack:
                    return None
                if kind == "key":
                    await pilot.press(what[0])
                elif kind == "size":
                    await pilot.resize_terminal(int(what[0]), int(what[1]))
                elif kind == "text" and isinstance(app.focused, Input):
                    app.focused.value = what[0]
                elif kind == "click" and int(what[0]) < app.size.width > 1:
                    place = int(what[0]), min(int(what[1]), app.size.height - 1)
                    await pilot.click(offset=place)
            await pilot.pause()
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} at {last.filename}:{last.lineno}: {str(error)[:200]}"
    return None


async def shortest(model: str, doing: list[Doing], corpus: Path) -> list[Doing]:
    """A part of it that fails, too, from which nothing more could be left out in the time."""
    tries, step = 0, len(doing) // 2
    while step and tries < LONGEST_SHRINK:
        place = 0
        while place < len(doing) and tries < LONGEST_SHRINK:
            tries += 1
            shorter = doing[:place] + doing[place + step :]
            if shorter and await failure_of(model, shorter, corpus):
                doing = shorter
            else:
                place += step
        step //= 2
    return doing


async def soak(seconds: float, seed: int) -> int:
    """Search so long; how many different failures there were."""
    ends, rounds, found = time.monotonic() + seconds, 0, set[str]()
    first_minute, memory = time.monotonic() + 60, 0
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        corpus.write_text("low lower lowest newest widest \u200b漢字 👍🏽 1234\n" * 30)
        while time.monotonic() < ends:
            dice = random.Random(f"{seed} {rounds}")
            model, doing = dice.choice(MODELS), some_doing(dice)
            failure = await failure_of(model, doing, corpus)
            if failure and failure not in found:
                found.add(failure)
                print(f"seed {seed}, round {rounds}, {model}: {failure}", flush=True)
                print(f"  {await shortest(model, doing, corpus)}", flush=True)
            rounds += 1
            if time.monotonic() < first_minute:
                memory = psutil.Process().memory_info().rss
    grown = psutil.Process().memory_info().rss / memory if memory else 1
    print(f"seed {seed}: {rounds} rounds, {len(found)} failures, memory {grown:.2f} times")
    return len(found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    sys.exit(bool(asyncio.run(soak(given.seconds, given.seed))))
