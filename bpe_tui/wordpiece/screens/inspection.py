"""The inspection screen of WordPiece: what kind of vocabulary the timeline's step has learnt."""

from __future__ import annotations

from typing import Any

from bpe_tui.views.commands import bindings_on
from bpe_tui.views.inspection_screen import InspectionScreen
from bpe_tui.widgets.numbers import number
from bpe_tui.wordpiece.inspection_rows import SECTIONS
from bpe_tui.wordpiece.model import WORDPIECE_INSPECTION
from engine.analysis.inspection import Inspection
from engine.analysis.inspection.wordpiece import PieceInspection
from engine.formats.tokenizer_format import Opened


class WordPieceInspectionScreen(InspectionScreen):
    """Five sections, all at once where there is room, else one at a time."""

    NAME = WORDPIECE_INSPECTION
    SECTIONS = SECTIONS
    BINDINGS = bindings_on(NAME)
    PANEL_ORDER = tuple(section.id for section in SECTIONS)

    def heading(self, frame: Any) -> str:
        return (
            f"WordPiece, step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{number(frame.vocab_size)} pieces"
        )

    def inspection_of(self, frame: Any, opened: Opened | None) -> Inspection:
        return PieceInspection(frame)
