"""`--parity` of `train` and `open`: several corpora as languages that take turns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import BAD_INPUT, HANDOUT, ROOT, STORIES, run

from engine import Tokenizer

UNICODE, CODE = ROOT / "samples" / "unicode.txt", ROOT / "samples" / "code.txt"


def test_train_makes_a_tokenizer_and_says_how_the_languages_fare(tmp_path: Path) -> None:
    out, steps = tmp_path / "out", tmp_path / "steps.jsonl"
    size = ("--vocab-size", "700", "--min-count", "2")
    result = run("train", STORIES, CODE, "--parity", *size, "--out", out, "--steps", steps)
    assert result.returncode == 0
    said = result.stderr.decode().splitlines()
    assert said[0].endswith("languages took turns")
    assert [line.partition(":")[0] for line in said[1:]] == [
        *("tinystories_valid.txt", "code.txt", "note")
    ]
    assert "tokens a character (plain BPE " in said[2]
    assert "times as long as code.txt; turns go by tokens a character" in said[3]
    served = [json.loads(line)["language"] for line in steps.read_text().splitlines()]
    assert set(served) == {"tinystories_valid.txt", "code.txt"}
    assert f"{served.count('code.txt')} turns of {len(served)}" in said[2]
    assert len(Tokenizer.load(out).merges) == len(served)


def test_two_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("en", "am"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.txt").write_text(f"{folder} the text of {folder}")
    names = (tmp_path / "en" / "a.txt", tmp_path / "am" / "a.txt")
    result = run("train", *names, "--parity", "--vocab-size", "260", "--out", tmp_path / "out")
    assert [line[:7] for line in result.stderr.decode().splitlines()[1:]] == ["1 a.txt", "2 a.txt"]


def test_the_transcript_tells_whose_turn_it_is() -> None:
    commands = b"go 2\nwhy\nahead\nlanguages\nlinked\npairs 1\n"
    asked = ("open", STORIES, UNICODE, "--parity", "--vocab-size", "300", "--plain")
    lines = run(*asked, stdin=commands).stdout.decode().splitlines()
    assert "is worst off, with" in next(
        line for line in lines if "worst" in line and " is " in line
    )
    assert any("unicode.txt was worst off, with" in line for line in lines)
    assert any(line.startswith("unicode.txt: 1.") and "turns of 2" in line for line in lines)
    assert any("Languages take turns here" in line for line in lines)
    alone = run("open", HANDOUT, "--plain", stdin=b"languages\n").stdout.decode()
    assert "All text is one language here" in alone


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([STORIES], b"--parity is between languages: give a CORPUS for each"),
        (["-", STORIES], b"--parity reads each language by itself"),
        ([STORIES, CODE, "--trainer", "heap"], b"--parity trains in its own way"),
        ([STORIES, CODE, "--model", "unigram"], b"--parity is for the model bpe"),
        ([STORIES, "nowhere.txt"], b"nowhere.txt"),
    ],
)
def test_what_parity_cannot_do_is_one_sentence(arguments: list[str], said: bytes) -> None:
    result = run("train", *arguments, "--parity", "--vocab-size", "300", "--out", "x")
    assert result.returncode == BAD_INPUT
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
