"""Mistakes on the command line: a note or what was meant, and nothing is written."""

import errno
import gzip
import json
import os
import re
import shutil
from pathlib import Path

import pytest
import typer
from program import HANDOUT, Result, refusal, run, train

from bpe_tui.cli import main
from bpe_tui.cli.console import COMMAND_NAMES
from bpe_tui.cli.program import app
from bpe_tui.session.lessons import builtin_lessons
from bpe_tui.session.samples import SAMPLES
from engine.formats import WRITABLE

LESSONS = sorted(str(lesson.number) for lesson in builtin_lessons())


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("trained") / "tokenizer"
    assert train(out).returncode == 0
    return out


def test_a_tokenizer_before_a_corpus_opens_over_it(tokenizer: Path) -> None:
    named = run("open", "--tokenizer", tokenizer, HANDOUT, "--plain")
    short = run(tokenizer, HANDOUT, "--plain")
    vocab, merges = tokenizer / "vocab.json", tokenizer / "merges.txt"
    for files in (
        (vocab, merges),
        ("open", "--tokenizer", vocab, merges),
        ("open", "--tokenizer", vocab, "--tokenizer", merges),
    ):
        assert run(*files, HANDOUT, "--plain").stdout == named.stdout
    assert named.stdout == short.stdout != b""
    for pair in (("lowest", "est"), ("low new", "zz")):  # one pretoken, and several without it
        assert run("why", *pair, "--tokenizer", tokenizer).returncode == 0
    several = refusal(run("why", "low new low new", "new", "--tokenizer", tokenizer))
    assert "is several: “low”, “·new”, “·low”, “·new”; to ask" in several
    encode = "encode", "lowest", "--tokenizer"
    assert run(*encode, vocab, "--tokenizer", merges).stdout == run(*encode, tokenizer).stdout
    told = refusal(run(tokenizer, HANDOUT, "--vocab-size", "300", "--plain"))
    assert "--vocab-size is for training" in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\x7fELF\0\0" * 9, "has NUL bytes"),
        ("café".encode("latin-1") * 9, "is not UTF-8"),
        (("a" + "é" * 5000).encode(), ""),  # a character lies across the end of what is looked at
        (b"low lower", ""),
    ],
)
def test_a_file_that_may_be_no_text_is_read_with_a_note(
    tmp_path: Path, content: bytes, told: str
) -> None:
    file = tmp_path / "a.txt"
    file.write_bytes(content)
    for place in (file, tmp_path):
        done = run("open", place, "--plain", stdin=b"quit\n")
        assert done.returncode == 0
        assert (b"may be no text" in done.stderr) == bool(told)
        assert told.encode() in done.stderr


def test_a_byte_order_mark_is_left_out_with_a_note_however_the_text_is_counted(
    tmp_path: Path, tokenizer: Path
) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffthe cat the cat\n".encode())
    for name, options in (
        ("tok.json", ("--vocab-size", "259", "--format", "course-json")),
        ("longer", ("--tokenizer", tokenizer, "--continue", "1")),
    ):
        done = run("train", "a.txt", *options, "--out", name, cwd=tmp_path)
        assert b"a.txt: begins with a byte order mark, which is left out" in done.stderr
    assert "\u00ef" not in json.loads((tmp_path / "tok.json").read_text())["merges"][0]


def test_a_text_may_be_the_name_of_a_file_or_come_through_standard_input(
    tmp_path: Path, tokenizer: Path
) -> None:
    (tmp_path / "low").touch()
    done = run("encode", "low", "--tokenizer", tokenizer, cwd=tmp_path)
    assert done.returncode == 0
    assert b"about the text 'low', which is also the name of a file" in done.stderr
    assert run("encode", "low", "--tokenizer", tokenizer).stderr == b""
    asked = "encode", "--tokenizer", tokenizer, "--explain"
    assert run(*asked, stdin=b"low lower").stdout == run(*asked, "low lower").stdout != b""


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("open", "[CORPUS]... [OPTIONS]"),
        ("train", "CORPUS... --out PATH [OPTIONS]"),
        ("encode", "[TEXT]... [OPTIONS]"),
        ("why", "TOKEN [RIGHT] --tokenizer PATH|NAME [OPTIONS]"),
        ("inspect", "TOKENIZER... [OPTIONS]"),
        ("compare", "A B [C]... [OPTIONS]"),
    ],
)
def test_the_usage_says_what_is_needed_and_what_is_repeated(command: str, usage: str) -> None:
    shown = " ".join(run(command, "--help").stdout.decode().partition("\n\n")[0].split())
    assert shown == f"Usage: bpe-tui {command} {usage}"


