"""The command line: bad input, what opens the screen, help, files that are no text."""

import json
import os
import re
import shutil
import subprocess
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from generated import first_quick
from program import BAD_INPUT, ENVIRONMENT, HANDOUT, PATIENCE, PROGRAM, refusal, run, train

import engine
from bpe_tui import cli
from bpe_tui.cli.console import COMMAND_NAMES
from bpe_tui.cli.program import GroupedHelp
from bpe_tui.session.config import RunConfig
from engine import Tokenizer
from engine.core.gpt2_bytes import spell

# -- bad input

FILMED = "--steps", "0", "--out", "a.cast"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([HANDOUT, "--vocab-size", "many"], "'--vocab-size'"),
        ([HANDOUT, "--vocab-size"], "'--vocab-size' requires an argument"),
        ([HANDOUT, "--special", b"<\xff>"], "no valid UTF-8: it has a lone surrogate"),
        (["train", HANDOUT, "--vocab-size", "300", "--special", b"\xff", "--out", "a"], "UTF-8"),
        ([HANDOUT, "--min-count", "0"], "'--min-count'"),
        ([HANDOUT, "--frobnicate"], "--frobnicate"),
        (["empty.txt"], "empty.txt: is empty"),
        (["x" * 300], "too long"),
        (["train"], "'CORPUS...'"),
        (["train", HANDOUT, "--vocab-size", "300"], "'--out'"),
        (
            ["train", HANDOUT, "--vocab-size", "260", "--format", "minbpe", "--out", "empty.txt"],
            "already; give --force",
        ),
        (["convert", "tok", "--to", "gpt2"], "'--out'"),
        (["decode", "1"], "'--tokenizer'"),
        (["encode", "--tokenizer", "empty", "a"], "empty: "),
        (["encode", "--tokenizer", "x" * 300, "a"], "too long"),
        (["encode", "a", "--tokenizer", "b", "--template", "--sample", "1"], "contradict"),
        (["encode", "a", "--tokenizer", "b", "--template", "--explain"], "contradict"),
        (["open", "--tokenizer", "/nowhere", "--plain"], "/nowhere: no such file or directory"),
        (["open", "--tokenizer", HANDOUT], "holds no tokenizer"),
        (["open", "--tokenizer", "gpt2", "--pattern", "x("], "the regex x(: missing )"),
        (["open", "--tokenizer", "gpt2", "/nowhere.txt"], "/nowhere.txt: no such file"),
        (["record", HANDOUT, "--pattern", "x(", *FILMED], "the regex x(: missing )"),
        (["record", HANDOUT, "--language", "xx", *FILMED], "no language 'xx'"),
        (["quiz", HANDOUT, "--out", "a.json"], "the screen needs a terminal"),
    ],
)
def test_bad_input_is_reported_in_one_line(
    tmp_path: Path, arguments: list[str | bytes], told: str
) -> None:
    (tmp_path / "empty.txt").touch()
    (tmp_path / "empty").mkdir()
    assert told in refusal(run(*arguments, cwd=tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["empty", "empty.txt"]


@pytest.mark.skipif(
    getattr(os, "geteuid", lambda: 1)() == 0, reason="the superuser may read anything"
)
def test_a_corpus_without_permission_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a")
    (tmp_path / "secret").chmod(0)
    assert "no permission" in refusal(run(tmp_path / "secret"))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"[@click=app.bell]x[/]", "[@click=app.bell]x[/]"),
        (b"[red]x[/red]", "[red]x[/red]"),
        (b"\x1b]52;c;AAAA\x07", "␛]52;c;AAAA␇"),
        (b"two\nlines", "two⏎lines"),
        (b"\xff\xe2\x80\xae", "<FF>‹202E›"),
    ],
)
def test_hostile_names_are_shown_and_not_obeyed(
    name: bytes, shown: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"bpe-tui: {shown}: " in refusal(run(name))
    text = os.fsdecode(name)
    train = ["train", HANDOUT, "--out", str(tmp_path), "--vocab-size"]
    for arguments in (
        ["encode", "--tokenizer", text, "a"],
        ["train", text, "--vocab-size", "300", "--out", str(tmp_path)],
        [*train, "300", "--tie-rule", text],
        [*train, "300", text],
        [*train, "300", f"--{text}"],
        [*train, text],
    ):
        assert cli.main(arguments) == BAD_INPUT
        output, error = capsys.readouterr()
        assert output == ""
        assert error.rstrip("\n").isprintable()
        assert error.count("\n") == 1


# -- bpe-tui CORPUS


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[RunConfig]:
    """Return the configs of opened screens, without opening them."""
    configs: list[RunConfig] = []
    screen = types.ModuleType("bpe_tui.app.app")
    monkeypatch.setattr(
        screen, "run_app", lambda config, _, **_named: configs.append(config), raising=False
    )
    monkeypatch.setitem(sys.modules, "bpe_tui.app.app", screen)
    monkeypatch.setattr("bpe_tui.cli.inputs.check_terminal", lambda: None)
    return configs


@pytest.mark.parametrize(
    ("arguments", "config"),
    [
        ([HANDOUT], RunConfig(HANDOUT)),
        (["open", HANDOUT], RunConfig(HANDOUT)),
        (["-"], RunConfig("-")),
        ([HANDOUT, "--vocab-size", "500"], RunConfig(HANDOUT, 500)),
        (["--vocab-size", "500", HANDOUT], RunConfig(HANDOUT, 500)),
        (["--vocab-size=500", HANDOUT], RunConfig(HANDOUT, 500)),
        (["--special", "none", HANDOUT], RunConfig(HANDOUT, special_tokens=())),
        (["--special", "<a>", HANDOUT], RunConfig(HANDOUT, special_tokens=("<a>",))),
        (
            ["--pattern", "none", "--tie-rule", "first-seen", HANDOUT, "--min-count", "7"],
            RunConfig(HANDOUT, pattern="none", tie_rule="first-seen", min_count=7),
        ),
        (["--max-token-length", "9", HANDOUT], RunConfig(HANDOUT, max_token_length=9)),
        (["--max-token-length", "4words", HANDOUT], RunConfig(HANDOUT, most_words=4)),
        (
            ["--max-token-length", "9,4words", HANDOUT],
            RunConfig(HANDOUT, max_token_length=9, most_words=4),
        ),
        (["--trainer", "naive", HANDOUT], RunConfig(HANDOUT, trainer="naive")),
        (
            ["--model", "unigram", "--vocab-size", "1", HANDOUT],
            RunConfig(HANDOUT, 1, model="unigram"),
        ),
    ],
)
def test_a_corpus_opens_the_screen(
    opened: list[RunConfig], arguments: list[str], config: RunConfig
) -> None:
    assert cli.main(arguments) == 0
    is_toy = config.corpus == HANDOUT and config.model == "bpe" and "--min-count" not in arguments
    assert opened == [replace(config, min_count=1) if is_toy else config]


def test_a_limit_of_no_words_lifts_that_of_phases_and_no_other(opened: list[RunConfig]) -> None:
    arguments = [HANDOUT, "--max-token-length", "0words"]
    assert cli.main(arguments) == BAD_INPUT
    assert cli.main([*arguments, "--phases", "gpt2:260,none:270"]) == 0
    assert [run.most_words for run in opened] == [0]


@pytest.mark.parametrize("arguments", [["open", "train"], ["./train"], ["--", "train"], ["help"]])
def test_a_file_named_like_a_command_can_be_opened(
    opened: list[RunConfig], arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(HANDOUT, arguments[-1])
    assert cli.main(arguments) == 0
    assert [Path(config.corpus).name for config in opened] == [Path(arguments[-1]).name]


def test_a_screen_gives_its_exit_code_and_bad_input_opens_none(
    opened: list[RunConfig], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cli.main(["--pattern", "none", "missing.txt"]) == BAD_INPUT
    assert cli.main(["--pattern", "nil", HANDOUT]) == BAD_INPUT
    assert opened == []
    monkeypatch.setattr(sys.modules["bpe_tui.app.app"], "run_app", lambda *_, **_named: 3)
    assert cli.main([HANDOUT]) == 3


# -- help


def test_help_goes_to_stderr_without_arguments_and_has_no_heading_without_rows() -> None:
    result = run()
    assert result.returncode == BAD_INPUT
    assert result.stdout == b""
    assert result.stderr.startswith(b"Usage: bpe-tui ")
    assert "Arguments:" not in GroupedHelp("alone").get_help(typer.Context(GroupedHelp("alone")))


HEADINGS = {
    "open": {"Arguments:", "Training:"},
    "train": {"Arguments:", "Training:", "Output:"},
    "encode": {"Arguments:", "Tokenizer:", "Output:"},
    "decode": {"Arguments:", "Tokenizer:"},
}


@pytest.mark.parametrize("command", COMMAND_NAMES)
def test_every_command_has_a_help_page_with_groups_and_examples(command: str) -> None:
    page = run(command, "--help")
    assert (page.returncode, page.stderr) == (0, b"")
    lines = page.stdout.decode().splitlines()
    assert lines[0].startswith(f"Usage: bpe-tui {command} ")
    assert {"  Examples:", *HEADINGS.get(command, ())} <= set(lines)
    assert not any("\\[" in line for line in lines)
    assert run("help", command).stdout == page.stdout


def test_the_help_of_the_program_lists_the_commands_and_the_version_has_a_short_option() -> None:
    page = run("--help")
    assert {"Options:", "Commands:", "  Examples:"} <= set(page.stdout.decode().splitlines())
    assert run("help").stdout == run("-h").stdout == page.stdout
    version = run("--version").stdout
    told = rf"bpe-tui {re.escape(engine.__version__)}, (with|without) the compiled kernel(: .+)?\n"
    assert re.fullmatch(told, version.decode())
    assert run("-V").stdout == version


def test_a_misspelt_command_gets_a_suggestion(tmp_path: Path) -> None:
    for arguments in (["enc"], ["enc", "--tokenizer", "x", "hi"]):
        assert b"did you mean encode?" in run(*arguments).stderr
    (tmp_path / "enc").write_text("low lower")
    assert run("enc", "--plain", cwd=tmp_path).returncode == 0  # a file goes before a guess


def test_a_regex_is_a_pattern_and_decode_gives_every_byte_if_asked(tmp_path: Path) -> None:
    run("train", HANDOUT, "--vocab-size", "260", "--out", tmp_path)
    half = "228 184"  # of a character
    assert run("decode", "--tokenizer", tmp_path, half).stdout == "\ufffd".encode()
    assert run("decode", "--bytes", "--tokenizer", tmp_path, half).stdout == b"\xe4\xb8"
    result = run(
        "train", HANDOUT, "--vocab-size", "260", "--pattern", r"\w+|\W", "--out", tmp_path / "regex"
    )
    assert result.returncode == 0, result.stderr
    assert Tokenizer.load(tmp_path / "regex").pattern.source == r"\w+|\W"
    assert b"missing )" in run(HANDOUT, "--plain", "--pattern", "(a|").stderr


def test_notes_about_a_tokenizer_are_visible_and_a_line_each(tmp_path: Path) -> None:
    assert train(tmp_path / "ranks", "--format", "tiktoken").returncode == 0
    assert run("decode", "--tokenizer", tmp_path / "ranks", "108").stderr.decode().splitlines() == [
        "bpe-tui: note: the file names no pattern; GPT-2's is taken; --pattern gives another one",
        "bpe-tui: note: the file names no special tokens; none are taken",
        "bpe-tui: note: 1 id below the highest has no token (256)",
    ]
    vocab = {spell(bytes([byte])): byte for byte in range(256)} | {"<\x1b[2J>": 256}
    (tmp_path / "tok.json").write_text(json.dumps({"vocab": vocab, "merges": []}))
    noted = run("encode", "--tokenizer", tmp_path / "tok.json", "a").stderr.decode()
    assert ("<␛[2J>" in noted, "\x1b" in noted) == (True, False)


@pytest.mark.parametrize(
    ("arguments", "code"),
    first_quick(
        [
            (["--help"], BAD_INPUT),
            (["decode", "--tokenizer", "{tokenizer}", "97"], BAD_INPUT),
            (["train", HANDOUT, "--vocab-size", "260", "--out", "{out}"], BAD_INPUT),
            (["grade"], BAD_INPUT),
            (["record", HANDOUT, "--steps", "0", "--out", "{out}/low.cast"], 0),
        ]
    ),
)
def test_a_closed_standard_output_is_an_error_if_something_was_to_be_written(
    arguments: list[str], code: int, tokenizer: Path, tmp_path: Path
) -> None:
    given = [each.format(tokenizer=tokenizer, out=tmp_path / "out") for each in arguments]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, *given],
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == code, done.stderr
    if code and len(given) > 1:
        [*_, last] = done.stderr.decode().splitlines()
        assert last == "bpe-tui: standard output is closed, and there is something to write"


# -- files that are no text


def test_lines_of_two_words_are_a_text_where_no_vocabulary_is_beside(tmp_path: Path) -> None:
    corpus = tmp_path / "pairs.txt"
    corpus.write_text("hello hallo\ncat Katze\n" * 9)
    out = tmp_path / "out"
    assert run("train", corpus, "--vocab-size", "260", "--out", out).returncode == 0


def test_json_that_only_seems_to_be_a_tokenizer_is_read_as_text_unless_named_one(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.json").write_text('{"model": {"type": "BPE"}}')
    assert run("a.json", "--plain", cwd=tmp_path).stdout.startswith(b"Step 0: 26 bytes, each a")
    refused = run("open", "--tokenizer", "a.json", "--plain", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (BAD_INPUT, b"")
    assert refused.stderr.endswith(b"a.json: model.vocab: is missing; an object should be there\n")
