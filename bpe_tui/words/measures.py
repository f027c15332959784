"""Sentences about measures that people quote, with their limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_tui.session.samples import parallel_samples
from bpe_tui.widgets.language import plural
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import visible_bytes
from engine.analysis.measures import ENGLISH_NAME, premiums_over_english
from engine.encoding.tokenizer import Tokenizer

if TYPE_CHECKING:
    from engine.analysis.text_comparison import MergeListDifference


def premiums_of(tokenizer: Tokenizer) -> dict[str, float]:
    """Return what the parallel samples cost with a tokenizer; see `premiums_over_english`."""
    model = None if tokenizer.pipeline is None else tokenizer.pipeline.model
    unknown_id = None if model is None else model.unknown_id
    return premiums_over_english(tokenizer.encode, parallel_samples(), unknown_id)


def describe_premiums(premiums: Mapping[str, float]) -> str:
    """Return what the parallel samples cost.

    For example: `French 1.76, …, Hindi 5.64 times the tokens of English (10 sentences)`.
    """
    texts = parallel_samples()
    languages = ", ".join(f"{name.title()} {times:.2f}" for name, times in premiums.items())
    lines = max(text.count("\n") for text in texts.values())
    left_out = sorted(name.title() for name in texts.keys() - premiums - {ENGLISH_NAME})
    unknown = f"; unknown tokens in {', '.join(left_out)}" if left_out else ""
    return f"{languages} times the tokens of English ({plural(lines, 'sentence')}{unknown})"


def describe_merge_difference(
    difference: MergeListDifference | None, one: str, other: str, *, has_merges: bool
) -> str:
    """Return where the merges of two tokenizers part; `has_merges` is whether the first has any."""
    if difference is None:
        return f"{one} and {other} have {'the same' if has_merges else 'no'} merges"
    if difference.rank == 0 and None in difference.merges:
        return f"{(one, other)[difference.merges.index(None)]} has no merges"
    left, right = (
        "no more merges" if merge is None else " + ".join(map(visible_bytes, merge))
        for merge in difference.merges
    )
    return f"{one} and {other} part at merge {number(difference.rank + 1)}: {left} and {right}"
