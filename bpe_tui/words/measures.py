"""Sentences about measures that people quote, with their limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_tui.session.samples import parallel_samples
from bpe_tui.widgets.language import plural, tr
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
    said = "; unknown tokens in {left_out}"
    unknown = tr(said, left_out=", ".join(left_out)) if left_out else ""
    said = "{languages} times the tokens of English ({sentences}{unknown})"
    return tr(said, languages=languages, sentences=plural(lines, "sentence"), unknown=unknown)


def describe_merge_difference(
    difference: MergeListDifference | None, one: str, other: str, *, has_merges: bool
) -> str:
    """Return where the merges of two tokenizers part; `has_merges` is whether the first has any."""
    if difference is None:
        said = "{one} and {other} have {what} merges"
        return tr(said, one=one, other=other, what="the same" if has_merges else "no")
    if difference.rank == 0 and None in difference.merges:
        return tr("{n} has no merges", n=(one, other)[difference.merges.index(None)])
    left, right = (
        tr("no more merges") if merge is None else " + ".join(map(visible_bytes, merge))
        for merge in difference.merges
    )
    said = "{one} and {other} part at merge {rank}: {left} and {right}"
    return tr(said, one=one, other=other, rank=difference.rank + 1, left=left, right=right)
