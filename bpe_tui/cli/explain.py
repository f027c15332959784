"""`bpe-tui explain`: how a text encodes, and what each merge won against."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from bpe_tui.cli.explanation import explanation
from bpe_tui.cli.names import PROGRAM
from bpe_tui.cli.options import TokenizerOption
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.cli.special import AllowSpecialOption, policy_of, telling_how_to_allow
from bpe_tui.cli.tokenizers import opened
from engine.text.pretokenize import to_text


@app.command(
    cls=GroupedHelp,
    epilog=examples(f'{PROGRAM} explain "the cat in the hat" --tokenizer tokenizer'),
)
def explain(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What to encode.", show_default=False)
    ],
    tokenizer: TokenizerOption,
    allow_special: AllowSpecialOption = None,
) -> None:
    """Print how each pretoken of TEXT encodes: its merges, and the candidates that lost to each."""
    loaded = opened(tokenizer, merging=True)
    policy = policy_of(allow_special, loaded.special_tokens)
    with telling_how_to_allow():
        policy.check(loaded, to_text(os.fsencode(text)))
    for line in explanation(policy.applied(loaded), to_text(os.fsencode(text))):
        print(line)
