"""Running the program in a test: in this process, or in one of its own where that matters."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest.mock import patch

from bpe_tui import cli

ROOT = Path(__file__).parents[2]
HANDOUT = str(ROOT / "samples" / "handout.txt")
STORIES = str(ROOT / "samples" / "tinystories_valid.txt")
FILES = ["vocab.json", "merges.txt", "bpe-tui.json"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100"}
PROGRAM = [sys.executable, "-m", "bpe_tui"]
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
        timeout=30,
        check=False,
    )


def wants_processor(process: int) -> bool:
    """Return whether a thread of a process runs or waits for a processor; False without /proc."""
    threads = Path(f"/proc/{process}/task").glob("*/stat")
    return any(each.read_text().rpartition(")")[2].split()[0] == "R" for each in threads)


def press_on_terminal(
    keys: Iterable[str], *arguments: str | Path, state: Path
) -> Iterator[tuple[str, bytes]]:
    """Run the program on a terminal, and press keys (as a terminal sends them) one by one.

    Yields:
        Each key and the bytes that were written after it; of the start, the key is "".
    """
    outer, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("4H", 30, 100, 0, 0))
    usual = {name: value for name, value in ENVIRONMENT.items() if name not in ("COLUMNS", "LINES")}
    environment = usual | {"TERM": "xterm-256color", "XDG_STATE_HOME": str(state)}

    def written(quiet: float) -> Iterator[bytes]:
        """Return the output until it pauses, or of two seconds if it plays."""
        ends = time.monotonic() + 2
        with contextlib.suppress(OSError):  # it has ended
            while time.monotonic() < ends:
                if select.select([outer], [], [], quiet)[0]:
                    yield os.read(outer, 1 << 16)
                elif not wants_processor(program.pid):
                    return

    with subprocess.Popen(
        [*PROGRAM, *arguments], stdin=inner, stdout=inner, stderr=inner, env=environment
    ) as program:
        os.close(inner)
        try:
            start = b""
            while b"?1049h" not in start and program.poll() is None:
                start += b"".join(written(0.1))
            yield "", start + b"".join(written(1))
            for key in keys:
                os.write(outer, key.encode())
                yield key, b"".join(written(0.15 if key == "\x1b" else 0.04))  # Alt is quicker
        finally:
            program.kill()
            os.close(outer)


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
