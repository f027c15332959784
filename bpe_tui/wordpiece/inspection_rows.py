"""An inspection of WordPiece's vocabulary in rows: no bytes and no runs of spaces, but `##`."""

from __future__ import annotations

from bpe_tui.views.inspection_rows import (
    Section,
    fact_rows,
    kinds,
    lengths,
    longest,
    odd_rows,
    told_ids,
    told_pattern,
    told_specials,
)
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_text
from engine.analysis.inspection.wordpiece import PieceInspection


def _overview(inspection: PieceInspection, width: int) -> list[Row]:
    unknown = inspection.unknown_token
    facts = (
        ("pieces", number(inspection.size)),
        ("begin a word", number(inspection.starting)),
        ("continue one, ##", number(inspection.continuing)),
        ("merges", f"{number(inspection.merges)}, by score; ties {inspection.tie_rule}"),
        ("min count", _min_count(inspection.min_count)),
        ("ids", told_ids(inspection)),
        ("special tokens", told_specials(inspection.special_ids)),
        ("unknown token", f"{visible_text(unknown)}, for a word that no pieces spell"),
        ("pattern", told_pattern(inspection.pattern, inspection.pattern_name)),
    )
    return fact_rows(facts, width)


def _min_count(least: int) -> str:
    if least == 1:
        return "1: any pair may merge, however rare"
    return f"{number(least)}: rarer pairs do not merge"


def _odd(inspection: PieceInspection, width: int) -> list[Row]:
    found = (
        ("unused in the corpus", inspection.unused),
        ("case, ## twins", inspection.twins),
        ("same piece twice", inspection.duplicates),
    )
    return odd_rows(inspection, found, width)


SECTIONS = (
    Section("overview", "what is it?", _overview),
    Section("lengths", "how long are the pieces?", lengths),
    Section("odd", "which are odd?", _odd),
    Section("kinds", "what are they made of?", kinds),
    Section("longest", "which are the longest?", longest),
)
