"""What commands print, in each language, and the lists of it in the documents."""

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from english_words import english_in
from kept import check_kept, each_once
from program import ROOT, run

from bpe_tui.session.languages import PLACE
from bpe_tui.session.models import MODELS
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS
from engine.encoding.alphabet import UNITS
from engine.formats import FORMATS
from engine.text.patterns import PATTERNS

TRANSCRIPTS = Path(__file__).parent / "transcripts"
CHANGES = re.compile(
    r"\d[\d.,]* (?:µs|ms|[KMG]?B/s)\b|\d+\.\d+ s\b|[\d.]+ [MG]B(?=\n)|\d{4}-\d\d-\d\dT[\d:+.]+"
)
"""Times, speeds and memory, which are never the same."""
EXIT = "  → exit "
SLOW = ("quiz-bpe", "quiz-unigram", "quiz-wordpiece", "texts")
"""Transcripts that take seconds: two dozen questions of each model, commands on a larger sample."""


def sample_of(command: str, folder: Path) -> list[str]:
    """Return a command with its exit status, and what it prints, its notes and errors first."""
    line, _, lines = command.partition(" < ")
    arguments = shlex.split(line)
    if arguments[0] == "cat":
        return [f"$ {command}", *(folder / arguments[1]).read_text("utf-8").splitlines()]
    if arguments[0] == "ls":
        return [f"$ {command}", *sorted(os.listdir(folder))]
    result = run(*arguments, stdin=lines.replace("; ", "\n").encode(), cwd=folder)
    status = f"{EXIT}{result.returncode}" if result.returncode else ""
    text = CHANGES.sub("#", (result.stderr + result.stdout).decode().replace(str(folder), "…"))
    first, *others = text.splitlines() or [""]
    return [f"$ {command}{status}\n{first}", *filter(str.strip, others)]


def transcripts() -> list[ParameterSet]:
    """Return the names of all transcripts; those in `SLOW` are slow."""
    names = sorted(path.stem for path in TRANSCRIPTS.glob("*.txt"))
    return [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in names]


@pytest.mark.parametrize("name", transcripts())
def test_the_commands_of_a_transcript_print_its_lines(name: str, tmp_path: Path) -> None:
    file = TRANSCRIPTS / f"{name}.txt"
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    head, *lines = file.read_text("utf-8").splitlines()
    commands = [line[2:].partition(EXIT)[0] for line in lines if line.startswith("$ ")]
    samples = (sample_of(command, tmp_path) for command in commands)
    check_kept(file, "\n".join([head, *each_once(samples, str, keeps_headings=True)]) + "\n")


SAMPLES = ("handout.txt", "ship.txt", "we_and_they.txt")
TEXTS = "".join((ROOT / "samples" / name).read_text("utf-8") for name in SAMPLES)
TYPED = " llowwidest llow Ada index pretokens changes occurrences "
"""What the transcripts learn from and cut; and what they decode, are called, and compare."""
FOR_PROGRAMS = re.compile(r"--json|--help|^help")
"""Commands that print JSON, or the help, which is English."""


@pytest.mark.parametrize("name", transcripts())
def test_no_command_prints_an_english_word(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    lines = (TRANSCRIPTS / f"{name}.txt").read_text("utf-8").splitlines()
    found = {}
    commands = [line[2:].partition(EXIT)[0] for line in lines if line.startswith("$ ")]
    for command in (each for each in commands if not each.startswith(("cat ", "ls"))):
        first, *printed = sample_of(command, tmp_path)
        texts = f"{command}{TYPED}{TEXTS}{lesson_text(command)}"
        text = "\n".join((first.partition("\n")[2], *printed))
        words = {word for word in english_in(text) if word not in texts}
        if words and not FOR_PROGRAMS.search(command):
            found[command] = words
    assert found == {}


def lesson_text(command: str) -> str:
    """Return the text of the lesson that a command reads out, which may quote Python."""
    found = re.match(r"learn (\d+)", command)
    paths = (PLACE / "zh").glob(f"{int(found[1]):02}-*.md") if found else ()
    return "".join(path.read_text("utf-8") for path in paths)


DOCS = Path(__file__).parents[3] / "docs"
COMMANDS, SEMANTICS = DOCS / "commands.md", DOCS / "semantics.md"
TOKENIZERS = DOCS / "tokenizers.md"


def check_list(page: Path, kind: str, listed: Iterable[str], known: Iterable[str]) -> None:
    missing, unknown = set(known) - set(listed), set(listed) - set(known)
    assert not missing, f"docs/{page.name} lacks the {kind} {', '.join(sorted(missing))}"
    assert not unknown, f"docs/{page.name} lists the unknown {kind} {', '.join(sorted(unknown))}"


@pytest.mark.parametrize(
    ("option", "kind", "known"),
    [
        ("pattern", "pattern", PATTERNS),
        ("tie-rule", "tie rule", TIE_RULES),
        ("trainer", "trainer", TRAINERS),
        ("model", "model", MODELS),
        ("units", "units", UNITS),
    ],
)
def test_the_table_of_options_lists_each_registered_name(
    option: str, kind: str, known: Iterable[str]
) -> None:
    row = re.search(rf"^\| `--{option} NAME`.*?\| (.*) \|$", COMMANDS.read_text("utf-8"), re.M)
    assert row is not None, f"docs/{COMMANDS.name} has no row for --{option}"
    listed = re.findall(r"`([a-z][\w-]*)`", re.sub(r"\([^)]*\)", "", row[1]))
    check_list(COMMANDS, kind, listed, known)


def test_the_semantics_describe_each_tie_rule() -> None:
    table = SEMANTICS.read_text("utf-8").partition("| rule |")[2].partition("\n\n")[0]
    listed = re.findall(r"^ *\| `([\w-]+)` \|", table, re.M)
    check_list(SEMANTICS, "tie rule", listed, TIE_RULES)


def test_the_table_of_formats_has_each_and_says_which_are_written() -> None:
    table = TOKENIZERS.read_text("utf-8").partition("| format |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w-]+)` \|.*\| (✓?) ?\| (✓?) ?\|[^|]*\|$", table, re.M)
    check_list(TOKENIZERS, "format", [name for name, *_ in rows], FORMATS)
    assert {name for name, read, _ in rows if not read} == set()
    written = {name for name, _, write in rows if write}
    assert written == {name for name, each in FORMATS.items() if each.save}
