"""`bpe-tui count`: a line a file, a total, and an error line for each file that fails."""

from __future__ import annotations

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
