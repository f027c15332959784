"""Running the program in a test: in this process, or in one of its own where that matters."""

import contextlib
import fcntl
import io
import math
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Self
from unittest.mock import patch

from bpe_tui import cli

ROOT = Path(__file__).parents[2]
HANDOUT = str(ROOT / "samples" / "handout.txt")
STORIES = str(ROOT / "samples" / "tinystories_valid.txt")
FILES = ["vocab.json", "merges.txt", "bpe-tui.json"]
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "LC_ALL": "C.UTF-8"}
PROGRAM = [sys.executable, "-m", "bpe_tui"]
SIZE_NAMES = ("COLUMNS", "LINES")
"""Variables that Textual would believe rather than the terminal."""
MODES = dict.fromkeys((1049, 1000, 1003, 1004, 1006, 1015, 2004), b"h") | {25: b"l"}
"""Mode of a terminal that the program changes, and how: another screen, mouse, focus, cursor."""
PATIENCE = 120.0
"""Longest time, in seconds, that a test waits for a program: a machine may be slow."""
BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 2, 130, 141

Result = subprocess.CompletedProcess[bytes]


def run(*arguments: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None) -> Result:
    """Call the program's `main` with streams of its own, which are pipes to it."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = {"stdin": io.BufferedReader(io.BytesIO(stdin)), "stdout": out, "stderr": err}
    with contextlib.ExitStack() as stack:
        for name, stream in streams.items():
            text = io.TextIOWrapper(stream, encoding="utf-8", write_through=True)
            stack.enter_context(patch.object(sys, name, text))
            stack.callback(text.detach)  # or closing the text would close the bytes
        stack.enter_context(patch.dict(os.environ, COLUMNS="100"))
        stack.enter_context(contextlib.chdir(cwd or Path.cwd()))
        code = cli.main([os.fsdecode(argument) for argument in arguments])
    return Result(arguments, code, out.getvalue(), err.getvalue())


def run_process(
    *arguments: str | bytes | Path, stdin: bytes = b"", cwd: Path | None = None
) -> Result:
    """Run the program to its end as its users do."""
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=ENVIRONMENT,
        timeout=PATIENCE,
        check=False,
    )


def wants_processor(process: int) -> bool:
    """Return whether a thread of a process runs or waits for a processor; False without /proc."""
    threads = Path(f"/proc/{process}/task").glob("*/stat")
    return any(each.read_text().rpartition(")")[2].split()[0] == "R" for each in threads)


class OnTerminal:
    """A program on a terminal of its own (a pty), which is killed in the end if it still runs.

    Args:
        command: the program and its arguments.
        state: the folder of what it remembers; the usual one without it.

    Attributes:
        written: all output so far.
    """

    def __init__(self, command: Sequence[str | Path], state: Path | None = None) -> None:
        self.written = b""
        self._outer, self._inner = pty.openpty()
        self._set_size(100, 30)
        self._before = termios.tcgetattr(self._inner)
        usual = {name: each for name, each in ENVIRONMENT.items() if name not in SIZE_NAMES}
        own = {"TERM": "xterm-256color"} | ({"XDG_STATE_HOME": str(state)} if state else {})
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=usual | own,
            stdin=self._inner,
            stdout=self._inner,
            stderr=self._inner,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._outer)
        os.close(self._inner)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def work(self) -> float:
        """The processor time of the program so far, in seconds."""
        import psutil  # slow to import

        return psutil.Process(self.process.pid).cpu_times().user if self.is_running else math.inf

    def read(self, seconds: float) -> bytes:
        """Read the output that comes within some time; of a program that has ended, the rest."""
        before, ends = len(self.written), time.monotonic() + seconds
        while self.is_running and (left := ends - time.monotonic()) > 0:
            if select.select([self._outer], [], [], min(left, 0.05))[0]:
                self.written += os.read(self._outer, 1 << 16)
        while not self.is_running and select.select([self._outer], [], [], 0)[0]:
            self.written += os.read(self._outer, 1 << 16)
        return self.written[before:]

    def read_until(self, holds: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Read until something holds or the program ends; return whether it held in time."""
        ends = time.monotonic() + seconds
        while not holds() and self.is_running and time.monotonic() < ends:
            self.read(0.02)
        return holds()

    def read_until_quiet(self, seconds: float) -> bytes:
        """Read until neither output nor work comes for some seconds; at most for two seconds."""
        before, ends = len(self.written), time.monotonic() + 2
        while self.is_running and time.monotonic() < ends:
            if not self.read(seconds) and not wants_processor(self.process.pid):
                break
        return self.written[before:]

    def press(self, keys: str) -> None:
        """Send keys as a terminal does."""
        os.write(self._outer, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self._set_size(columns, rows)
        self.process.send_signal(signal.SIGWINCH)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._inner, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def ended_by(self, number: int, seconds: float = PATIENCE) -> list[str]:
        """Send a signal; return what is wrong with the program or its terminal after its end."""
        self.process.send_signal(number)
        self.read_until(lambda: not self.is_running, seconds)
        self.read(0)
        code = self.process.poll()
        wrong = [
            f"mode {mode} is still set"
            for mode, set_by in MODES.items()
            if re.findall(rb"\x1b\[\?%d([hl])" % mode, self.written)[-1:] == [set_by]
        ]
        if termios.tcgetattr(self._inner) != self._before:
            wrong.append("the line mode is another")
        if code not in (128 + number, -number):
            wrong.append(f"exit code {code}: {self.written[-300:]!r}")
        if b"Traceback" in self.written:
            wrong.append(f"a traceback {self.written[-300:]!r}")
        return wrong


def press_on_terminal(
    keys: Iterable[str], *arguments: str | Path, state: Path
) -> Iterator[tuple[str, bytes]]:
    """Run the program on a terminal, and press keys (as a terminal sends them) one by one.

    Yields:
        Each key and the bytes that were written after it; of the start, the key is "".
    """
    with OnTerminal([*PROGRAM, *arguments], state) as program:
        program.read_until(lambda: b"?1049h" in program.written)
        program.read_until_quiet(1)
        yield "", program.written
        for key in keys:
            program.press(key)
            yield key, program.read_until_quiet(0.15 if key == "\x1b" else 0.04)  # Alt is quicker


def refusal(result: Result) -> str:
    """Return the one line that refuses bad input."""
    error = result.stderr.decode()
    assert result.returncode == BAD_INPUT
    assert result.stdout == b""
    assert error.startswith("bpe-tui: ")
    assert error.endswith("\n")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    assert "\x1b" not in error
    return error


def train(out: Path, *options: str | Path, corpus: str = HANDOUT, size: int = 270) -> Result:
    """Train a tokenizer with the program."""
    return run("train", corpus, "--vocab-size", str(size), "--out", out, *options)
