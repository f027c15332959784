"""Kill programs: `python tests/kill_programs.py [KILLS] [SIGNALS] [BURSTS] [SEED]`.

First, processes are killed that save tokenizers, counts, recordings and what is
remembered, by the library, by `train` and `convert`, and on the screen. Half of the
signals are SIGKILL, the others SIGINT and SIGTERM. What is left must be the old file or the whole
new one; a vocabulary and merges of two saves must be refused. Then the program on a terminal is
sent SIGINT, SIGTERM and SIGHUP; the terminal must be as it was before. At last, it gets bursts of
sizes with keys between them; it must paint after each, and SIGTERM must end it within two seconds.
It is no part of `pytest`.
"""

import asyncio
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "bpe_tui")]

from opening import opened_as, until  # noqa: E402
from program import HANDOUT, PROGRAM, OnTerminal  # noqa: E402
from textual.widgets import Input  # noqa: E402

from bpe_tui.__main__ import main  # noqa: E402
from bpe_tui.session.config import RunConfig  # noqa: E402
from bpe_tui.session.state import recent, remember_opened  # noqa: E402
from engine import Tokenizer, TokenizerFileError, train_bpe  # noqa: E402
from engine.analysis.check.steps_file import read_steps  # noqa: E402
from engine.core.drafts import DRAFT  # noqa: E402
from engine.core.files import write_files  # noqa: E402

SECONDS_OF_WRITING = 0.05
SECONDS_OF_A_SCREEN = 2.0
SECONDS_OF_A_PROGRAM = 3.0
BURSTS_OF_A_PROGRAM = 20
FRAME = 1_000
"""Least number of bytes that paint a whole screen; what begins and ends it has fewer."""
WORK_TO_PAINT, SECONDS_TO_PAINT = 30.0, 300.0
"""Most processor time, and most time, until the program paints in a new size after a burst."""
SECONDS_TO_END = 2.0 + 1.0
"""Most time until SIGTERM ends the program, and some for a busy machine."""
OPENED = (
    *(["learn", str(number), "--language", "en"] for number in range(1, 23)),
    *(["learn", str(number), "--language", "zh"] for number in range(1, 23)),
    *([HANDOUT, "--model", model] for model in ("bpe", "wordpiece", "unigram") * 4),
    [],
)
"""Arguments of programs that get bursts."""
SENT = (*"01345780134578", *"2?tvpzlhab", "\x1b", "\t", "\x10", "\x1b[200~low lower\x1b[201~")
"""Keys between sizes, mostly those of screens; Esc, Tab, Ctrl+P, and a paste."""


MISFITS = ("does not have; do they belong together", "are the merges cut short")
"""Parts of the errors about a vocabulary and merges of two saves."""


class Writing(NamedTuple):
    """A file that is saved repeatedly, and a check that its contents were saved."""

    save: Callable[[int], object]
    is_whole: Callable[[], bool]
    saves: Callable[[], object] | None = None
    """Saves repeatedly until it is killed; without it, `save` is called."""
    seconds: float = SECONDS_OF_WRITING


