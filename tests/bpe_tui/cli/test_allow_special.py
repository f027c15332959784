"""`--allow-special`: the meaning of special tokens in texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from bpe_tui import cli
from engine import Tokenizer

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The 256 bytes and two special tokens, one of them with a comma."""
    place = str(tmp_path_factory.mktemp("bytes") / "out")
    Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], ["<s>", "<a,b>"]).save(place)
    return place


@pytest.mark.parametrize("command", [["encode"], ["encode", "--json"]])
def test_encoding_a_special_token_is_an_error_that_names_the_option(
    capsys: pytest.CaptureFixture[str], tokenizer: str, command: list[str]
) -> None:
    assert cli.main([*command, "a<s>", "--tokenizer", tokenizer]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    assert "'<s>' (line 1, byte 1)" in told.err
    assert "--allow-special all" in told.err


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["encode", "--explain", "a<s>"], "<s>  (special token)\n  <s> = 256\n"),
        (["why", "<s>", "--text", "a<s>"], "is a special token: one id, 256"),
        (["why", "s", "--text", "a<s>"], "lies inside <s>, which is a special token"),
    ],
)
def test_the_shell_answers_about_a_text_as_the_screen_does(
    capsys: pytest.CaptureFixture[str], tokenizer: str, command: list[str], told: str
) -> None:
    assert cli.main([*command, "--tokenizer", tokenizer]) == 0
    assert told in capsys.readouterr().out


def test_the_samples_are_counted_and_compared_without_an_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = str(tmp_path / "out")
    vocab = {byte: bytes([byte]) for byte in range(256)}
    Tokenizer(vocab, [], ["<|endoftext|>"]).save(place)
    samples = [str(file) for file in sorted(SAMPLES.glob("*.txt"))]
    assert cli.main(["count", *samples, "--tokenizer", place]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:-1]]
    for file, (tokens, size) in zip(samples, rows, strict=True):
        data = Path(file).read_bytes()
        assert int(size.replace(",", "")) == len(data)
        cut_out = data.count(b"<|endoftext|>") * (len(b"<|endoftext|>") - 1)
        assert int(tokens.replace(",", "")) == len(data) - cut_out
    assert cli.main(["compare", place, place, "--file", samples[-2]]) == 0
    assert "all cut it alike" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("allowed", "ids"),
    [
        (["all"], "256 257"),
        (["none"], "60 115 62 60 97 44 98 62"),
        (["<s>"], "256 60 97 44 98 62"),
        (["<a,b>"], "60 115 62 257"),
        (["<s>", "<a,b>"], "256 257"),
    ],
)
def test_allow_special_takes_all_none_or_names(
    capsys: pytest.CaptureFixture[str], tokenizer: str, allowed: list[str], ids: str
) -> None:
    options = [word for token in allowed for word in ("--allow-special", token)]
    assert cli.main(["encode", "<s><a,b>", "--tokenizer", tokenizer, *options]) == 0
    assert capsys.readouterr().out == ids + "\n"


def test_explain_shows_a_special_token_as_text_on_request(
    capsys: pytest.CaptureFixture[str], tokenizer: str
) -> None:
    options = ["--tokenizer", tokenizer, "--allow-special", "none"]
    assert cli.main(["encode", "--explain", "<s>", *options]) == 0
    assert "special token" not in capsys.readouterr().out
