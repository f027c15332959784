"""`bpe-tui compare`: columns, and one line for errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import cli
from engine import Tokenizer

BYTES = {byte: bytes([byte]) for byte in range(256)}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two tokenizers: one merges `a b`, the other `b c`; each has a special token of its own."""
    place = tmp_path_factory.mktemp("pair")
    Tokenizer(BYTES | {300: b"ab"}, [(b"a", b"b")], {"<one>": 400}).save(place / "one")
    Tokenizer(BYTES | {300: b"bc"}, [(b"b", b"c")], {"<two>": 400}).save(place / "two")
    return [str(place / "one"), str(place / "two")]


def test_tokens_are_multiples_of_the_first_tokenizers(
    capsys: pytest.CaptureFixture[str], pair: list[str], tmp_path: Path
) -> None:
    # By one (a + b) ab|\n|ab are 3 tokens, and a|c|\n|c|c 5. By two (b + c) both texts are 5.
    (tmp_path / "first.txt").write_text("ac\ncc")
    (tmp_path / "second.txt").write_text("ab\nab")
    files = [f"--file={tmp_path / name}" for name in ("first.txt", "second.txt")]
    assert cli.main(["compare", *pair, *files]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    first, second = (n for n, line in enumerate(lines) if line.startswith("× one"))
    assert (lines[first], lines[second]) == ("× one 1.000 1.000", "× one 1.000 1.667")


@pytest.mark.parametrize(
    ("allowed", "tokens"), [(["all"], [1, 5]), (["none"], [5, 5]), (["<one>"], [1, 5])]
)
def test_each_tokenizer_has_its_own_special_tokens(
    capsys: pytest.CaptureFixture[str], pair: list[str], allowed: list[str], tokens: list[int]
) -> None:
    options = ["--text", "<one>", "--allow-special", *allowed]
    assert cli.main(["compare", *pair, *options]) == 0
    said = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert said[1] == ["tokens", *map(str, tokens)]
