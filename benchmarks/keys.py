"""Processor time of each key, from the press until all is painted, on all screens of a training.

    python benchmarks/keys.py CORPUS [--size 120x40] [--rounds 3] [--beside FOLDER]

presses the keys of `TOUR` in the real program, in a pseudo-terminal, after the screens have been
made ahead. A key's figure is the processor time of the program, all threads together, until the
last output; other programs on the machine do not count. The clock counts them, and is given too.
The tour is made several times in the same program. Of each key the least figure counts. The first
press of each, when a screen or a window is made, is listed apart. In turns with the keys, an empty
application of Textual (`empty.py`) repaints as many cells as the screen has: how ours compares with
that holds on any machine.

With `--beside`, another checkout of the project is measured at the same time, key by key in turns,
and each figure is given for both.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from empty import FIRST_FRAME as EMPTY_FRAME
from tui import EMPTY, FIRST_FRAME, Program

POLL_SECONDS = 0.05
QUIET_POLLS = 5
"""Polls in a row without output, and without a thread at work, after which all is painted."""
LONGEST_SECONDS = 20.0
"""Longest time to wait for a key, as a window may have something to show for ever."""
AHEAD_SECONDS = 9.0
"""Time for training, and for the screens that are made ahead."""
ESCAPE, BACK_TAB = "\x1b", "\x1b[Z"
NAMES = {
    ESCAPE: "Esc",
    "\t": "Tab",
    "\x10": "^P",
    "\x0c": "^L",
    BACK_TAB: "Shift+Tab",
    " ": "space",
}
WINDOWS = tuple(key for window in "?\x10\x0cgxsSyoM" for key in (window, ESCAPE))
TOUR: dict[str, tuple[str, ...]] = {
    "1": (
        *"lllhh][ttT", *"\t\t\t\t\t\t", BACK_TAB, *"kjvvvpWmaazz", "e", *"lower", ESCAPE,
        *(key for window in "w/biL" for key in (window, ESCAPE)), *WINDOWS, "\x10", *"ste", ESCAPE,
    ),
    "2": (*"lhlat", *"ctr%ctr%", ESCAPE, *"kk\t\tzz", "w", ESCAPE, "?", ESCAPE, "\x10", ESCAPE),
    "3": (*"lhkkcCpuurrd", "d", "/", *"th", ESCAPE, "\t", " ", "zz", "w", ESCAPE, "f", ESCAPE),
    "4": (*"lh][\t\tzz", "K", ESCAPE, "?", ESCAPE),
    "5": (*"lh\t\tzz", "?", ESCAPE, "\x10", ESCAPE),
    "8": (*"lhlkk\tzz", ESCAPE),
    "0": (*"lhll....h", "?", ESCAPE, "\x10", ESCAPE, "L", ESCAPE),
}  # fmt: skip
"""Key that opens a screen → the keys that are pressed there, then the next screen."""


class Pressed(NamedTuple):
    """A key on a screen, and the milliseconds that it took until all was painted."""

    screen: str
    key: str
    processor: float
    clock: float

    @property
    def name(self) -> str:
        return f"{NAMES.get(self.key, self.key)} on {self.screen}"


def tour() -> Iterator[tuple[str, str]]:
    """Yield each screen and key of the tour."""
    for screen, keys in TOUR.items():
        yield screen, screen
        for key in keys:
            yield from ((screen, each) for each in ((key,) if key in NAMES else key))


def press(program: Program, screen: str, key: str) -> Pressed:
    """Press a key; wait until nothing has been painted for a while."""
    used, pressed = program.processor_seconds(), program.press(key)
    used_then, painted, quiet = used, pressed, 0
    while quiet < QUIET_POLLS and perf_counter() < pressed + LONGEST_SECONDS:
        if program.read(POLL_SECONDS):
            used_then, painted, quiet = program.processor_seconds(), perf_counter(), 0
        else:
            quiet = 0 if program.is_at_work else quiet + 1
    return Pressed(screen, key, 1000 * (used_then - used), 1000 * (painted - pressed))


def measure(
    corpus: str, size: tuple[int, int], rounds: int, folders: list[Path | None]
) -> list[list[list[Pressed]]]:
    """Return the rounds of the tour, key by key, in the program of each folder.

    A last list has the repaints of an empty application, one after each key of the tour.
    """
    programs = [Program(corpus, size=size, folder=folder) for folder in folders]
    for program in programs:
        program.wait_for(FIRST_FRAME)
    programs.append(Program(program=EMPTY, size=size))
    programs[-1].wait_for(EMPTY_FRAME)
    for program in programs:
        program.watch(AHEAD_SECONDS)
    found: list[list[list[Pressed]]] = [[] for _ in programs]
    for _ in range(rounds):
        for keys in found:
            keys.append([])
        for screen, key in tour():
            for program, keys in zip(programs, found, strict=True):
                keys[-1].append(press(program, screen, key))
    for program in programs:
        program.end()
    return found


def percentile(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[round(part * (len(ordered) - 1))]


def least_of(rounds: list[list[Pressed]]) -> list[Pressed]:
    """Return each key with its least figures of all rounds."""
    return [
        keys[0]._replace(
            processor=min(each.processor for each in keys), clock=min(each.clock for each in keys)
        )
        for keys in zip(*rounds, strict=True)
    ]


def first_visits(keys: list[Pressed]) -> list[Pressed]:
    """Return the first press of each key on each screen."""
    return list({key.name: key for key in reversed(keys)}.values())[::-1]


def p95(keys: list[Pressed]) -> float:
    """Return the processor time of which 95 % of the keys take less, in milliseconds."""
    return percentile([each.processor for each in keys], 0.95)


def show(keys: list[Pressed], label: str) -> None:
    for kind in ("processor", "clock"):
        times = [getattr(each, kind) for each in keys]
        print(
            f"{label}, {kind}: {len(times)} keys, p50 {statistics.median(times):.0f}, "
            f"p95 {percentile(times, 0.95):.0f}, max {max(times):.0f} ms"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="How long each key takes.")
    parser.add_argument("corpus")
    parser.add_argument("--size", default="120x40")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", type=Path, help="another checkout, measured in turns")
    parser.add_argument("--slowest", type=int, default=25, help="number of keys to list")
    given = parser.parse_args()
    columns, lines = map(int, given.size.split("x"))
    folders = [None] if given.beside is None else [None, given.beside.resolve()]
    corpus = str(Path(given.corpus).resolve())
    rounds = measure(corpus, (columns, lines), given.rounds, folders)
    *found, repaints = map(least_of, rounds)
    show(repaints, "repaint of an empty application")
    for keys, folder in zip(found, folders, strict=True):
        label = "here" if folder is None else str(folder)
        show(keys, label)
        print(f"{label}: p95 is {p95(keys) / p95(repaints):.2f} × the repaint's")
    first = [first_visits(each[0]) for each in rounds[:-1]]
    list_slowest("slowest", found, given.slowest)
    list_slowest("slowest first visits", first, given.slowest)


def list_slowest(title: str, found: list[list[Pressed]], most: int) -> None:
    """Print the keys that took longest, a row for each with the figures of all programs."""
    slowest = sorted(zip(*found, strict=True), key=lambda keys: -keys[0].processor)
    print(f"{title}, milliseconds of the processor (clock)")
    for each in slowest[:most]:
        figures = "   ".join(f"{key.processor:6.1f} ({key.clock:4.0f})" for key in each)
        print(f"{each[0].name:<18}{figures}")


if __name__ == "__main__":
    main()
