"""Transcripts: commands, and what each prints, on the corpus of the course notes.

In a file of `transcripts/` a command follows `$`, with lines for its input after ` < `, and its
exit status if it fails. Below it is what it prints: the first line, and those that no command
above has printed. `$ cat FILE` shows a file that one wrote, `$ ls` the names of all. The numbers
can be counted by hand.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from kept import check_kept, each_once
from program import ROOT, run

TRANSCRIPTS = Path(__file__).parent / "transcripts"
CHANGES = re.compile(
    r"\d[\d.,]* (?:µs|ms|[KMG]?B/s)\b|\d+\.\d+ s\b|[\d.]+ [MG]B(?=\n)|\d{4}-\d\d-\d\dT[\d:+.]+"
)
"""Times, speeds and memory, which are never the same."""
EXIT = "  → exit "
SLOW = ("quiz-bpe", "quiz-unigram", "quiz-wordpiece", "texts")
"""Transcripts that take seconds: two dozen questions of each model, commands on a larger sample."""


def sample_of(command: str, folder: Path) -> list[str]:
    """Return a command with its exit status, and what it prints, its notes and errors first."""
    line, _, lines = command.partition(" < ")
    arguments = shlex.split(line)
    if arguments[0] == "cat":
        return [f"$ {command}", *(folder / arguments[1]).read_text("utf-8").splitlines()]
    if arguments[0] == "ls":
        return [f"$ {command}", *sorted(os.listdir(folder))]
    result = run(*arguments, stdin=lines.replace("; ", "\n").encode(), cwd=folder)
    status = f"{EXIT}{result.returncode}" if result.returncode else ""
    text = CHANGES.sub("#", (result.stderr + result.stdout).decode().replace(str(folder), "…"))
    first, *others = text.splitlines() or [""]
    return [f"$ {command}{status}\n{first}", *filter(str.strip, others)]


def transcripts() -> list[ParameterSet]:
    """Return the names of all transcripts; those in `SLOW` are slow."""
    names = sorted(path.stem for path in TRANSCRIPTS.glob("*.txt"))
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in names]


@pytest.mark.parametrize("name", transcripts())
def test_the_commands_of_a_transcript_print_its_lines(name: str, tmp_path: Path) -> None:
    file = TRANSCRIPTS / f"{name}.txt"
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    head, *lines = file.read_text("utf-8").splitlines()
    commands = [line[2:].partition(EXIT)[0] for line in lines if line.startswith("$ ")]
    samples = (sample_of(command, tmp_path) for command in commands)
    check_kept(file, "\n".join([head, *each_once(samples, str, keeps_headings=True)]) + "\n")
