"""Sentences about measures that people quote, with their limits."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_tui.session.samples import parallel_samples
from bpe_tui.widgets.language import listed, plural, tr
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
    languages = listed(f"{tr(name.title())} {times:.2f}" for name, times in premiums.items())
    lines = max(text.count("\n") for text in texts.values())
    left_out = sorted(tr(name.title()) for name in texts.keys() - premiums - {ENGLISH_NAME})
    unknown = tr("; unknown tokens in {left_out}", left_out=listed(left_out)) if left_out else ""
    template = "{languages} times the tokens of English ({sentences}{unknown})"
    return tr(template, languages=languages, sentences=plural(lines, "sentence"), unknown=unknown)


def describe_merge_difference(
    difference: MergeListDifference | None, one: str, other: str, *, has_merges: bool
) -> str:
    """Return where the merges of two tokenizers part; `has_merges` is whether the first has any."""
    if difference is None:
        same, none = "{one} and {other} have the same merges", "{one} and {other} have no merges"
        return tr(same if has_merges else none, one=one, other=other)
    if difference.rank == 0 and None in difference.merges:
        return tr("{n} has no merges", n=(one, other)[difference.merges.index(None)])
    left, right = (
        tr("no more merges") if merge is None else " + ".join(map(visible_bytes, merge))
        for merge in difference.merges
    )
    template = "{one} and {other} part at merge {rank}: {left} and {right}"
    return tr(template, one=one, other=other, rank=difference.rank + 1, left=left, right=right)


def short_names(paths: Sequence[str]) -> list[str]:
    """Return the last parts of paths, as many as tell them apart.

    >>> short_names(["a/tokenizer.json", "b/tokenizer.json"])
    ['a/tokenizer.json', 'b/tokenizer.json']
    >>> short_names(["a/mine.json", "b/gpt2"])
    ['mine.json', 'gpt2']
    """
    for parts in count(1):
        names = [os.sep.join(Path(path).parts[-parts:]) or path for path in paths]
        if len(set(names)) == len(set(paths)) or names == list(paths):
            break
    return names
