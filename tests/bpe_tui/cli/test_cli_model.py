"""The command line with another model than BPE."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import HANDOUT, STORIES, run
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["open", HANDOUT, "--model", "unigrm"], b"did you mean 'unigram'"),
        (["open", HANDOUT, "--model", "unigram", "--units", "characters"], b"--units is for the"),
        (["open", HANDOUT, "--model", "unigram", "--tie-rule", "first-seen"], b"--tie-rule is for"),
        (["open", "--tokenizer", "x", "--model", "unigram"], b"--model is for training"),
        (
            ["train", HANDOUT, "--model", "unigram", "--vocab-size", "9", "--out", "u.json"],
            b"too small",
        ),
    ],
)
def test_a_model_refuses_unknown_tasks_in_one_line(
    arguments: list[str], said: bytes, tmp_path: Path
) -> None:
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
