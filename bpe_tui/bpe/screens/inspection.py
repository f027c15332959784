"""The inspection screen of BPE: what kind of vocabulary has the timeline's step learnt?"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import INSPECTION
from bpe_tui.session.session import Session
from bpe_tui.views.inspection_screen import InspectionScreen
from bpe_tui.views.narration import how_trained
from bpe_tui.widgets.numbers import number, plural
from engine.analysis.inspection import Inspection
from engine.bpe.frame import Frame
from engine.formats.tokenizer_format import Opened


class BpeInspectionScreen(InspectionScreen, BpeScreen):
    """The five sections of BPE's inspection."""

    NAME = INSPECTION
    TILES = SECTIONS

    def heading(self, session: Session, room: int) -> str:
        frame = session.frame
        assert frame is not None
        return (
            f"The tokenizer of step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{plural(frame.vocab_size, 'token')}"
        )

    def how_trained(self, session: Session, frame: Frame) -> Sequence[tuple[str, str]]:
        rule, units = frame.tie_rule, frame.units
        return how_trained(
            session,
            ("distinct pretokens", number(len(frame.run.counts))),
            ("tie rule", f"{rule.name}: {rule.summary}"),
            *([] if units.spells_all else [("units", f"{units.name}: {units.lesson}")]),
        )

    def inspection_of(self, frame: Frame, opened: Opened | None) -> Inspection:
        return Inspection.of_frame(frame, opened)
