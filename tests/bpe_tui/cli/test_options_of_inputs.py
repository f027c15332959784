"""The options that say which corpus or tokenizer is read, of each command that has them."""

import gzip
from pathlib import Path
from typing import Any

import pytest
import typer
from generated import first_quick
from program import HANDOUT, run

from bpe_tui import cli
from bpe_tui.cli import options
from bpe_tui.cli.program import app

zstandard = pytest.importorskip("zstandard")

TEXTS = ("a.txt", "a.csv", "a.jsonl", "a.txt.gz", "a.txt.zst", "folder", "-")
TOKENIZERS = ("gpt2", "bpe.json", "wordpiece.txt", "unigram.json")
KINDS = (*TEXTS, *TOKENIZERS)

VALUES = {
    "vocab_size": "280",
    "special": "<s>",
    "pattern": "whitespace",
    "tie_rule": "first-seen",
    "trainer": "naive",
    "min_count": "3",
    "model": "wordpiece",
    "max_token_length": "4",
    "units": "characters",
    "phases": "gpt2:262,none:265",
    "tokenizer": "bpe.json",
    "continued": "1",
    "field": "text",
    "skip_bad": "",
    "max_bytes": "9000",
    "step": "1",
    "view": "encoding:corpus:2",
    "text": "low",
}
"""Option → a value that differs from its default."""
OF_RECORD = {"out", "html", "steps", "size", "speed", "force", "language"}
"""Options of `record` that are not about the input."""

CLAIMS = {
    "is a tokenizer": TOKENIZERS,
    "but a tokenizer": TOKENIZERS,
    "standard input is": ("-",),
    "is no JSON": tuple({*KINDS} - {"a.jsonl"}),
}
"""A part of a reason → the kinds of which it is true."""


def own(command: str) -> dict[str, str]:
    """Return the options of a command by name, as they are typed."""
    group: Any = typer.main.get_command(app)
    params = group.get_command(typer.Context(group), command).params
    return {each.name: each.opts[0] for each in params if each.opts[0].startswith("--")}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an input of each kind."""
    place = tmp_path_factory.mktemp("inputs")
    data = Path(HANDOUT).read_bytes()
    for name in ("a.txt", "a.csv", "folder/a.txt"):
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_bytes(data)
    (place / "a.jsonl").write_text('{"text": "low lower lowest newest"}\n' * 9)
    (place / "a.txt.gz").write_bytes(gzip.compress(data))
    (place / "a.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(data))
    for name, *how in (
        ("gpt2", "--vocab-size", "270"),
        ("bpe.json", "--vocab-size", "270", "--format", "huggingface"),
        ("wordpiece.txt", "--vocab-size", "40", "--model", "wordpiece"),
        ("unigram.json", "--vocab-size", "40", "--model", "unigram"),
    ):
        assert run("train", HANDOUT, *how, "--out", place / name).returncode == 0
    return place


def test_each_option_has_a_value() -> None:
    assert {*own("open")} - {"plain", "language", "hide_next"} == {*VALUES}
    of_open = {"continued", "field", "skip_bad", "max_bytes", "step"}
    assert {*own("record")} - OF_RECORD == {*VALUES} - of_open


@pytest.mark.parametrize("option", first_quick(VALUES))
def test_an_option_works_or_a_true_reason_says_why(
    option: str, inputs: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(inputs)
    trains = option in options.OF_TRAINING
    for kind in KINDS:
        command, *more = ["open", "--plain"]
        if kind == "-":  # `--plain` reads commands there
            command, *more = ["record", "--steps", "0", "--out", str(tmp_path / "a")]
        names = own(command)
        if option not in names:
            continue
        value = [VALUES[option]] if VALUES[option] else []
        done = run(command, kind, *more, names[option], *value, stdin=b"low low low")
        told = done.stderr.decode().splitlines()[-1:]
        assert (kind, done.returncode) in ((kind, 0), (kind, 2)), told
        if done.returncode == 2:
            assert told[0].startswith("bpe-tui: ")
            claims = [claim for claim in CLAIMS if claim in told[0]]
            assert all(kind in CLAIMS[claim] for claim in claims), (kind, told)
        if trains and kind in TEXTS and (option, kind) != ("phases", "-"):
            assert (kind, done.returncode) == (kind, 0), told
        if trains and kind in TOKENIZERS and option not in ("special", "pattern"):
            assert (kind, done.returncode) == (kind, 2), "it is passed over in silence"


def test_each_command_that_takes_a_corpus_may_let_a_packed_one_grow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.text.corpus.ALWAYS_UNPACKED", 1 << 16)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"low " * 200_000))
    for line in (
        "train a.gz --vocab-size 259 --out made",
        "check made --corpus a.gz --vocab-size 259",
        "count a.gz --tokenizer made",
        "train a.gz --tokenizer made --continue 1 --out longer",
        "open a.gz --plain --step 1",
    ):
        refused = run(*line.split(), stdin=b"quit\n", cwd=tmp_path)
        assert refused.returncode == 2
        assert b"a.gz: unpacks to more than" in refused.stderr
        done = run(*line.split(), "--max-bytes", "800000", stdin=b"quit\n", cwd=tmp_path)
        assert done.returncode == 0


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
        (["train", corpus, corpus, "--vocab-size", "259", "--out", f"{made}.c"], "2 bad records"),
    ):
        assert cli.main([*command, *reading]) == 0
        said = capsys.readouterr().err
        assert f"note: {left_out} left out" in said
        assert ("\n7 B in " in said) == (command[0] == "count")  # its speed
    assert cli.main(["count", corpus, "--tokenizer", made, "--allow-special", "<x>"]) == 2
    assert capsys.readouterr().out == ""  # nothing is read for an unknown token
