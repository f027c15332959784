"""Opening the tokenizer that the command line names."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bpe_tui.cli.checks import CommandLineError
from bpe_tui.cli.names import PROGRAM
from bpe_tui.widgets.visible import visible_text
from engine.encoding.tokenizer import Tokenizer
from engine.formats import open_tokenizer


def opened(given: Sequence[str], merging: bool = False) -> Tokenizer:
    """The tokenizer; what is to be said about it goes to standard error, a line each.

    Args:
        merging: whether only one with merges will do.

    Raises:
        CommandLineError: `--tokenizer` is given more than twice, or has no merges.
        TokenizerFileError: there is none.
    """
    if len(given) > 2:
        raise CommandLineError("--tokenizer is given once, or twice for vocabulary and merges")
    found = open_tokenizer(*given)
    for note in dict.fromkeys(found.notes):
        print(f"{PROGRAM}: note: {visible_text(note, spaces=False)}", file=sys.stderr)
    pipeline = found.tokenizer.pipeline
    if merging and pipeline is not None and not pipeline.merges:
        raise CommandLineError(
            f"{given[0]} holds a {pipeline.model.name} model, which merges nothing, and "
            "this asks about merges; encode, decode, count, compare and inspect work with it"
        )
    return found.tokenizer
