"""An inspection of WordPiece's vocabulary in rows: no bytes and no runs of spaces, but `##`."""

from __future__ import annotations

from bpe_tui.inspection_rows import (
    LONGEST_SHOWN,
    Section,
    fact_rows,
    few_row,
    kind_rows,
    length_rows,
    long_row,
    told_ids,
    told_pattern,
    told_specials,
)
from bpe_tui.panels.targets import ToToken
from bpe_tui.visible import number, visible_bytes, visible_text
from bpe_tui.widgets.rows import Row
from engine.wordpiece.inspection import PieceInspection


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
    return [
        few_row(name, few, lambda piece_id: _piece(inspection, piece_id), ToToken, width)
        for name, few in found
    ]


def _lengths(inspection: PieceInspection, width: int) -> list[Row]:
    return length_rows(inspection.length_histogram, inspection.mean_length, "character", width)


def _kinds(inspection: PieceInspection, width: int) -> list[Row]:
    return kind_rows(inspection.kinds, width)


def _longest(inspection: PieceInspection, width: int) -> list[Row]:
    return [
        long_row(
            f"id {number(piece_id)}",
            number(inspection.vocabulary.length_of(piece_id)),
            _piece(inspection, piece_id),
            ToToken(piece_id),
            width,
        )
        for piece_id in inspection.longest(LONGEST_SHOWN)
    ]


def _piece(inspection: PieceInspection, piece_id: int) -> str:
    return visible_bytes(inspection.vocabulary.token(piece_id))


SECTIONS = (
    Section("overview", "what is it?", _overview),
    Section("lengths", "how long are the pieces?", _lengths),
    Section("odd", "which are odd?", _odd),
    Section("kinds", "what are they made of?", _kinds),
    Section("longest", "which are the longest?", _longest),
)