def test_a_help_page_lists_what_is_needed_then_the_training_then_the_rest() -> None:
    page = run("train", "--help").stdout.decode()
    assert re.findall(r"^  (--\S+(?: \S+)?)  ", page, re.MULTILINE) == [
        *("--out PATH", "--format NAME", "--steps FILE.jsonl", "--force"),
        *("--special TOKEN", "--pattern NAME|REGEX", "--tie-rule NAME", "--trainer NAME"),
        *("--model NAME", "--max-token-length N", "--units NAME[:N]", "--phases PATTERN:N,…"),
        *("--vocab-size N", "--min-count N", "--workers N"),
        *("--tokenizer PATH|NAME", "--continue N", "--field NAME", "--skip-bad"),
    ]
    assert re.findall(r"\[default: (.*?)\]", " ".join(page.split())) == [
        *("gpt2", "<|endoftext|>", "gpt2", "lexicographic", "native", "bpe"),
        *("4words with --phases", "bytes", "1; x>=1"),
    ]


@pytest.mark.parametrize("command", ["open", "train"])
def test_a_help_page_has_at_most_twenty_options(command: str) -> None:
    page = run(command, "--help").stdout.decode()
    assert len(re.findall(r"^  (?:-\w, )?--", page, re.MULTILINE)) <= 20


