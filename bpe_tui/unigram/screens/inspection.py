"""The inspection screen of Unigram: what kind of vocabulary the step has."""

from __future__ import annotations

from bpe_tui.unigram.inspection_rows import SECTIONS
from bpe_tui.unigram.model import UNIGRAM_INSPECTION
from bpe_tui.unigram.screens.training import UnigramScreen
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.inspection_screen import InspectionScreen
from bpe_tui.widgets.numbers import number, plural
from engine.analysis.inspection.unigram import UnigramInspection
from engine.formats.tokenizer_format import Opened
from engine.unigram.frame import UnigramFrame


class UnigramInspectionScreen(InspectionScreen, UnigramScreen):
    """Five sections, all at once where there is room, else one at a time."""

    NAME = UNIGRAM_INSPECTION
    SECTIONS = SECTIONS
    BINDINGS = bindings_on(UNIGRAM_INSPECTION)
    PANEL_ORDER = tuple(section.id for section in SECTIONS)

    def heading(self, frame: UnigramFrame) -> str:
        return (
            f"The pieces of step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{plural(frame.vocab_size, 'token')} with the special ones"
        )

    def inspection_of(self, frame: UnigramFrame, opened: Opened | None) -> UnigramInspection:
        return UnigramInspection(frame)
