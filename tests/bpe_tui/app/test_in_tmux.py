"""The real program in a real terminal."""

import itertools
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

import pytest
from program import HANDOUT, PATIENCE, PROGRAM, ROOT, STORIES, OnTerminal

from bpe_tui.widgets.visible import width

# Textual believes COLUMNS and LINES, which a test runner may have set.
PLAIN = f"unset COLUMNS LINES NO_COLOR; export PYTHONPATH={shlex.quote(str(ROOT))};"
OPEN = f"{sys.executable} -m bpe_tui samples/tinystories_valid.txt"
CRASHING = """
import sys
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.cli import main
def crash(self): raise RuntimeError("on purpose")
BpeTuiApp.action_help = crash
sys.exit(main(["samples/tinystories_valid.txt"]))
"""
HANGS = """
import asyncio, os, sys, time
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.cli import main
async def hang(self):
    os.write(2, b"hangs")
    {}
BpeTuiApp.action_help = hang
sys.exit(main(["samples/handout.txt"]))
"""
HANGING = {
    "a loop": "while True: pass",
    "messages that make messages": "self.screen.call_later(hang, self)",
    "a call": "time.sleep(1000)",
    "a thread": "self.keep = asyncio.create_task(asyncio.to_thread(time.sleep, 1000))",
}
"""Work that never ends, of the key ?."""

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
NUMBERS = itertools.count()


