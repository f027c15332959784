"""`--allow-special`: what special tokens in a text mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer

from bpe_tui.cli.inputs import CommandLineError
from bpe_tui.cli.options import TEXT
from engine.core.errors import SpecialTokenFoundError
from engine.encoding.special_policy import ALL_SPECIAL, NONE_SPECIAL, REFUSE_SPECIAL, SpecialPolicy

ALL, NONE = "all", "none"

AllowSpecialOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-special",
        metavar="all|none|TOKEN",
        help="Special tokens in the text are one id each (all), ordinary text (none), or only "
        "those given are special; repeat it for more.  [default: they are an error]",
        rich_help_panel=TEXT,
        show_default=False,
    ),
]


def policy_of(given: Sequence[str] | None, special_tokens: Sequence[str]) -> SpecialPolicy:
    """What `--allow-special` asks for; tokens may also be given with commas between."""
    if not given:
        return REFUSE_SPECIAL
    if len(given) == 1 and given[0] in (ALL, NONE):
        return ALL_SPECIAL if given[0] == ALL else NONE_SPECIAL
    if clash := next((word for word in given if word in (ALL, NONE)), None):
        raise CommandLineError(f"--allow-special {clash} goes with no other; give it alone")
    # A special token may hold a comma itself.
    allowed = [[each] if each in special_tokens else each.split(",") for each in given]
    return SpecialPolicy.allowing(token for tokens in allowed for token in tokens)


@contextmanager
def telling_how_to_allow() -> Iterator[None]:
    """Within it, the error about a special token in a text says which option decides."""
    try:
        yield
    except SpecialTokenFoundError as error:
        raise CommandLineError(
            f"{error}; --allow-special all makes it one id, --allow-special none takes it as text"
        ) from error
