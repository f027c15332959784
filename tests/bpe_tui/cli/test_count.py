"""Options about reading a corpus: each command that takes one has them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from program import run

from bpe_tui import cli


def test_each_command_that_takes_a_corpus_may_let_a_packed_one_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.text.corpus.ALWAYS_UNPACKED", 1 << 16)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"low " * 200_000))
    for line in (
        "train a.gz --vocab-size 259 --out made",
        "check made --corpus a.gz --vocab-size 259",
        "count a.gz --tokenizer made",
        "train a.gz --tokenizer made --continue 1 --out longer",
        "open a.gz --plain --step 1",
    ):
        refused = run(*line.split(), stdin=b"quit\n", cwd=tmp_path)
        assert refused.returncode == 2
        assert b"a.gz: unpacks to more than" in refused.stderr
        done = run(*line.split(), "--max-bytes", "800000", stdin=b"quit\n", cwd=tmp_path)
        assert done.returncode == 0


def test_each_command_that_reads_records_counts_those_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, made = str(tmp_path / "a.jsonl"), str(tmp_path / "made")
    Path(corpus).write_text('{"text": "low low"}\n{"text": 1}\n')
    monkeypatch.setattr("bpe_tui.widgets.numbers.ENOUGH_TO_MEASURE", 7)
    reading = ["--field", "text", "--skip-bad"]
    for command, left_out in (
        (["train", corpus, "--vocab-size", "259", "--out", made], "1 bad record"),
        (["check", made, "--corpus", corpus, "--corpus", corpus], "2 bad records"),
        (["count", corpus, "--tokenizer", made], "1 bad record"),
        (["train", corpus, corpus, "--vocab-size", "259", "--out", f"{made}.c"], "2 bad records"),
    ):
        assert cli.main([*command, *reading]) == 0
        said = capsys.readouterr().err
        assert f"note: {left_out} left out" in said
        assert ("7 B in 0.0" in said) == (command[0] == "count")  # its speed
    assert cli.main(["count", corpus, "--tokenizer", made, "--allow-special", "<x>"]) == 2
    assert capsys.readouterr().out == ""  # nothing is read for an unknown token
