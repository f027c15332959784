"""`samples/NAME` is a file here, or else the sample that came with the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import refusal, run

from bpe_tui.cli.options import complete_sample
from bpe_tui.session.samples import SAMPLES, directory, file_of

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
