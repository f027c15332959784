"""`bpe-tui count`: samples are counted as they are read, and records left out are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import cli
from engine import Tokenizer

SAMPLES = Path(__file__).parents[3] / "samples"


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


def test_the_samples_are_counted_and_compared_without_an_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = str(tmp_path / "out")
    vocab = {byte: bytes([byte]) for byte in range(256)}
    Tokenizer(vocab, [], ["<|endoftext|>"]).save(place)
    samples = [str(file) for file in sorted(SAMPLES.glob("*.txt"))]
    assert cli.main(["count", *samples, "--tokenizer", place]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:-1]]
    for file, (tokens, size) in zip(samples, rows, strict=True):
        data = Path(file).read_bytes()
        assert int(size.replace(",", "")) == len(data)
        cut_out = data.count(b"<|endoftext|>") * (len(b"<|endoftext|>") - 1)
        assert int(tokens.replace(",", "")) == len(data) - cut_out
    assert cli.main(["compare", place, place, "--file", samples[-2]]) == 0
    assert "all cut it alike" in capsys.readouterr().out
