"""Plain command lines are read without typer, and mean what typer reads."""

from __future__ import annotations

import shlex
from importlib import import_module

import pytest
from program import run

from bpe_tui.cli.console import MODULES
from bpe_tui.cli.declared import COMMANDS, Command, Given, run_plain
from bpe_tui.cli.program import run_command

for module in MODULES.values():
    import_module(f"bpe_tui.cli.{module}")

OWN = [
    "train samples/handout.txt - --vocab-size 300 --special <s> --special <t> --out a --force",
    "encode - --tokenizer a --tokenizer b --allow-special all --seed 3",
    "count a b c --tokenizer samples/handout.txt --json",
    "train a --out -",
    "learn",
]
NOT_PLAIN = [
    "",
    "--version",
    "help train",
    "samples/handout.txt",
    "train --help",
    "train a --vocab-size=9 --out b",
    "train a --vocab-size 9 --out --out",
    "train a --out b --vocab-size",
    "train a --vocab-size 9 --vocab-size 8 --out b",
    "train a --vocab-size nine --out b",
    "train a --min-count 0 --out b",
    "train a --vocab-siz 9 --out b",
    "train --out b",
    "train a",
    "train a --language zh --out b",
    "decode --tokenizer a -- 1 2",
    "why a b --tokenizer c",
]


def examples() -> list[str]:
    """Return the examples of all help pages, without what belongs to a shell."""
    lines = [line for each in COMMANDS.values() for line in each.settings["epilog"].splitlines()]
    of_program = (line.rpartition("bpe-tui ")[2] for line in lines if "bpe-tui " in line)
    return [line.partition(" < ")[0].partition(" > ")[0] for line in of_program]


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Command, Given]]:
    """Return the calls of commands, which do not run."""
    calls: list[tuple[Command, Given]] = []

    def note(command: Command, given: Given) -> int:
        calls.append((command, given))
        return 7

    monkeypatch.setattr(Command, "run", note)
    return calls


@pytest.mark.parametrize("line", [*OWN, *examples()])
def test_a_plain_line_is_read_as_typer_reads_it(
    line: str, called: list[tuple[Command, Given]]
) -> None:
    words = shlex.split(line)
    assert run_command(words) == 7
    if run_plain(words) is not None:
        by_typer, plain = called
        assert plain == by_typer
    assert len(called) == 2 or line not in OWN


def test_most_examples_are_plain(called: list[tuple[Command, Given]]) -> None:
    read = [run_plain(shlex.split(line)) for line in examples()]
    assert read.count(7) > 0.8 * len(read)


@pytest.mark.parametrize("line", NOT_PLAIN)
def test_other_lines_are_left_to_typer(line: str, called: list[tuple[Command, Given]]) -> None:
    assert run_plain(shlex.split(line)) is None
    assert not called


def test_a_file_that_may_not_be_is_refused_by_typer() -> None:
    assert run_plain(["train", "a", "--vocab-size", "9", "--out", "b\0"]) is None
    assert b"NUL" in run("train", "a", "--vocab-size", "9", "--out", "b\0").stderr
