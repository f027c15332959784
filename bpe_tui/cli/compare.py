"""`bpe-tui compare`: tokenizers side by side."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from bpe_tui.cli.checks import CommandLineError
from bpe_tui.cli.comparison import Compared, told, told_json
from bpe_tui.cli.names import PROGRAM
from bpe_tui.cli.options import OUTPUT, TEXT
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.screen import check_terminal
from bpe_tui.cli.special import AllowSpecialOption, policy_of, telling_how_to_allow
from bpe_tui.cli.tokenizers import opened
from engine.analysis.comparison import TextComparison
from engine.encoding.tokenizer import Tokenizer
from engine.text.text_file import read_blocks

FIRST = 10
"""How many differences are printed without `--all`."""


@app.command(
    cls=GroupedHelp,
    epilog=examples(
        f"{PROGRAM} compare mine theirs --file samples/tinystories_valid.txt",
        f'{PROGRAM} compare mine theirs other --text "unbelievable"',
    ),
)
def compare(
    tokenizers: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C]...", help="Tokenizers in any known format.", show_default=False
        ),
    ],
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            metavar="TEXT",
            help="A text to encode with all.",
            rich_help_panel=TEXT,
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="A file to encode with all; repeat it for more.",
            rich_help_panel=TEXT,
            show_default=False,
        ),
    ] = None,
    allow_special: AllowSpecialOption = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help=f"Print all differences, not the first {FIRST}.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel=OUTPUT)
    ] = False,
    on_screen: Annotated[
        bool,
        typer.Option("--open", help="Show it on the screen, side by side.", rich_help_panel=OUTPUT),
    ] = False,
) -> None:
    """Print how tokenizers differ: their vocabularies, merges, and how they cut a text.

    Without a text, vocabularies and merges only.
    """
    if on_screen and as_json:
        raise CommandLineError("--open and --json contradict each other; give one")
    if len(tokenizers) < 2:
        raise CommandLineError("there is nothing to compare with; name two tokenizers or more")
    loaded = [opened([each]) for each in tokenizers]
    texts = list(_texts(text, file or ()))
    names = _short_names(tokenizers)
    if on_screen:
        raise typer.Exit(_open(names, loaded, allow_special, texts))
    with telling_how_to_allow():
        comparisons = [
            (name, TextComparison(_allowing(loaded, allow_special, data), data))
            for name, data in texts
        ]
    compared = Compared(names, loaded, comparisons)
    limit = None if every else FIRST
    if as_json:
        print(json.dumps(told_json(compared, limit), ensure_ascii=False))
    else:
        for line in told(compared, limit):
            print(line)


def _open(
    names: Sequence[str],
    tokenizers: Sequence[Tokenizer],
    allow_special: list[str] | None,
    texts: Sequence[tuple[str, bytes]],
) -> int:
    """Show the comparison on the screen, with the first text if there is one; the exit code."""
    check_terminal()
    data = texts[0][1] if texts else b""
    with telling_how_to_allow():
        allowing = _allowing(tokenizers, allow_special, data)
    from bpe_tui.app.comparison_app import run_comparison  # slow to import, and only needed here

    return run_comparison(names, allowing, data)


def _texts(text: str | None, files: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each text with its name."""
    if text is not None:
        yield "text", os.fsencode(text)
    for name in files:
        yield name, b"".join(read_blocks(name))


def _allowing(
    tokenizers: Sequence[Tokenizer], allow_special: list[str] | None, data: bytes
) -> list[Tokenizer]:
    """The tokenizers with what is allowed; of tokens that are named, those that each one has."""
    every = [token for tokenizer in tokenizers for token in tokenizer.special_tokens]
    policy = policy_of(allow_special, every)
    for tokenizer in tokenizers:
        for _ in policy.checked(tokenizer, [data]):
            pass
    if policy.allowed is None:
        return list(tokenizers)
    if unknown := sorted(policy.allowed.difference(every)):
        raise CommandLineError(f"{unknown[0]!r} is a special token of none of these tokenizers")
    return [
        tokenizer.allowing(policy.allowed.intersection(tokenizer.special_tokens))
        for tokenizer in tokenizers
    ]


def _short_names(given: Sequence[str]) -> list[str]:
    """The last parts of the paths; the whole paths if that would not tell them apart."""
    short = [Path(each).name or each for each in given]
    return short if len(set(short)) == len(short) else list(given)