@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("bpe-tui enc", ["encode"]),
        ("bpe-tui corpus.txt --pattern qwen", ["qwen2", "qwen35"]),
        ("bpe-tui corpus.txt --tie", ["--tie-rule"]),
        ("bpe-tui open corpus.txt --view ex", ["explain"]),
        ("bpe-tui train corpus.txt --trainer h", ["heap"]),
        ("bpe-tui train corpus.txt --format m", [each for each in WRITABLE if each[0] == "m"]),
        ("bpe-tui convert tokenizer --to h", ["huggingface"]),
        ("bpe-tui learn 2", [number for number in LESSONS if number[0] == "2"]),
        ("bpe-tui learn --language z", ["zh"]),
        ("bpe-tui quiz corpus.txt --kinds next-pair,enc", ["next-pair,encode-by-hand"]),
        ("bpe-tui encode --tokenizer tokenizer --allow-special n", ["none"]),
        ("bpe-tui samples/s", ["samples/ship.txt", "samples/swapped.json"]),
        ("bpe-tui count --tokenizer sa", [f"samples/{sample.name}" for sample in SAMPLES]),
    ],
)
def test_a_shell_completes_values(
    line: str,
    completed: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)  # where no file hides the samples
    monkeypatch.setenv("_BPE_TUI_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    with pytest.raises(SystemExit):
        main([])
    assert capsys.readouterr().out.split() == completed


QUIZ = "quiz low.txt --pattern whitespace --questions 3 --kinds tokens-left"
COMMANDS = {
    "train --out": "train low.txt --vocab-size 259 --out tokenizer",
    "train --steps": "train low.txt --vocab-size 259 --out tokenizer --steps steps.jsonl",
    "encode --out": "encode low.txt --tokenizer known.json --out ids.npy",
    "convert --out": "convert known.json --to gpt2 --out copy",
    "quiz --out": f"{QUIZ} --plain --out answers.json",
    "quiz --write": f"{QUIZ} --write quiz.toml",
    "grade --out": "grade li.json --corpus low.txt --out grades.csv",
    "record --out": "record low.txt --steps 0-1 --out film.cast",
    "record --html": "record low.txt --steps 0-1 --html film.html",
}
"""Command and option that writes → arguments with which it does."""
OTHERS = {
    "train --out": (
        "train low.txt --vocab-size 9 --out tokenizer",
        "train low.txt --vocab-size 259 --pattern ( --out tokenizer",
        "train low.txt --tokenizer known.json --continue 5 --format tiktoken --out tokenizer",
        "train low.txt cut.gz --model unigram --vocab-size 300 --out tokenizer",
    ),
    "train --steps": (
        "train low.txt cut.gz --vocab-size 259 --out tokenizer --steps steps.jsonl",
        "train low.txt --model wordpiece --vocab-size 9 --out tokenizer --steps steps.jsonl",
    ),
    "encode --out": (
        "encode low.txt special.txt --tokenizer known.json --out ids.npy",
        "encode low.txt cut.gz --tokenizer known.json --out ids.npy",
        "encode low.txt --tokenizer known.json --allow-special <no> --out ids.npy",
    ),
    "convert --out": ("convert known.json --to none --out copy",),
    "quiz --out": (f"{QUIZ} --kinds none --plain --out answers.json",),
    "quiz --write": (f"{QUIZ} --lessons 99 --write quiz.toml",),
    "grade --out": (
        "grade li.json --seed 8 --out grades.csv",
        "grade li.json --corpus special.txt --quiz li.json --out grades.csv",
        "grade li.json --quiz low.txt --out grades.csv",
    ),
}
"""More arguments, with which a command fails in its own way."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which each command has written its files."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / "low.txt").write_text("low lower lowest newer\n" * 9)
    (folder / "special.txt").write_text("low<|endoftext|>")
    (folder / "cut.gz").write_bytes(gzip.compress(bytes(range(256)) * 99)[:-9])
    known = "train low.txt --vocab-size 262 --format huggingface --out known.json"
    for line in (known, f"{QUIZ} --plain --out li.json"):
        assert called(folder, line).returncode == 0
    return folder


def called(folder: Path, line: str) -> Result:
    return run(*line.split(" "), stdin=b"skip\n" * 9, cwd=folder)


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the folder, with good files in all places that the command writes."""
    folder = tmp_path / "here"
    shutil.copytree(prepared, folder)
    inputs = contents(folder)
    assert called(folder, COMMANDS[request.node.callspec.params["command"]]).returncode == 0
    for path in contents(folder).keys() - inputs.keys():
        path.write_text("good")
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SLOW = [
    pytest.param(each, marks=pytest.mark.slow if each.startswith("record") else ())
    for each in COMMANDS
]


@pytest.mark.parametrize("command", SLOW)
def test_bad_input_leaves_the_files_that_are_there(folder: Path, command: str) -> None:
    line, before = COMMANDS[command], contents(folder)
    first = line.split(" ")[1]
    lines = [line.replace(first, wrong, 1) for wrong in ("missing", "cut.gz", "tokenizer")]
    for failing in (*lines, line.replace(" --", " --unknown --", 1), *OTHERS.get(command, ())):
        done = called(folder, f"{failing} --force")
        assert done.returncode == 2, failing
        assert contents(folder) == before, failing
        assert b"ritten" not in done.stdout + done.stderr, failing


@pytest.mark.parametrize("command", SLOW)
def test_a_disk_that_is_full_at_any_flush_leaves_the_files_that_are_there(
    folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    flush, flushed, before = os.fsync, list[int](), contents(folder)
    fails_at = 0

    def refuse(handle: int) -> None:
        flushed.append(handle)
        if len(flushed) == fails_at:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        flush(handle)

    monkeypatch.setattr(os, "fsync", refuse)
    for fails_at in range(1, 9):
        flushed.clear()
        done = called(folder, f"{COMMANDS[command]} --force")
        if len(flushed) < fails_at:
            break
        after = contents(folder)
        if done.returncode == 0:  # only a folder was not flushed
            assert after.keys() == before.keys()
            assert b"good" not in after.values()
            for path, content in before.items():
                path.write_bytes(content)
        elif command == "quiz --out" and fails_at > 1:  # it saves each answer
            assert json.loads((folder / "answers.json").read_text())
        else:
            assert (done.returncode, after) == (2, before), fails_at
            assert b"No space left on device" in done.stderr
    assert fails_at > 1


def test_each_option_that_writes_is_tried_here() -> None:
    group = typer.main.get_command(app)
    options = {
        f"{name} {option.opts[0]}"
        for name in COMMAND_NAMES
        for option in group.get_command(None, name).params  # type: ignore[attr-defined]
        if getattr(option, "rich_help_panel", None) == "Output"
        and (option.metavar or "").startswith(("FILE", "PATH"))
    }
    assert options == COMMANDS.keys()
