"""`bpe-tui decode`: token ids in text."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from bpe_tui.cli.console import PROGRAM, STANDARD_INPUT, input_blocks, write_result
from bpe_tui.cli.inputs import CommandLineError, open_named
from bpe_tui.cli.options import TokenizerOption
from bpe_tui.cli.program import GroupedHelp, app, examples
from engine.text.pretokenize import to_text

# More digits than any vocabulary needs would only be slow to read.
TOKEN_ID = re.compile("[0-9]{1,18}")


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
            help="Token ids with spaces or commas between, or a JSON list; standard input if "
            "they are `-` or not given.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Print the text of token ids.

    Bytes that are no UTF-8 become U+FFFD. On a terminal, characters that it would act upon are
    made visible; a file or a pipe gets the text as it is.
    """
    loaded = open_named(tokenizer)
    from_input = not ids or ids == [STANDARD_INPUT]
    spelled = to_text(b"".join(input_blocks())) if from_input else " ".join(ids or ())
    write_result(loaded.decode(_token_ids(spelled)).encode())


def _token_ids(spelled: str) -> list[int]:
    """The ids in `116 104`, `116, 104` or `[116, 104]`."""
    spelled = spelled.strip()
    if spelled.startswith("[") and spelled.endswith("]"):
        spelled = spelled[1:-1]
    words = spelled.replace(",", " ").split()
    for word in words:
        if not TOKEN_ID.fullmatch(word):
            raise CommandLineError(f"{word[:40]!r} is no token id; ids are whole numbers from 0")
    return [int(word) for word in words]
