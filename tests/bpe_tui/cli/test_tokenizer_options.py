"""`--tokenizer` takes every format, in one path or two; `--format` writes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import run, train

from engine import Tokenizer
from engine.core.gpt2_bytes import spell
from engine.formats import WRITABLE, open_tokenizer


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """format → the handout's tokenizer in it."""
    place = tmp_path_factory.mktemp("formats")
    for name in WRITABLE:
        assert train(place / name, "--format", name).returncode == 0
    return {name: place / name for name in WRITABLE}


@pytest.mark.parametrize("name", WRITABLE)
def test_train_writes_every_format_and_encode_reads_it(name: str, places: dict[str, Path]) -> None:
    expected = Tokenizer.load(places[name])
    result = run("encode", "--tokenizer", places[name], "lowest newest")
    assert result.stdout.split() == [b"%d" % i for i in expected.encode("lowest newest")]
    assert open_tokenizer(places[name]).format == name


def test_notes_go_to_standard_error_a_line_each(places: dict[str, Path]) -> None:
    result = run("decode", "--tokenizer", places["tiktoken"], "108", "111")
    assert result.stdout == b"lo"
    assert result.stderr.decode().splitlines() == [
        "bpe-tui: note: the file names no pattern; GPT-2's is taken; --pattern gives another one",
        "bpe-tui: note: the file names no special tokens; none are taken",
        "bpe-tui: note: 1 id below the highest has no token (256)",
    ]


def test_a_note_sends_no_control_characters(tmp_path: Path) -> None:
    vocab = {spell(bytes([byte])): byte for byte in range(256)} | {"<\x1b[2J>": 256}
    (tmp_path / "tok.json").write_text(json.dumps({"vocab": vocab, "merges": []}))
    result = run("encode", "--tokenizer", tmp_path / "tok.json", "a")
    assert b"\x1b" not in result.stderr
    assert "<␛[2J>" in result.stderr.decode()
