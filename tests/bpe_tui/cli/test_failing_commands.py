"""A command that fails writes nothing: what `--force` would overwrite stays, no draft is left."""

from __future__ import annotations

import errno
import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
import typer
from program import Result, run

from bpe_tui.cli.console import COMMAND_NAMES
from bpe_tui.cli.program import app

QUIZ = "quiz low.txt --pattern whitespace --questions 3 --kinds tokens-left"
COMMANDS = {
    "train --out": "train low.txt --vocab-size 259 --out tokenizer",
    "train --steps": "train low.txt --vocab-size 259 --out tokenizer --steps steps.jsonl",
    "encode --out": "encode low.txt --tokenizer known.json --out ids.npy",
    "convert --out": "convert known.json --to gpt2 --out copy",
    "quiz --out": f"{QUIZ} --plain --out answers.json",
    "quiz --write": f"{QUIZ} --write quiz.toml",
    "grade --out": "grade li.json --corpus low.txt --out grades.csv",
    "record --out": "record low.txt --steps 0-1 --out film.cast",
    "record --html": "record low.txt --steps 0-1 --html film.html",
}
"""Command and option that writes → arguments with which it does."""
OTHERS = {
    "train --out": (
        "train low.txt --vocab-size 9 --out tokenizer",
        "train low.txt --vocab-size 259 --pattern ( --out tokenizer",
        "train low.txt --tokenizer known.json --continue 5 --format tiktoken --out tokenizer",
        "train low.txt cut.gz --model unigram --vocab-size 300 --out tokenizer",
    ),
    "train --steps": (
        "train low.txt cut.gz --vocab-size 259 --out tokenizer --steps steps.jsonl",
        "train low.txt --model wordpiece --vocab-size 9 --out tokenizer --steps steps.jsonl",
    ),
    "encode --out": (
        "encode low.txt special.txt --tokenizer known.json --out ids.npy",
        "encode low.txt cut.gz --tokenizer known.json --out ids.npy",
        "encode low.txt --tokenizer known.json --allow-special <no> --out ids.npy",
    ),
    "convert --out": ("convert known.json --to none --out copy",),
    "quiz --out": (f"{QUIZ} --kinds none --plain --out answers.json",),
    "quiz --write": (f"{QUIZ} --lessons 99 --write quiz.toml",),
    "grade --out": (
        "grade li.json --seed 8 --out grades.csv",
        "grade li.json --corpus special.txt --quiz li.json --out grades.csv",
        "grade li.json --quiz low.txt --out grades.csv",
    ),
}
"""More arguments, with which a command fails in its own way."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which each command has written its files."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "low.txt").write_text("low lower lowest newer\n" * 9)
    (folder / "special.txt").write_text("low<|endoftext|>")
    (folder / "cut.gz").write_bytes(gzip.compress(bytes(range(256)) * 99)[:-9])
    known = "train low.txt --vocab-size 262 --format huggingface --out known.json"
    for line in (known, f"{QUIZ} --plain --out li.json"):
        assert called(folder, line).returncode == 0
    return folder


def called(folder: Path, line: str) -> Result:
    return run(*line.split(" "), stdin=b"skip\n" * 9, cwd=folder)


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the folder, with good files in all places that the command writes."""
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    inputs = contents(folder)
    assert called(folder, COMMANDS[request.node.callspec.params["command"]]).returncode == 0
    for path in contents(folder).keys() - inputs.keys():
        path.write_text("good")
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SLOW = [
    pytest.param(each, marks=pytest.mark.slow if each.startswith("record") else ())
    for each in COMMANDS
]


@pytest.mark.parametrize("command", SLOW)
def test_bad_input_leaves_the_files_that_are_there(folder: Path, command: str) -> None:
    line, before = COMMANDS[command], contents(folder)
    first = line.split(" ")[1]
    lines = [line.replace(first, wrong, 1) for wrong in ("missing", "cut.gz", "tokenizer")]
    for failing in (*lines, line.replace(" --", " --unknown --", 1), *OTHERS.get(command, ())):
        done = called(folder, f"{failing} --force")
        assert done.returncode == 2, failing
        assert contents(folder) == before, failing
        assert b"ritten" not in done.stdout + done.stderr, failing


@pytest.mark.parametrize("command", SLOW)
def test_a_disk_that_is_full_at_any_flush_leaves_the_files_that_are_there(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush, flushed, before = os.fsync, list[int](), contents(folder)
    fails_at = 0

    def refuse(handle: int) -> None:
        flushed.append(handle)
        if len(flushed) == fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    for fails_at in range(1, 9):
        flushed.clear()
        done = called(folder, f"{COMMANDS[command]} --force")
        if len(flushed) < fails_at:
            break
        after = contents(folder)
        if done.returncode == 0:  # only a folder was not flushed
            assert after.keys() == before.keys()
            assert b"good" not in after.values()
            for path, content in before.items():
                path.write_bytes(content)
        elif command == "quiz --out" and fails_at > 1:  # it saves each answer
            assert json.loads((folder / "answers.json").read_text())
        else:
            assert (done.returncode, after) == (2, before), fails_at
            assert b"No space left on device" in done.stderr
    assert fails_at > 1


def test_each_option_that_writes_is_tried_here() -> None:
    group = typer.main.get_command(app)
    options = {
        f"{name} {option.opts[0]}"
        for name in COMMAND_NAMES
        for option in group.get_command(None, name).params  # type: ignore[attr-defined]
        if getattr(option, "rich_help_panel", None) == "Output"
        and (option.metavar or "").startswith(("FILE", "PATH"))
    }
    assert options == COMMANDS.keys()
