"""`bpe-tui count`: a line a file, a total, and an error line for each file that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import run

from bpe_tui import cli
from engine import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("pairs") / "out")
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    Tokenizer(vocab, [(b"a", b"b")], ["<s>"]).save(place)
    return place


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    (tmp_path / "one").write_text("abab")
    (tmp_path / "two").write_text("ab c")
    return [str(tmp_path / "one"), str(tmp_path / "two")]


def test_tokens_bytes_and_their_quotient_by_file_and_in_total(
    capsys: pytest.CaptureFixture[str], tokenizer: str, texts: list[str]
) -> None:
    assert cli.main(["count", *texts, "--tokenizer", tokenizer]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        ["tokens", "bytes", "bytes/token", "file"],
        ["2", "4", "2.000", texts[0]],
        ["3", "4", "1.333", texts[1]],
        ["5", "8", "1.600", "total"],
    ]


def test_json_says_the_same(
    capsys: pytest.CaptureFixture[str], tokenizer: str, texts: list[str]
) -> None:
    assert cli.main(["count", *texts, "--tokenizer", tokenizer, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [row["tokens"] for row in facts["files"]] == [2, 3]
    assert facts["total"] == {"bytes": 8, "tokens": 5, "bytes_per_token": 1.6}


def test_a_file_that_fails_is_one_line_and_the_others_are_counted(
    capsys: pytest.CaptureFixture[str], tokenizer: str, texts: list[str], tmp_path: Path
) -> None:
    names = [texts[0], str(tmp_path / "missing"), texts[1]]
    assert cli.main(["count", *names, "--tokenizer", tokenizer]) == 2
    told = capsys.readouterr()
    assert told.out.splitlines()[-1].split() == ["5", "8", "1.600", "total"]
    [missing] = told.err.splitlines()
    assert "missing: no such file" in missing


def test_standard_input_is_counted(tokenizer: str) -> None:
    result = run("count", "-", "--tokenizer", tokenizer, stdin=b"ab\xff")
    assert result.stdout.decode().splitlines()[1].split() == ["2", "3", "1.500", "-"]


def test_each_command_that_reads_records_counts_those_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, made = str(tmp_path / "a.jsonl"), str(tmp_path / "made")
    Path(corpus).write_text('{"text": "low low"}\n{"text": 1}\n')
    reading = ["--field", "text", "--skip-bad"]
    for command in (
        ["train", corpus, "--vocab-size", "259", "--out", made],
        ["check", made, "--corpus", corpus],
        ["count", corpus, "--tokenizer", made],
        ["train", corpus, "--format", "counts", "--out", f"{made}.counts"],
    ):
        assert cli.main([*command, *reading]) == 0
        assert "note: 1 bad record left out" in capsys.readouterr().err
