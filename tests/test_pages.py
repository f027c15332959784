"""The commands in the documentation work: each parses, and each page runs from top to bottom.

A page runs in a folder that has nothing but the samples. A command that opens a screen has to end
where it needs the terminal, so its files and options have been checked. Blocks that install or
fetch something are only parsed. A block that begins with `$ ` shows what its commands print, too.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import typer

from bpe_tui.cli.options import OF_TRAINING
from bpe_tui.cli.program import app

REPO = Path(__file__).parents[1]
PAGES = [
    *(REPO / name for name in ("README.md", "samples/README.md")),
    *sorted((REPO / "docs").glob("*.md")),
]
FETCHING = re.compile(r"^ *(pip|pipx|uvx|hf|textual) ", re.M)
"""A line that installs or fetches something, or starts a server."""
BLOCK = re.compile(
    r"(<!-- not run: [^>]* -->\n\n)?^( *)```(?:sh\n|\n(?=\$ ))(.*?)^ *```", re.S | re.M
)
PROMPT = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.M)
"""A command and what it prints; `…` is any text."""
FILE = re.compile(r"^<!-- (\S+) -->\n+((?:    .*\n|\n)+)", re.M)
"""An indented block that is the contents of a file, which an invisible line before it names."""
PROGRAM, ENDS = "bpe-tui", set("();<>|&\n")
"""The program, and the characters that end its arguments."""
SHIM = """#!/usr/bin/env bash
# Run the program. Two errors are right: a screen has no terminal, and a check finds a difference.
[ $# -gt 0 ] || exit 0
exec 3>&1
said=$("$PYTHON" -m bpe_tui "$@" 2>&1 >&3)
code=$?
printf '%s\\n' "$said" >&2
case "$code $1 $said" in
    "2 "*"the screen needs a terminal"*|"1 check "*) exit 0 ;;
esac
exit $code
"""
UNMENDED = 'bpe-tui() { "$PYTHON" -m bpe_tui "$@"; }'
"""The program as it is, with its errors, for what a page shows."""


def blocks(page: Path, only_run: bool = False) -> Iterator[str]:
    """Yield the blocks of shell commands of a page; those in a list are indented.

    Args:
        only_run: leave out those that an invisible line before them marks as not run.
    """
    for marked, indent, block in BLOCK.findall(page.read_text("utf-8")):
        if not (only_run and marked):
            yield re.sub(f"^{indent}", "", block, flags=re.M).replace("\\\n", "")


def is_as_shown(printed: str, shown: str) -> bool:
    """Whether a command printed what the page shows, but for the width of spaces."""
    pattern = ".*".join(re.escape(" ".join(part.split())) for part in shown.split("…"))
    return re.fullmatch(pattern, " ".join(printed.split()), re.S) is not None


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the arguments of each call of the program, without redirections."""
    for block in blocks(page):
        if block.startswith("$ "):
            block = "\n".join(command for command, _ in PROMPT.findall(block))
        lexer = shlex.shlex(block, posix=True, punctuation_chars="();<>|&\n")
        lexer.whitespace_split, lexer.whitespace = True, " \t"
        words = list(lexer)
        while PROGRAM in words:
            words = words[words.index(PROGRAM) + 1 :]
            ends = (n for n, word in enumerate(words) if word == PROGRAM or set(word) <= ENDS)
            yield words[: next(ends, len(words))]


def name_of(page: Path) -> str:
    return str(page.relative_to(REPO))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_command_of_a_page_has_valid_options(page: Path) -> None:
    group = typer.main.get_command(app)
    for arguments in filter(None, commands(page)):
        with group.make_context(PROGRAM, [*arguments]) as context:
            rest = [*context._protected_args, *context.args]  # type: ignore[attr-defined]
            name, command, given = group.resolve_command(context, rest)  # type: ignore[attr-defined]
            command.make_context(name, given, parent=context).close()


def row_of(name: str, command: Any) -> str:
    """Return the row of a command in the table of options."""
    context = typer.Context(command)
    of_all = "help", "language"
    params = [param for param in command.get_params(context) if param.name not in of_all]
    given = [p.opts[0] for p in params if p.param_type_name == "option" and not p.required]
    training = [f"--{option.replace('_', '-')}" for option in OF_TRAINING]
    named = {param.opts[0] for param in params}
    lacking = [option for option in training if option not in named]
    if len(lacking) > len(training) / 2:  # it has a few of them, and trains nothing
        training, lacking = [], []
    own = [f"`{option}`" for option in given if option not in training]
    if training:
        without = f" but {' '.join(f'`{option}`' for option in lacking)}" if lacking else ""
        own.append(f"those of training{without}")
    usage = [piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    shown = " ".join(usage).replace("|", "\\|")
    return f"| `{name}` | `{shown}` | {', '.join(own)} |"


def test_the_table_of_commands_has_the_arguments_and_options_of_each() -> None:
    group: Any = typer.main.get_command(app)
    context = typer.Context(group)
    expected = [
        row_of(name, group.get_command(context, name)) for name in group.list_commands(context)
    ]
    page = (REPO / "docs" / "commands.md").read_text("utf-8")
    table = page.partition("| command | needs | options |")[2].partition("\n\n")[0]
    assert table.splitlines()[2:] == expected, "the table should be:\n" + "\n".join(expected)


def with_program(folder: Path) -> dict[str, str]:
    """Return an environment in which the program's name starts the one that is tested."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / PROGRAM).write_text(SHIM)
    (programs / PROGRAM).chmod(0o755)
    return {
        **os.environ,
        "PYTHON": sys.executable,
        "PYTHONPATH": str(REPO),
        "PATH": os.pathsep.join(
            (str(programs), str(Path(sys.executable).parent), os.environ["PATH"])
        ),
        "XDG_STATE_HOME": str(folder / "state"),
        "LC_ALL": "C.UTF-8",
        "XDG_CACHE_HOME": str(folder / "cache"),
    }


@pytest.mark.slow  # four starts of the program
def test_the_pictures_of_the_readme_are_what_the_program_draws(tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    drawn.mkdir()
    script = REPO / "docs" / "pictures.sh"
    subprocess.run(["bash", str(script), str(drawn)], env=with_program(tmp_path), check=True)
    for picture in drawn.iterdir():
        assert picture.read_bytes() == (REPO / "docs" / picture.name).read_bytes(), (
            "draw them again: bash docs/pictures.sh"
        )
        assert any(f"{picture.name})" in page.read_text("utf-8") for page in PAGES)
        assert picture.stat().st_size < (300_000 if picture.name == "moving.svg" else 1_000_000)


@pytest.mark.nightly  # some sixty starts of the program, and some trainings
@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page))], ids=name_of)
def test_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path) -> None:
    place = tmp_path / "empty"
    place.mkdir()
    (place / "samples").symlink_to(REPO / "samples")
    for name, content in FILE.findall(page.read_text("utf-8")):
        (place / name).write_text(dedent(content))
    environment = with_program(tmp_path)

    def bash(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-euo", "pipefail", *arguments],
            cwd=place,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )

    for block in blocks(page, only_run=True):
        if block.startswith("$ "):
            for command, shown in PROMPT.findall(block):
                done = bash("-c", f"exec 2>&1\n{UNMENDED}\n{command}")
                assert is_as_shown(done.stdout, shown), f"{command}\n{done.stdout}"
            continue
        done = bash(*(["-n"] if FETCHING.search(block) else []), "-c", block)
        assert done.returncode == 0, f"{block}\n{done.stdout[-500:]}\n{done.stderr[-1000:]}"
