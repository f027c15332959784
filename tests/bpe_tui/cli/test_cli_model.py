"""The command line with another model than BPE."""

from __future__ import annotations

from pathlib import Path

from program import STORIES, run
from tokenizers import Tokenizer


def test_train_writes_a_tokenizer_json_that_others_read(tmp_path: Path) -> None:
    out = tmp_path / "unigram.json"
    result = run("train", STORIES, "--model", "unigram", "--vocab-size", "500", "--out", out)
    assert result.returncode == 0
    assert result.stdout.strip() == str(out).encode()
    assert Tokenizer.from_file(str(out)).get_vocab_size() == 500
    again = run("train", STORIES, "--model", "unigram", "--vocab-size", "500", "--out", out)
    assert again.returncode == 2
    assert b"--force" in again.stderr
