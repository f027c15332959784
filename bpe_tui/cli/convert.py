"""`bpe-tui convert`: a tokenizer into another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.inputs import note
from bpe_tui.cli.options import OUTPUT, TokenizerArgument
from bpe_tui.cli.outputs import is_there
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import OutputExistsError
from engine.formats import WRITABLE, open_tokenizer, writable_format
from engine.formats import convert as converted


@app.command(
    cls=GroupedHelp,
    epilog=examples(f"{PROGRAM} convert tokenizer --to gpt2 --out copy"),
)
def convert(
    tokenizer: TokenizerArgument,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help=f"The format to write: {', '.join(WRITABLE)}.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="PATH",
            help="Where to write it.",
            rich_help_panel=OUTPUT,
            show_default=False,
        ),
    ],
    force: Annotated[
        bool,
        typer.Option("--force", help="Overwrite what is there.", rich_help_panel=OUTPUT),
    ] = False,
    renumber: Annotated[
        bool,
        typer.Option(
            "--renumber",
            help="Give the tokens new ids where the format prescribes them.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
) -> None:
    """Write a tokenizer in another format.

    What the format does not keep is told. What is written is read again, and has to encode like
    the original.
    """
    writable_format(to)  # a wrong name is an error before anything is read
    opened = open_tokenizer(*tokenizer)
    try:
        notes = converted(opened.tokenizer, to, out, overwrite=force, renumber=renumber)
    except OutputExistsError as error:
        raise is_there(out) from error
    for said in (*opened.notes, *notes):
        note(said)
    tokens = plural(len(opened.tokenizer.vocab), "token")
    print(f"{tokens} in {visible_text(str(out), spaces=False)} ({to}), read again and checked")
