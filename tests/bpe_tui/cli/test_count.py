"""Commands that read records name how many they leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import cli


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
        (["train", corpus, corpus, "--format", "counts", "--out", f"{made}.c"], "2 bad records"),
    ):
        assert cli.main([*command, *reading]) == 0
        said = capsys.readouterr().err
        assert f"note: {left_out} left out" in said
        assert ("7 B in 0.0" in said) == (command[0] == "count")  # its speed
    assert cli.main(["count", corpus, "--tokenizer", made, "--allow-special", "<x>"]) == 2
    assert capsys.readouterr().out == ""  # nothing is read for an unknown token
