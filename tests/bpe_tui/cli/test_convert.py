"""`bpe-tui convert`: another format, checked, with its losses on standard error."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import cli
from engine import Tokenizer


@pytest.fixture
def tokenizer(tmp_path: Path) -> str:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"ab"}
    Tokenizer(vocab, [(b"a", b"b")], ["<s>"], "llama3").save(tmp_path / "one")
    return str(tmp_path / "one")


def test_convert_prints_its_result_which_opens(
    capsys: pytest.CaptureFixture[str], tokenizer: str, tmp_path: Path
) -> None:
    out = tmp_path / "two"
    assert cli.main(["convert", tokenizer, "--to", "gpt2", "--out", str(out)]) == 0
    told = capsys.readouterr()
    assert told.out == f"258 tokens in {out} (gpt2), read again and checked\n"
    assert told.err == ""
    assert Tokenizer.load(out).encode("ab<s>") == [256, 257]
