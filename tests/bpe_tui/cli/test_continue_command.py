"""`--continue` of `train` and `open`: more merges, learnt after those of a tokenizer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tokenizers
from program import HANDOUT, ROOT, run

from engine import Tokenizer, train_bpe

CODE = ROOT / "samples" / "code.txt"
END = "<|endoftext|>"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a `tokenizer.json` with 13 merges and a special token after the bytes."""
    path = tmp_path_factory.mktemp("own") / "own.json"
    vocab, merges = train_bpe(HANDOUT, 400, [END])
    Tokenizer(vocab, merges, [END]).save(path, "huggingface")
    return path


def test_train_writes_the_longer_tokenizer_in_the_format_it_came_in(
    own: Path, tmp_path: Path
) -> None:
    out, steps = tmp_path / "longer.json", tmp_path / "steps.jsonl"
    asked = ("--tokenizer", own, "--continue", "50", "--out", out, "--steps", steps)
    result = run("train", CODE, *asked)
    assert result.returncode == 0
    assert result.stdout.decode().splitlines() == [str(out), str(steps)]
    before, after = Tokenizer.load(own), Tokenizer.load(out)
    added = len(before.vocab)
    assert f"{added + 50} tokens: {added} of own.json, 50 new" in result.stderr.decode()
    assert after.vocab.items() >= before.vocab.items()
    assert min(after.vocab.keys() - before.vocab.keys()) == added
    text = CODE.read_text(encoding="utf-8")
    assert len(after.encode(text)) < len(before.encode(text))
    assert tokenizers.Tokenizer.from_file(str(out)).encode(text).ids == after.encode(text)
    lines = [json.loads(line) for line in steps.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(after.merges)
    assert lines[-1]["new_id"] == added + 49
