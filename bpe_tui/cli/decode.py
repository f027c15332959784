"""`bpe-tui decode`: token ids in text."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from bpe_tui.cli.console import (
    BAD_INPUT,
    PROGRAM,
    input_blocks,
    write_result,
)
from bpe_tui.cli.inputs import open_named
from bpe_tui.cli.options import TokenizerOption
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.widgets.numbers import number
from engine.encoding.typed_ids import decode_known, read_ids
from engine.text.pretokenize import to_bytes, to_text
from engine.text.sources import STANDARD_INPUT

UNKNOWN = "\ufffd"
"""Stands for an id that no token has."""


@app.command(
    cls=GroupedHelp,
    # `-5` is a bad id, not an unknown option: the error should say so.
    context_settings={"ignore_unknown_options": True},
    epilog=examples(
        f"{PROGRAM} decode --tokenizer tokenizer 116 104 101",
        f"{PROGRAM} decode --tokenizer tokenizer < ids.txt > text.txt",
    ),
)
def decode(
    tokenizer: TokenizerOption,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[IDS]...",
            help="Token ids with blanks, commas or newlines between, brackets or none; standard "
            "input if they are `-` or not given.",
            show_default=False,
        ),
    ] = None,
    as_bytes: Annotated[
        bool,
        typer.Option(
            "--bytes", help="Every byte of the tokens as it is, also where that is no UTF-8."
        ),
    ] = False,
) -> None:
    """Print the text of token ids.

    Bytes that are no UTF-8 become U+FFFD, and so does an id that no token has: the first one is
    named on standard error, and the exit code is 2. On a terminal, characters that it would act
    upon are made visible; a file or a pipe gets the text as it is.
    """
    loaded = open_named(tokenizer)
    from_input = not ids or ids == [STANDARD_INPUT]
    spelled = to_text(b"".join(input_blocks())) if from_input else " ".join(ids or ())

    def bytes_of(some: Sequence[int]) -> str:
        return to_text(loaded.decode_bytes(some))

    parts = list(decode_known(read_ids(spelled), bytes_of if as_bytes else loaded.decode))
    text = "".join(UNKNOWN * len(part.ids) if part.text is None else part.text for part in parts)
    write_result(to_bytes(text))
    unknown = {part.ids[0]: part.problem for part in parts if part.problem}
    if unknown:
        sys.stdout.flush()
        first, *others = unknown.values()
        more = f" ({number(len(others))} more like it)" if others else ""
        print(f"{PROGRAM}: {first}{more}", file=sys.stderr)
        raise typer.Exit(BAD_INPUT)
