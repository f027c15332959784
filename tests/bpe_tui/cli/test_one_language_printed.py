"""In another language no command prints an English word, except names and texts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from english_words import english_in
from program import ROOT
from test_transcripts import EXIT, TRANSCRIPTS, sample_of, transcripts

from bpe_tui.session.languages import PLACE

SAMPLES = ("handout.txt", "ship.txt", "we_and_they.txt")
TEXTS = "".join((ROOT / "samples" / name).read_text("utf-8") for name in SAMPLES)
TYPED = " llowwidest llow Ada index pretokens changes occurrences "
"""What the transcripts learn from and cut; and what they decode, are called, and compare."""
FOR_PROGRAMS = re.compile(r"--json|--help|^help")
"""Commands that print JSON, or the help, which is English."""


@pytest.mark.parametrize("name", transcripts())
def test_no_command_prints_an_english_word(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    lines = (TRANSCRIPTS / f"{name}.txt").read_text("utf-8").splitlines()
    found = {}
    commands = [line[2:].partition(EXIT)[0] for line in lines if line.startswith("$ ")]
    for command in (each for each in commands if not each.startswith(("cat ", "ls"))):
        first, *printed = sample_of(command, tmp_path)
        texts = f"{command}{TYPED}{TEXTS}{lesson_text(command)}"
        text = "\n".join((first.partition("\n")[2], *printed))
        words = {word for word in english_in(text) if word not in texts}
        if words and not FOR_PROGRAMS.search(command):
            found[command] = words
    assert found == {}


def lesson_text(command: str) -> str:
    """Return the text of the lesson that a command reads out, which may quote Python."""
    found = re.match(r"learn (\d+)", command)
    paths = (PLACE / "zh").glob(f"{int(found[1]):02}-*.md") if found else ()
    return "".join(path.read_text("utf-8") for path in paths)
