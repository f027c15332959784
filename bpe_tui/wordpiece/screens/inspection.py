"""The inspection of WordPiece: what kind of vocabulary has the timeline's step learnt?"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.session.session import Session
from bpe_tui.views.inspection_rows import (
    Section,
    describe_ids,
    describe_pattern,
    describe_specials,
    fact_rows,
    kinds,
    lengths,
    longest,
    odd_rows,
)
from bpe_tui.views.inspection_screen import InspectionScreen
from bpe_tui.views.narration import how_trained
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.model import WORDPIECE_INSPECTION
from bpe_tui.wordpiece.screens import WordPieceScreen
from engine.analysis.inspection.inspection import PieceInspection
from engine.formats.tokenizer_format import Opened
from engine.wordpiece.frame import WordPieceFrame


def _overview(inspection: PieceInspection, width: int) -> list[Row]:
    unknown = inspection.unknown_token
    facts = (
        ("pieces", number(inspection.size)),
        ("begin a word", number(inspection.starting)),
        ("continue one, ##", number(inspection.continuing)),
        ("merges", f"{number(inspection.merges)}, by score; ties {inspection.tie_rule}"),
        ("min count", _min_count(inspection.min_count)),
        ("ids", describe_ids(inspection)),
        ("special tokens", describe_specials(inspection.special_ids)),
        ("unknown token", f"{visible_text(unknown)}, for a word that no pieces spell"),
        ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
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


class WordPieceInspectionScreen(InspectionScreen, WordPieceScreen):
    """The five sections of WordPiece's inspection."""

    NAME = WORDPIECE_INSPECTION
    TILES = SECTIONS

    def heading(self, session: Session, room: int) -> str:
        frame = self.frame_of(session)
        assert frame is not None
        return (
            f"WordPiece, step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{plural(frame.vocab_size, 'piece')}"
        )

    def how_trained(self, session: Session, frame: WordPieceFrame) -> Sequence[tuple[str, str]]:
        rule = frame.tie_rule
        return how_trained(
            session,
            ("distinct words", number(frame.distinct_words)),
            ("tie rule", f"{rule.name}: {rule.summary}"),
        )

    def inspection_of(self, frame: WordPieceFrame, opened: Opened | None) -> PieceInspection:
        return PieceInspection(frame)
