"""Commands that read records name how many they leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import cli


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
