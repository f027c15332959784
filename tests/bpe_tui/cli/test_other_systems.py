"""The program where the system lacks what Linux has, and beside another package called engine."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import ENVIRONMENT, HANDOUT, PATIENCE, ROOT

from bpe_tui.cli.console import COMMAND_NAMES

WITHOUT_UNIX = [sys.executable, str(ROOT / "tests" / "without_unix.py")]
WORDS = ("--pattern", "whitespace", "--vocab-size", "270")
COMMANDS = {
    "open": (HANDOUT, "--plain"),
    "train": (HANDOUT, *WORDS, "--out", "again"),
    "encode": ("low lower", "--tokenizer", "trained"),
    "decode": ("1", "--tokenizer", "trained"),
    "why": ("lo", "--tokenizer", "trained"),
    "check": ("trained", "--corpus", HANDOUT, *WORDS),
    "count": (HANDOUT, "--tokenizer", "trained"),
    "inspect": ("trained",),
    "compare": ("trained", "trained", "--text", "low"),
    "convert": ("trained", "--to", "gpt2", "--out", "converted"),
    "learn": ("1", "--print"),
    "quiz": (HANDOUT, *WORDS, "--kinds", "tie", "--out", "answers.json", "--plain"),
    "grade": ("answers.json",),
    "record": (HANDOUT, *WORDS, "--steps", "0-1", "--out", "film.cast", "--html", "page.html"),
}
UNIX_ONLY = {
    "signal": {"SIGALRM", "SIGHUP", "SIGQUIT", "SIGTSTP", "setitimer", "pthread_sigmask"},
    "os": {"getuid", "geteuid", "sched_getaffinity", "O_NOFOLLOW", "O_NONBLOCK", "mkfifo", "fork"},
}
UNIX_MODULES = {"fcntl", "termios", "tty", "pty", "resource", "pwd", "grp"}
NAMED = re.compile(rf"\b({'|'.join(UNIX_MODULES.union(*UNIX_ONLY.values()))})\b")


def run_without_unix(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command; a question gets one answer after another."""
    return subprocess.run(
        [*WITHOUT_UNIX, *arguments],
        cwd=folder,
        env=ENVIRONMENT,
        input="1\n2\n3\n4\n5\n6\n",
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.slow  # a process that imports everything
def test_every_module_can_be_imported_without_what_windows_lacks(tmp_path: Path) -> None:
    result = run_without_unix(tmp_path, "--import-all")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow  # each command is a process
def test_every_command_without_a_screen_runs_without_what_windows_lacks(tmp_path: Path) -> None:
    assert set(COMMANDS) == set(COMMAND_NAMES)
    assert not run_without_unix(tmp_path, "train", HANDOUT, *WORDS, "--out", "trained").returncode
    for command, arguments in COMMANDS.items():
        result = run_without_unix(tmp_path, command, *arguments)
        assert result.returncode == 0, (command, result.stderr)
        assert "Traceback" not in result.stderr, command


def test_only_one_module_names_what_windows_lacks() -> None:
    found = set()
    for path in [*ROOT.glob("engine/**/*.py"), *ROOT.glob("bpe_tui/**/*.py")]:
        source = path.read_text("utf-8")
        # To parse all modules would take seconds; few have one of these words.
        for node in ast.walk(ast.parse(source if NAMED.search(source) else "")):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                lacking = node.attr in UNIX_ONLY.get(node.value.id, ())
            elif isinstance(node, ast.Import):
                lacking = any(each.name in UNIX_MODULES for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                lacking = node.module in UNIX_MODULES
            else:
                continue
            if lacking:
                found.add(path.relative_to(ROOT).as_posix())
    assert found == {"engine/core/systems.py"}
