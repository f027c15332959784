"""Response times of the application, measured from outside, in a pseudo-terminal.

    python benchmarks/tui.py samples/tinystories_valid.txt [--big CORPUS]

starts the real program in a pseudo-terminal of 120×40 cells and prints

- the seconds from the command to the first frame, and to the first answer to a key; in turns with
  it, the first frame of an empty application of Textual (`empty.py`), and how ours compares;
- the share of one core that playing at 30 steps a second takes, and while nothing moves;
- the growth of memory in 1,000 keys on all screens, after as many to warm up;
- for the big corpus: the milliseconds from a key to the painted answer, for a step, a step back and
  a jump, while training runs (the slow `indexed` trainer keeps it running); seconds to the first
  step and to the end of training; the peak of memory in all processes together.

The program begins on the training screen, as for somebody who has chosen it, with a state and a
cache of its own. Only the standard library is used, and `/proc`: it runs on Linux.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import re
import select
import signal
import statistics
import struct
import sys
import termios
import time
from collections.abc import Callable, Sequence
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from empty import FIRST_FRAME as EMPTY_FRAME
from processes import PeakMemory

COLUMNS, LINES = 120, 40
PATIENCE = 120.0
ESCAPE_SEQUENCE = re.compile(
    r"\x1b\[[0-9;?:]*[a-zA-Z$]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[()=>].?"
)
FIRST_FRAME = "Step 0:"
EMPTY = (str(Path(__file__).with_name("empty.py")),)
"""The program that ours is compared with."""
STATE = TemporaryDirectory(prefix="bpe-tui-benchmark-")
Path(STATE.name, "bpe-tui").mkdir(mode=0o700)
Path(STATE.name, "bpe-tui", "preferences.json").write_text(
    '{"overview": "training", "welcomed": true}'
)
SCREENS_AND_WINDOWS = (*"ll]2345", "1", "t", "h", *(f"{key}\x1b" for key in "?xbs\x10"), *"0ll1[l")
"""Keys that come to all screens of a training, and open and close windows."""


class Program:
    """The application in a pseudo-terminal of its own.

    Args:
        arguments: those of its command line.
        size: columns and lines of the terminal.
        folder: the checkout whose program is run; `None` for the one that is installed.
        program: the program's options of Python: a module or a script.
    """

    def __init__(
        self,
        *arguments: str,
        size: tuple[int, int] = (COLUMNS, LINES),
        folder: Path | None = None,
        program: Sequence[str] = ("-m", "bpe_tui"),
    ) -> None:
        self.started = time.perf_counter()
        self.pid, self._terminal = pty.fork()
        if not self.pid:
            for name in ("COLUMNS", "LINES", "NO_COLOR"):
                os.environ.pop(name, None)
            os.environ["TERM"] = "xterm-256color"
            os.environ |= {"XDG_STATE_HOME": STATE.name, "XDG_CACHE_HOME": STATE.name}
            if folder is not None:
                os.chdir(folder)  # `-m` imports from there
            os.execv(sys.executable, [sys.executable, *program, *arguments])
        fcntl.ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *reversed(size), 0, 0))
        self.drawn = ""

    def press(self, keys: str) -> float:
        """Send keys; return the time."""
        self.drawn = ""
        os.write(self._terminal, keys.encode())
        return time.perf_counter()

    def wait_for(self, pattern: str) -> float:
        """Wait until something that matches is drawn; return the time."""
        deadline = time.perf_counter() + PATIENCE
        while re.search(pattern, self.drawn) is None:
            self.read(1.0)
            if time.perf_counter() > deadline:
                raise TimeoutError(f"{pattern!r} was never drawn; last: {self.drawn[-2000:]!r}")
        return time.perf_counter()

    def watch(self, seconds: float) -> None:
        """Let the program draw for a while."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            self.read(left)

    def read(self, seconds: float) -> bool:
        """Read what is drawn next; return whether something was, within some seconds."""
        if not select.select([self._terminal], [], [], seconds)[0]:
            return False
        try:
            drawn = os.read(self._terminal, 1 << 16).decode("utf-8", "replace")
        except OSError as error:
            raise ChildProcessError("the program has ended") from error
        self.drawn += ESCAPE_SEQUENCE.sub("", drawn)
        return True

    def processor_seconds(self) -> float:
        """Return the processor time of all threads, which the kernel counts in nanoseconds."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(each.read_text().split()[0]) for each in threads) / 1e9

    @property
    def is_at_work(self) -> bool:
        """Whether a thread runs, or waits for a processor."""
        stats = (each.read_text() for each in Path(f"/proc/{self.pid}/task").glob("*/stat"))
        return any(stat.rpartition(") ")[2].startswith("R") for stat in stats)

    def resident_megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def end(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        os.close(self._terminal)
        os.waitpid(self.pid, 0)


# -- the measurements


def measure_start(corpus: str, runs: int) -> None:
    frames, answers, ratios = [], [], []
    for _ in range(runs):
        empty = Program(program=EMPTY)
        empty_frame = empty.wait_for(EMPTY_FRAME) - empty.started
        empty.end()
        program = Program(corpus)
        frames.append(program.wait_for(FIRST_FRAME) - program.started)
        ratios.append(frames[-1] / empty_frame)
        program.press("l")
        answers.append(program.wait_for("Merge 1[ :]") - program.started)
        program.end()
    show("first frame", f"{statistics.median(frames):.2f} s")
    show("first frame, of an empty one's", f"{statistics.median(ratios):.2f} ×", "goal 2.0 ×")
    show("first answer to a key", f"{statistics.median(answers):.2f} s", "goal 0.60 s")


def measure_keys(corpus: str, presses: int) -> None:
    program = Program(corpus, "--trainer", "indexed")
    program.wait_for(FIRST_FRAME)
    program.watch(3.0)
    step = 0
    moves: dict[str, tuple[str, Callable[[int], int]]] = {
        "step": ("l", lambda now: now + 1),
        "back": ("h", lambda now: now - 1),
        "jump": ("]", lambda now: now + 100),
    }
    for name in ("step", "step", "jump", "back"):
        key, moved = moves[name]
        times = []
        for _ in range(presses if name != "jump" else 5):
            step = moved(step)
            pressed = program.press(key)
            times.append(1000 * (program.wait_for(rf"(?:Merge|Back at step) {step:,}\b") - pressed))
            program.watch(0.02)
        show(f"{name}, while training", latencies(times), "goal p95 50 ms")
    program.end()


def measure_share(
    corpus: str, name: str, keys: str, settled: float, seconds: float, goal: float
) -> None:
    """Show the share of a core that the program takes for some seconds.

    Args:
        keys: are pressed before, once the program has settled.
        settled: seconds until then.
        goal: the most that the share should be, in percent.
    """
    program = Program(corpus)
    program.wait_for(FIRST_FRAME)
    program.watch(settled)
    program.press(keys)
    before = program.processor_seconds()
    program.watch(seconds)
    share = 100 * (program.processor_seconds() - before) / seconds
    program.end()
    show(name, f"{share:.2f} % of a core", f"goal {goal} %")


def measure_growth(corpus: str, presses: int) -> None:
    program = Program(corpus)
    program.wait_for(FIRST_FRAME)
    program.watch(5.0)
    sizes, spent = [], []
    for _ in range(2):
        before = program.processor_seconds()
        for keys in islice(cycle(SCREENS_AND_WINDOWS), presses):
            program.press(keys)
            program.watch(0.15)
        spent.append(1000 * (program.processor_seconds() - before) / presses)
        program.watch(4.0)
        sizes.append(program.resident_megabytes())
    program.end()
    show(f"growth in {presses:,} keys", f"{sizes[1] - sizes[0]:+.1f} MB", "goal 5 MB")
    show("processor time of a key", f"{spent[1]:.0f} ms")


def measure_big(corpus: str) -> None:
    program = Program(corpus)
    memory = PeakMemory(program.pid)
    shown = program.wait_for(FIRST_FRAME) - program.started
    program.press("l")
    answered = program.wait_for("Merge 1[ :]") - program.started
    ended = _end_of_training(program) - program.started
    memory.stop()
    program.end()
    show("big corpus: first frame", f"{shown:.2f} s")
    show("big corpus: first step", f"{answered:.2f} s")
    show("big corpus: trained", f"{ended:.2f} s")
    show("big corpus: memory, all processes", f"{memory.together / 1e6:.0f} MB", "goal 400 MB")


def _end_of_training(program: Program) -> float:
    """Press `End` until the sentence below says that there is no later step."""
    while True:
        program.press(">")
        program.watch(0.05)
        if "Training ended" in program.drawn:
            return time.perf_counter()


# -- the table


def latencies(milliseconds: Sequence[float]) -> str:
    ordered = sorted(milliseconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return f"p50 {statistics.median(ordered):.0f} ms, p95 {p95:.0f} ms"


def show(what: str, value: str, goal: str = "") -> None:
    print(f"{what:<36}{value:>26}   {goal}".rstrip(), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="How quickly the application answers.")
    parser.add_argument("corpus")
    parser.add_argument("--big", help="a corpus of some 20 MB for memory and for long training")
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    measure_start(arguments.corpus, arguments.runs)
    # By then training has ended.
    measure_share(arguments.corpus, "playing 30 steps/s", "+ ", settled=2, seconds=5, goal=60)
    # By then screens are made ahead, and garbage is collected.
    measure_share(arguments.corpus, "nothing moves", "", settled=8, seconds=10, goal=0.1)
    measure_growth(arguments.corpus, presses=1000)
    if arguments.big:
        measure_keys(arguments.big, presses=50)
        measure_big(arguments.big)


if __name__ == "__main__":
    main()