class Terminal:
    """A tmux server with a program; the shell's output follows that of the program."""

    def __init__(self, program: str, width: int = 120, height: int = 40) -> None:
        self.server = f"bpe-tui-{os.getpid()}-{next(NUMBERS)}"
        after = "echo LEFT $?; stty -a | tr ';' '\\n' | grep icanon; cat"
        subprocess.run(
            [
                *("tmux", "-L", self.server, "-f", "/dev/null", "new-session", "-d"),
                *("-x", str(width), "-y", str(height), "-c", str(Path.cwd())),
                f"{PLAIN} {program}; {after}",
            ],
            check=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.tmux("kill-server")

    def tmux(self, verb: str, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", self.server, verb, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def wait_for(self, text: str) -> str:
        ends = time.monotonic() + PATIENCE
        while text not in (screen := self.tmux("capture-pane", "-p")):
            if time.monotonic() > ends:
                pytest.fail(f"{text!r} never came:\n{screen}")
            time.sleep(0.1)
        return screen

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def program(self) -> int:
        """Return the process id of the program, the shell's only child."""
        shell = self.tmux("display-message", "-p", "#{pane_pid}").strip()
        return int(Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0])

    def wait_for_cooked(self, exit_code: int) -> str:
        """Wait until the shell has the terminal back, in its usual line mode."""
        self.wait_for(f"LEFT {exit_code}")
        screen = self.wait_for("icanon")
        assert "-icanon" not in screen
        return screen


@pytest.mark.parametrize(
    ("width", "height"), [(80, 24), pytest.param(120, 40, marks=pytest.mark.slow)]
)
def test_a_person_steps_types_and_leaves(width: int, height: int) -> None:
    with Terminal(OPEN, width, height) as terminal:
        terminal.wait_for("of 2,922 ")
        terminal.press("l", "l", "l")
        screen = terminal.wait_for("Merge 3")
        assert "heap" in screen
        assert max(map(len, screen.splitlines())) == width
        assert "type to encode" in screen
        terminal.press("e", "C-u")
        terminal.wait_for("Nothing typed yet")
        terminal.press("the girl", "Escape")
        terminal.wait_for("8 bytes")
        terminal.wait_for("→ next")  # Esc and q in one breath are Alt+q to a terminal
        terminal.press("q")
        terminal.wait_for_cooked(exit_code=0)


@pytest.mark.slow  # the start page has quick tests of its own
def test_without_a_name_the_samples_are_offered() -> None:
    with Terminal(f"{sys.executable} -m bpe_tui", 80, 24) as terminal:
        assert "handout.txt" in terminal.wait_for("Samples")
        terminal.press("Tab", "Down", "Enter")  # from the lessons to the samples
        terminal.wait_for("step  0 of 12")
        terminal.press("q")
        terminal.wait_for_cooked(exit_code=0)


SIGNALS = [
    signal.SIGINT,
    pytest.param(signal.SIGTERM, marks=pytest.mark.slow),  # a program is killed
    pytest.param(signal.SIGHUP, marks=pytest.mark.slow),
    pytest.param(signal.SIGQUIT, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_ends_the_program_and_gives_the_terminal_back(number: signal.Signals) -> None:
    with Terminal(OPEN) as terminal:
        terminal.wait_for("of 2,922 ")
        os.kill(terminal.program(), number)
        terminal.wait_for_cooked(exit_code=128 + number)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_screen_is_being_opened_gives_the_terminal_back(
    number: signal.Signals,
) -> None:
    with OnTerminal([*PROGRAM, HANDOUT]) as program:
        program.read_until(lambda: bool(program.written))  # it has just begun to change it
        assert program.ended_by(number) == []
        assert program.written.count(b"\x1b[?1049h") == program.written.count(b"\x1b[?1049l") == 1


@pytest.mark.slow  # the program has a second and a half to end by itself
@pytest.mark.parametrize("work", HANGING)
def test_a_signal_ends_a_program_that_hangs_and_gives_the_terminal_back(work: str) -> None:
    with OnTerminal([sys.executable, "-c", HANGS.format(HANGING[work])]) as program:
        assert program.read_until(lambda: b"step" in program.written)
        program.press("?")
        assert program.read_until(lambda: b"hangs" in program.written)
        assert program.ended_by(signal.SIGTERM) == []


@pytest.mark.slow
def test_a_failure_is_shown_and_the_program_goes_on() -> None:
    with Terminal(f"{sys.executable} -c {shlex.quote(CRASHING)}") as terminal:
        terminal.wait_for("of 2,922 ")
        terminal.press("?")
        terminal.wait_for("This failed (RuntimeError)")
        terminal.press("l")
        terminal.wait_for("Merge 1")
        terminal.press("q")
        terminal.wait_for_cooked(exit_code=0)


@pytest.mark.slow
def test_the_corpus_may_come_through_a_pipe_while_keys_come_from_the_terminal() -> None:
    piped = f"cat {shlex.quote(STORIES)} | {sys.executable} -m bpe_tui -"
    with Terminal(piped, 80, 24) as terminal:
        terminal.wait_for("of 2,922 ")
        terminal.press("l")
        terminal.wait_for("Merge 1")
        terminal.press("q")
        terminal.wait_for_cooked(exit_code=0)


@pytest.mark.slow  # it reads GPT-2's files twice
def test_a_tokenizer_in_place_of_a_corpus_is_tried_and_then_counted_in_a_text() -> None:
    golden = shlex.quote(str(ROOT / "tests" / "engine" / "golden" / "gpt2"))
    with Terminal(f"{sys.executable} -m bpe_tui {golden}", 80, 24) as terminal:
        terminal.wait_for("gpt2 format")
        terminal.press("e", "C-u")
        terminal.wait_for("Nothing typed yet")
        terminal.press("the")
        terminal.wait_for("3 bytes")
        terminal.press("C-o")
        terminal.wait_for("together with gpt2")
        terminal.press(HANDOUT, "Enter")
        terminal.wait_for("Step 0: every byte is a token of its own")
        terminal.press("q")
        terminal.wait_for_cooked(exit_code=0)


@pytest.mark.slow  # a program is killed
def test_a_closed_window_does_not_leave_the_program_running() -> None:
    with Terminal(OPEN) as terminal:
        terminal.wait_for("of 2,922 ")
        child = terminal.program()
        terminal.press("+", "+", "+", "Space")  # it is drawing all the time
        terminal.tmux("kill-server")
        for _ in range(100):
            if not Path(f"/proc/{child}").exists():
                return
            time.sleep(0.1)
        os.kill(child, signal.SIGKILL)
        pytest.fail("it still runs ten seconds after its window was closed")


def test_marks_take_the_cells_that_are_counted_for_them() -> None:
    text = "काकीकिकं◌ाé"
    with Terminal(f"printf '%s' '{text}END'; cat") as terminal:
        terminal.wait_for("END")
        place = terminal.tmux("display-message", "-p", "#{cursor_x}")
    assert int(place) == width(text + "END")
