"""Transcripts: commands, and what each prints, on the corpus of the course notes.

In a file of `transcripts/` a command follows `$`, with lines for its input after ` < `. Below it is
what it prints. `$ cat FILE` shows a file that one wrote, `$ ls` the names of all. The numbers can
be counted by hand.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from kept import check_kept
from program import ROOT, run

TRANSCRIPTS = Path(__file__).parent / "transcripts"
CHANGES = re.compile(
    r"\d[\d.,]* (?:µs|ms|[KMG]?B/s)\b|\d+\.\d+ s\b|[\d.]+ [MG]B(?=\n)|\d{4}-\d\d-\d\dT[\d:+.]+"
)
"""Times, speeds and memory, which are never the same."""


def printed(command: str, folder: Path) -> str:
    """Return what a command prints, its notes and errors first."""
    line, _, lines = command.partition(" < ")
    arguments = shlex.split(line)
    if arguments[0] == "cat":
        return (folder / arguments[1]).read_text("utf-8")
    if arguments[0] == "ls":
        return "\n".join(sorted(os.listdir(folder)))
    result = run(*arguments, stdin=lines.replace("; ", "\n").encode(), cwd=folder)
    status = [f"exit {result.returncode}\n"] * bool(result.returncode)
    text = b"".join((result.stderr, result.stdout)).decode() + "".join(status)
    return CHANGES.sub("#", text.replace(str(folder), "…"))


@pytest.mark.parametrize("name", sorted(path.stem for path in TRANSCRIPTS.glob("*.txt")))
def test_the_commands_of_a_transcript_print_its_lines(name: str, tmp_path: Path) -> None:
    file = TRANSCRIPTS / f"{name}.txt"
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    head, *parts = re.split(r"^(?=\$ )", file.read_text("utf-8"), flags=re.MULTILINE)
    commands = [part.partition("\n")[0] for part in parts]
    now = [f"{command}\n{printed(command[2:], tmp_path)}".rstrip() + "\n" for command in commands]
    check_kept(file, head + "\n".join(now))
