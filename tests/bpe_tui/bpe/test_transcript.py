"""The transcript without a screen: no Textual, and a line of output for each of input."""

from __future__ import annotations

import subprocess
import sys

import pytest
from program import ENVIRONMENT, HANDOUT, refusal, run

WITHOUT_TEXTUAL = (
    "import sys; from bpe_tui.cli import main; "
    "sys.exit(main(sys.argv[1:]) or 'textual' in sys.modules)"
)


def run_without_textual(*arguments: str, stdin: bytes) -> list[str]:
    """Run the program in a process of its own, and return its lines; it imports no Textual."""
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_TEXTUAL, *arguments],
        input=stdin,
        capture_output=True,
        env=ENVIRONMENT,
        timeout=30,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.decode().splitlines()


@pytest.mark.slow  # it starts a process
@pytest.mark.parametrize("model", ["wordpiece", "unigram"])
def test_no_model_needs_textual_to_be_stepped_through(model: str) -> None:
    options = ("--plain", "--model", model, "--vocab-size", "60")
    assert len(run_without_textual(HANDOUT, *options, stdin=b"next\nencode low\nquit\n")) > 3


@pytest.mark.slow  # it starts a process
@pytest.mark.parametrize("command", [[], ["open"]])
def test_a_pipe_gets_a_line_for_each_command_and_no_textual_is_loaded(command: list[str]) -> None:
    options = (*command, HANDOUT, "--plain", "--pattern", "whitespace")
    lines = run_without_textual(*options, stdin=b"\nnext\nencode \xff\nquit\nnext\n")
    assert [line.split(":")[0] for line in lines[1:4]] == [
        "Merge 1 of 12",
        "Merge 2 of 12",
        "1 token for 1 byte",
    ]
    assert len(lines) == 5


def test_the_corpus_and_the_commands_cannot_both_be_standard_input() -> None:
    result = run("-", "--plain", stdin=b"low lower")
    assert "give the corpus as a file" in refusal(result)