def writings(folder: Path) -> dict[str, Writing]:
    """Return the files that the program saves, each with two contents, 0 and 1."""
    texts = folder / "corpus.txt"
    texts.write_text("low lower lowest newest widest " * 400)
    toks = [Tokenizer(*train_bpe(texts, size, ["<s>"]), ["<s>"]) for size in (262, 268)]
    merges = [each.merges for each in toks]
    pair, one = folder / "pair", folder / "tokenizer.json"
    casts = [b"x" * 300_000, b"y" * 400_000]
    cast = folder / "run.cast"
    configs = [RunConfig(str(texts), vocab_size=n) for n in (300, 400)]

    written, converted, screen = folder / "written", folder / "converted", folder / "screen"
    trained = [Tokenizer(*train_bpe(texts, size)) for size in (262, 268)]
    sources = [folder / "from0", folder / "from1"]
    for each, source in zip(trained, sources, strict=True):
        each.save(source)

    def command(*arguments: object) -> Callable[[int], object]:
        def run(content: int) -> None:
            given = [str(each[content] if isinstance(each, list) else each) for each in arguments]
            sys.argv = ["bpe-tui", *given, "--force"]
            main()

        return run

    def is_trained(place: Path) -> bool:
        found = Tokenizer.load(place)
        return (found.vocab, found.merges) in [(each.vocab, each.merges) for each in trained]

    def by_library(content: int) -> None:
        trained[content].save(screen, overwrite=True)

    train = "train", texts, "--special", "none", "--workers", 1, "--vocab-size", [262, 268]
    steps, stepped = folder / "steps", folder / "stepped.json"
    return {
        "train --force": Writing(command(*train, "--out", written), lambda: is_trained(written)),
        "train --steps": Writing(
            command(*train, "--out", stepped, "--format", "huggingface", "--steps", steps),
            lambda: len(read_steps(steps).steps) in (6, 12),
        ),
        "convert": Writing(
            command("convert", sources, "--to", "gpt2", "--out", converted),
            lambda: is_trained(converted),
        ),
        "saves on the screen": Writing(
            by_library,
            lambda: is_trained(screen),
            lambda: asyncio.run(save_on_screen(texts, screen)),
            seconds=SECONDS_OF_A_SCREEN,
        ),
        "two files of a tokenizer": Writing(
            lambda n: toks[n].save(pair, overwrite=True),
            lambda: Tokenizer.load(pair).merges in merges,
        ),
        "a tokenizer.json": Writing(
            lambda n: toks[n].save(one, "huggingface", overwrite=True),
            lambda: Tokenizer.load(one).merges in merges,
        ),
        "a recording": Writing(
            lambda n: write_files({cast: casts[n]}, overwrite=True),
            lambda: cast.read_bytes() in casts,
        ),
        "what was opened": Writing(
            lambda n: remember_opened(configs[n]), lambda: len(recent()) > 0
        ),
    }


def in_child(work: Callable[[], object], waits: bool = True) -> int:
    """Do some work in a child process, without output; perhaps wait for its end."""
    child = os.fork()
    if child:
        if waits:
            os.waitpid(child, 0)
        return child
    try:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        work()
    finally:
        os._exit(1)


def save_in_turn(save: Callable[[int], object]) -> None:
    for content in cycle((0, 1)):
        save(content)


async def save_on_screen(texts: Path, place: Path) -> None:
    """Save the tokenizers of two steps in turn, in the window of the key s."""
    config = RunConfig(str(texts), vocab_size=268, special_tokens=())
    async with opened_as(config) as (app, pilot):
        for merges in cycle((6, 12)):
            app.seek(merges)
            await pilot.press("s")
            await until(pilot, lambda: app.screen.is_modal)
            app.screen.query_one(Input).value = str(place)
            while app.screen.is_modal:  # a file that is there needs a second Enter
                await pilot.press("enter")
                await pilot.pause(0.01)


def kill_writers(kills: int, dice: random.Random) -> int:
    """Kill writers; return the number of those that left neither old nor new contents."""
    broken, refused = 0, 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        kinds = writings(folder)
        several = ["train --force", "convert", "saves on the screen", "two files of a tokenizer"]
        names = [*kinds, *several, *several]  # most of them several files, the hardest
        for kind in kinds.values():
            in_child(partial(kind.save, 0))
        ends = Counter[str]()
        for number in range(kills):
            name = names[number % len(names)]
            kind = kinds[name]
            writer = in_child(kind.saves or partial(save_in_turn, kind.save), waits=False)
            time.sleep(dice.uniform(0, kind.seconds))
            end = dice.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGTERM))
            os.kill(writer, end)
            # An application under test ends its screen, not the test that presses its keys.
            given_up = time.monotonic() + SECONDS_OF_A_SCREEN
            while os.waitpid(writer, os.WNOHANG) == (0, 0):
                time.sleep(0.002)
                if time.monotonic() > given_up:
                    os.kill(writer, signal.SIGKILL)
                    os.waitpid(writer, 0)
                    break
            ends[f"{name}, {end.name}"] += 1
            try:
                whole = kind.is_whole()
                if not whole:
                    print(f"kill {number}, {name}, {end.name}: neither the old nor the new one")
            except TokenizerFileError as error:
                whole = any(part in str(error) for part in MISFITS)
                refused += whole
                if not whole:
                    print(f"kill {number}, {name}: {str(error)[:200]}")
            except Exception as error:  # whatever it is, it is what this looks for
                print(f"kill {number}, {name}: {type(error).__name__}: {str(error)[:200]}")
                whole = False
            broken += not whole
        left = [path for path in folder.rglob("*") if path.name.endswith(DRAFT)]
        for kind in kinds.values():
            in_child(partial(kind.save, 0))
        stay = [path.name for path in folder.rglob("*") if path.name.endswith(DRAFT)]
    print("\n".join(f"{count:6} {name}" for name, count in sorted(ends.items())))
    print(
        f"{kills} kills: {broken} broken; {refused} between the files of a tokenizer; "
        f"{len(left)} drafts left, {len(stay)} after another save {stay[:3]}",
        flush=True,
    )
    return broken + len(stay)


