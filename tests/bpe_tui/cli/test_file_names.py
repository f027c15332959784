"""Names of files: odd ones, and samples that come with the program."""

from pathlib import Path
from typing import Any

import pytest
import typer
from file_names import NAMES, fed, made_in
from generated import first_quick
from program import HANDOUT, refusal, run

from bpe_tui.cli.options import complete_sample
from bpe_tui.cli.program import app
from bpe_tui.session.samples import SAMPLES, directory, file_of

SWAPPED = str(Path(HANDOUT).with_name("swapped.json"))
RECORD = ("record", "--steps", "0-1")
TRAIN = ("train", "--vocab-size", "260")
LINES = {
    "open corpus": ("open", "@", "--plain"),
    "open tokenizer": ("open", "--tokenizer", "@", "--plain"),
    "train corpus": (*TRAIN, "@", "--out", "new"),
    "train out": (*TRAIN, HANDOUT, "--out", "@"),
    "train steps": (*TRAIN, HANDOUT, "--out", "new", "--steps", "@"),
    "train tokenizer": ("train", HANDOUT, "--tokenizer", "@", "--continue", "1", "--out", "new"),
    "encode texts": ("encode", "--tokenizer", SWAPPED, "@", "--out", "new.npy"),
    "encode out": ("encode", "--tokenizer", SWAPPED, HANDOUT, "--out", "@"),
    "encode tokenizer": ("encode", "--tokenizer", "@", "low"),
    "decode tokenizer": ("decode", "--tokenizer", "@", "97"),
    "why tokenizer": ("why", "low", "--tokenizer", "@"),
    "check corpus": ("check", SWAPPED, "--corpus", "@"),
    "check files": ("check", "@", "--corpus", HANDOUT),
    "check jsonl": ("check", "--jsonl", "@", "--corpus", HANDOUT),
    "count files": ("count", "@", "--tokenizer", SWAPPED),
    "count tokenizer": ("count", HANDOUT, "--tokenizer", "@"),
    "inspect tokenizer": ("inspect", "@"),
    "compare tokenizers": ("compare", SWAPPED, "@"),
    "compare file": ("compare", SWAPPED, SWAPPED, "--file", "@"),
    "convert tokenizer": ("convert", "@", "--to", "gpt2", "--out", "new"),
    "encode chat": ("encode", "--tokenizer", SWAPPED, "--chat", "@"),
    "convert out": ("convert", SWAPPED, "--to", "gpt2", "--out", "@"),
    "learn lesson": ("learn", "@", "--check"),
    "quiz corpus": ("quiz", "@", "--out", "new.json"),
    "quiz out": ("quiz", HANDOUT, "--out", "@"),
    "quiz write": ("quiz", HANDOUT, "--write", "@"),
    "grade files": ("grade", "@"),
    "grade quiz": ("grade", "file", "--quiz", "@"),
    "grade corpus": ("grade", "file", "--corpus", "@"),
    "grade out": ("grade", "file", "--out", "@"),
    "record corpus": (*RECORD, "@", "--out", "new.cast"),
    "record tokenizer": (*RECORD, "--tokenizer", "@", "--out", "new.cast"),
    "record out": (*RECORD, HANDOUT, "--out", "@"),
    "record html": (*RECORD, HANDOUT, "--html", "@"),
}
"""The command and the name of its parameter → a line with `@` for the name of the file."""
FILES = ("FILE", "PATH", "CORPUS", "TOKENIZER", "MERGES", "STEPS", "QUIZ.", "[TEXT]", "A B")
"""Parts of the names that help gives to values that name files."""


def test_each_option_that_names_a_file_is_in_the_table() -> None:
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    named = {
        f"{name} {param.name}"
        for name in group.list_commands(context)
        for param in group.get_command(context, name).params
        if any(part in str(param.metavar) for part in FILES)
    }
    assert set(LINES) == named


@pytest.mark.unix
@pytest.mark.parametrize("line", first_quick(LINES))
def test_a_name_that_is_no_file_is_refused_in_a_sentence(line: str, tmp_path: Path) -> None:
    with made_in(tmp_path), fed(tmp_path / "pipe"):
        for kind, name in NAMES.items():
            done = run(*(name if word == "@" else word for word in LINES[line]))
            told = done.stderr.decode()
            exit_codes = (0, 1, 2) if line == "check corpus" else (0, 2)  # 1: other merges
            assert done.returncode in exit_codes, (kind, told)
            assert "rror" not in told.replace("Value error", "")


@pytest.mark.unix
def test_a_name_typed_without_a_screen_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with made_in(tmp_path):
        for kind, name in NAMES.items():
            typed = f"save {name}\ngo 1\n".encode("utf-8", "surrogateescape")
            done = run("open", HANDOUT, "--plain", stdin=typed)
            assert (kind, done.returncode) == (kind, 0)
            assert (kind, b"Merge 1 of" in done.stdout) == (kind, True)


OPTIONS = ("--pattern", "whitespace", "--vocab-size", "262")
SAMPLE = "samples/handout.txt"


@pytest.mark.parametrize(
    "arguments",
    [
        ("open", SAMPLE, "--plain"),
        (SAMPLE, "--plain"),
        ("train", SAMPLE, *OPTIONS, "--out", "a"),
        ("check", "samples/swapped.json", "--corpus", SAMPLE, "--json"),
        ("open", "--tokenizer", "samples/swapped.json", "samples/ship.txt", "--plain"),
        ("inspect", "samples/swapped.json"),
        ("count", SAMPLE, "--tokenizer", "samples/swapped.json"),
        ("compare", "samples/swapped.json", "samples/swapped.json", "--file", SAMPLE),
        ("encode", "--tokenizer", "samples/swapped.json", SAMPLE, "--out", "ids.npy"),
        ("count", "samples/parallel/*.txt", "--tokenizer", "samples/swapped.json"),
    ],
)
def test_a_sample_is_found_from_any_directory(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    assert run(*arguments, cwd=tmp_path).returncode == (arguments[0] == "check")


def test_a_file_here_comes_first_and_a_sample_is_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert file_of(SAMPLE) == file_of(f"./{SAMPLE}") == str(directory() / "handout.txt")
    for name in ("handout.txt", "samples/other.txt", "texts/handout.txt", f"a/{SAMPLE}", ""):
        assert file_of(name) == name
    every = [f"samples/{sample.name}" for sample in SAMPLES]
    assert (complete_sample("sam"), complete_sample("txt")) == (every, [])
    (tmp_path / "sam.txt").touch()
    assert complete_sample("sam") == []
    before = (directory() / "handout.txt").read_bytes()
    done = run("train", SAMPLE, *OPTIONS, "--out", SAMPLE)
    assert (directory() / "handout.txt").read_bytes() == before
    assert done.returncode == 0
    assert (tmp_path / SAMPLE / "vocab.json").is_file()
    assert b"5 merges" in run(SAMPLE, "--plain").stdout  # what was just written, with its merges
    assert "samples/handot.txt: no such file" in refusal(run("samples/handot.txt", "--plain"))
