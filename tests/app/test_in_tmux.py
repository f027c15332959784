"""The real program in a real terminal."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Textual believes COLUMNS and LINES, which a test runner may have set.
PROGRAM = f"unset COLUMNS LINES; {sys.executable} -m bpe_tui samples/tinystories_valid.txt"

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")


class Terminal:
    """A tmux session with the program in it."""

    def __init__(self, name: str, width: int, height: int) -> None:
        self.name = name
        command = f"{PROGRAM}; echo LEFT $?; cat"
        self.tmux("kill-session")
        subprocess.run(
            [
                *("tmux", "-L", "bpe-tui-test", "new-session", "-d", "-s", name),
                *("-x", str(width), "-y", str(height), "-c", str(ROOT), command),
            ],
            check=True,
        )

    def tmux(self, verb: str, *arguments: str) -> str:
        done = subprocess.run(
            ["tmux", "-L", "bpe-tui-test", verb, "-t", self.name, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout

    def wait_for(self, text: str) -> str:
        screen = ""
        for _ in range(150):
            screen = self.tmux("capture-pane", "-p")
            if text in screen:
                return screen
            time.sleep(0.1)
        pytest.fail(f"{text!r} never came:\n{screen}")


@pytest.mark.parametrize(("width", "height"), [(120, 40), (80, 24)])
def test_a_person_steps_types_and_leaves(width: int, height: int) -> None:
    terminal = Terminal(f"size-{width}", width, height)
    try:
        terminal.wait_for("of 2,922 ")
        terminal.tmux("send-keys", "l", "l", "l")
        screen = terminal.wait_for("Merge 3 of")
        assert "heap" in screen
        assert max(map(len, screen.splitlines())) == width
        assert "type to encode" in screen
        terminal.tmux("send-keys", "e")
        time.sleep(0.5)
        terminal.tmux("send-keys", "the girl", "Escape")
        terminal.wait_for("8 bytes")
        time.sleep(0.5)  # Esc and q in one breath are Alt+q to a terminal
        terminal.tmux("send-keys", "q")
        terminal.wait_for("LEFT 0")
    finally:
        terminal.tmux("kill-session")