def signalled(number: signal.Signals, seconds: float) -> str:
    """Open a sample on a terminal and send a signal after a while; return the problems."""
    with OnTerminal([*PROGRAM, HANDOUT]) as program:
        program.read(seconds)
        return "; ".join(program.ended_by(number))


def signal_programs(times: int, dice: random.Random) -> int:
    """Send signals; return the number of those with problems."""
    failed, codes = 0, Counter[str]()
    for turn in range(times):
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[turn % 3]
        seconds = dice.uniform(0, SECONDS_OF_A_PROGRAM)
        wrong = signalled(number, seconds)
        codes[number.name] += not wrong
        if wrong:
            failed += 1
            print(f"{number.name} after {seconds:.3f} s: {wrong}", flush=True)
    print(f"{times} signals: {failed} failures; well ended: {dict(codes)}", flush=True)
    return failed


def burst(program: OnTerminal, dice: random.Random) -> str:
    """Send sizes, a few ms apart, and keys between them; return them if nothing is painted after.

    A program that is not busy any more paints in one more size.
    """
    sent = []
    for _ in range(dice.randint(8, 12)):
        size = dice.randint(40, 160), dice.randint(12, 60)
        keys = "".join(dice.choices(SENT, k=dice.randrange(3)))
        milliseconds = dice.randint(5, 80)
        program.resize(*size)
        program.read(milliseconds / 2000)
        program.press(keys)
        program.read(milliseconds / 2000)
        sent.append(f"{size[0]}x{size[1]} {keys!r} {milliseconds} ms")
    program.read_until_quiet(0.2)
    painted, ends = len(program.written) + FRAME, program.work + WORK_TO_PAINT
    program.resize(dice.randint(60, 160), dice.randint(20, 60))
    program.read_until(
        lambda: len(program.written) > painted or program.work > ends, SECONDS_TO_PAINT
    )
    return "" if len(program.written) > painted else ", ".join(sent)


def burst_programs(times: int, dice: random.Random) -> int:
    """Send bursts; return the number of programs that hang, end, or end wrongly by SIGTERM."""
    failed = 0
    for turn in range(0, times, BURSTS_OF_A_PROGRAM):
        arguments = dice.choice(OPENED)
        with (
            tempfile.TemporaryDirectory() as state,
            OnTerminal([*PROGRAM, *arguments], Path(state)) as program,
        ):
            # Before the first frame, Esc would end the program.
            program.read_until(lambda: len(program.written) > FRAME)
            program.read_until_quiet(0.5)
            bursts = (burst(program, dice) for _ in range(min(BURSTS_OF_A_PROGRAM, times - turn)))
            stopped = next(filter(None, bursts), "")
            wrong = [f"no painting after {stopped}"] if stopped else []
            wrong += program.ended_by(signal.SIGTERM, SECONDS_TO_END)
        if wrong:
            failed += 1
            print(f"{' '.join(arguments)}: {'; '.join(wrong)}", flush=True)
    print(f"{times} bursts: {failed} failures", flush=True)
    return failed


if __name__ == "__main__":
    usual = (300, 160, 200, 0)
    kills, signals, bursts, seed = (*map(int, sys.argv[1:]), *usual[len(sys.argv) - 1 :])
    dice = random.Random(seed)
    failures = kill_writers(kills, dice) + signal_programs(signals, dice)
    sys.exit(bool(failures + burst_programs(bursts, dice)))
