"""`bpe-tui inspect`: sections for people, JSON for programs."""

from __future__ import annotations

import json

import pytest

from bpe_tui import cli
from engine import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("odd") / "out")
    vocab = {byte: bytes([byte]) for byte in range(256)} | {300: b"\x1b[", 301: b"ab"}
    Tokenizer(vocab, [(b"\x1b", b"["), (b"a", b"b")], {"<s>": 400}).save(place)
    return place


def test_the_sections_are_aligned_and_hostile_tokens_visible(
    capsys: pytest.CaptureFixture[str], tokenizer: str
) -> None:
    assert cli.main(["inspect", tokenizer]) == 0
    told = capsys.readouterr().out
    assert "  tokens              259\n" in told
    assert "  special tokens      <s> 400\n" in told
    assert "0 to 400; 142 ids without a token: 256–299, 302–399" in told
    assert "␛[" in told
    assert "\x1b" not in told
    titles = [line for line in told.splitlines() if line.endswith("?")]
    assert len(titles) == 5


def test_json_has_tokens_in_gpt2s_spelling(
    capsys: pytest.CaptureFixture[str], tokenizer: str
) -> None:
    assert cli.main(["inspect", tokenizer, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["tokens"] == 259
    assert facts["gaps"] == {"count": 142, "first": [[256, 299], [302, 399]]}
    assert facts["longest"][0] == {"id": 300, "token": "ě["}
    assert facts["numbers"]["tokens_by_digits"] == {"1": 10, "2": 0, "3": 0, "4": 0}


def test_what_is_no_tokenizer_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["inspect", "/nowhere"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
