"""The sections of the inspection of a BPE tokenizer, in rows.

The shell prints them and the inspection screen shows them, so this module imports no screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.panels.inspection_rows import (
    describe_ids,
    describe_numbers,
    describe_pattern,
    describe_specials,
    sections,
)
from bpe_tui.widgets.language import listed, tr, visible_message
from bpe_tui.widgets.numbers import number
from bpe_tui.words.measures import describe_premiums, premiums_of
from engine.analysis.inspection import Inspection
from engine.analysis.unicode_blocks import coverage


def _overview(inspection: Inspection) -> list[tuple[str, str]]:
    special = len(inspection.special_ids)
    if not inspection.encodes:
        model = "merges", "missing: ids decode, and no text can be encoded"
    elif inspection.model is None:
        model = "merges", number(inspection.merges)
    else:
        model = "model", tr("{model}, which merges nothing", model=inspection.model)
    facts = [
        ("tokens", number(inspection.size)),
        model,
        ("ids", describe_ids(inspection)),
        (tr("special tokens"), describe_specials(inspection.special_ids) if special else "none"),
        ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
        *describe_numbers(inspection.numbers),
        *(
            (tr("runs of {n}", n=tr(n)), _runs(runs))
            for n, runs in inspection.whitespace_runs.items()
        ),
    ]
    facts += _coverage(inspection)
    if missing := inspection.unspelled_bytes:
        facts.insert(3, ("cannot spell", tr("{n} of 256 bytes", n=number(missing))))
    if other_languages := premiums(inspection):
        facts.append(("other languages", describe_premiums(other_languages)))
    facts += [("note", visible_message(note)) for note in inspection.notes]
    if inspection.format is not None:
        facts.insert(0, ("format", inspection.format))
    return facts


def _coverage(inspection: Inspection) -> Iterator[tuple[str, str]]:
    """Yield how many characters of each block of Unicode are tokens, if several blocks have some.

    For example: `Basic Latin 95 of 95, Cyrillic 66 of 256`.
    """
    found = coverage(inspection.ordinary.in_text)
    if len(found) > 1:
        parts = (
            tr("{block} {n} of {all}", block=tr(each.block), n=each.tokens, all=each.characters)
            for each in found
        )
        yield tr("single characters"), listed(parts)


def premiums(inspection: Inspection) -> dict[str, float]:
    """Return what other languages cost, with a whole tokenizer from a file; else nothing."""
    if inspection.opened is None or not inspection.encodes:
        return {}
    tokenizer = inspection.opened.tokenizer
    return premiums_of(tokenizer) if inspection.merges == len(tokenizer.merge_table) else {}


def _runs(lengths: Sequence[int]) -> str:
    """Describe lengths as ranges: [1, 2, 3, 8] → '1–3, 8 in a row are one token'."""
    if not lengths:
        return tr("none is a token")
    stretches: list[list[int]] = []
    for length in lengths:
        if stretches and stretches[-1][1] == length - 1:
            stretches[-1][1] = length
        else:
            stretches.append([length, length])
    ranges = listed(str(a) if a == b else f"{a}–{b}" for a, b in stretches)
    template = "{ranges} in a row are one token"
    return tr(template, ranges=ranges) if ranges != "1" else tr("each is a token of its own")


SECTIONS = sections(
    _overview,
    odd={
        "not valid UTF-8": "partial",
        "never encoded": "never-encoded",
        "same bytes twice": "duplicates",
    },
)
