"""`bpe-tui explain`: how a text encodes, and what each merge won against."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from bpe_tui.cli.console import PROGRAM
from bpe_tui.cli.inputs import note_stand_ins, open_named
from bpe_tui.cli.options import (
    AllowSpecialOption,
    OtherPatternOption,
    TokenizerOption,
    policy_of,
)
from bpe_tui.cli.program import GroupedHelp, app, examples
from bpe_tui.widgets.visible import visible_bytes
from engine.analysis.why_not import cut_by
from engine.core.events import Pair
from engine.encoding.rules import EncodingRules, TracedMerge, TracedPretoken, trace
from engine.encoding.tokenizer import Tokenizer
from engine.text.pretokenize import to_text

# How a text encodes, in lines: its pretokens, their merges, and what each merge won against.


def explanation(tokenizer: Tokenizer, text: str) -> Iterator[str]:
    """The lines for each pretoken of the text."""
    for piece in trace(tokenizer, text):
        yield from _describe(tokenizer.rules, piece)


def _describe(rules: EncodingRules, piece: TracedPretoken) -> Iterator[str]:
    cached = "; seen before, from the cache" if piece.seen_before else ""
    yield f"{visible_bytes(piece.pretoken.bytes)}  ({cut_by(piece.pretoken)}{cached})"
    if not piece.seen_before:
        for merge in piece.merges:
            yield f"  {_describe_merge(rules, merge)}"
    shown = " ".join(visible_bytes(rules.vocab[token_id]) for token_id in piece.ids)
    yield f"  {shown} = {' '.join(map(str, piece.ids))}"


def _describe_merge(rules: EncodingRules, merge: TracedMerge) -> str:
    """One merge: `t h → th (rank 3); lost to it: h e (rank 5), a t (rank 16)`."""
    step = merge.step
    made = f"{_pair(rules, step.pair)} → {visible_bytes(rules.vocab[step.token_id])}"
    lost = ", ".join(f"{_pair(rules, each.pair)} (rank {each.rank})" for each in merge.lost)
    return f"{made} (rank {step.rank})" + (f"; lost to it: {lost}" if lost else "")


def _pair(rules: EncodingRules, pair: Pair) -> str:
    return " ".join(visible_bytes(rules.vocab[token_id]) for token_id in pair)


@app.command(
    cls=GroupedHelp,
    epilog=examples(f'{PROGRAM} explain "the cat in the hat" --tokenizer tokenizer'),
)
def explain(
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What to encode.", show_default=False)
    ],
    tokenizer: TokenizerOption,
    pattern: OtherPatternOption = None,
    allow_special: AllowSpecialOption = None,
) -> None:
    """Print how each pretoken of a text encodes, merge by merge.

    Each merge is told with the candidates that lost to it.
    """
    loaded = open_named(tokenizer, merging=True, pattern=pattern)
    policy = policy_of(allow_special, loaded.special_tokens)
    note_stand_ins(text)
    for line in explanation(policy.applied(loaded), to_text(os.fsencode(text))):
        print(line)
