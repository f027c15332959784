"""The vocabulary of BPE: a screen of all tokens, and the inspection, which sums them up."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.bpe.screens import BpeScreen
from bpe_tui.session.commands.command import INSPECTION, VOCABULARY
from bpe_tui.session.session import Session
from bpe_tui.views.narration import how_trained
from bpe_tui.views.token_detail import LanesPanel, MergeTreePanel
from bpe_tui.views.vocabulary_screen import InspectionScreen, VocabularyPanel, VocabularyScreen
from bpe_tui.widgets.numbers import number, plural
from engine.analysis.inspection import Inspection
from engine.bpe.frame import Frame
from engine.formats.tokenizer_format import Opened


class BpeVocabularyScreen(VocabularyScreen, BpeScreen):
    """The tokens of the timeline's step."""

    NAME = VOCABULARY
    TABLE = VocabularyPanel
    TREE = MergeTreePanel
    LANES = LanesPanel

    def facts_of(self, frame: Frame) -> Sequence[str]:
        if frame.has_corpus:
            counted = f"{plural(frame.token_count, 'token')} in the corpus"
        else:
            counted = "no corpus, so nothing is counted; o opens one"
        return "Vocabulary", plural(frame.vocab_size, "token"), counted


class BpeInspectionScreen(InspectionScreen, BpeScreen):
    """The five sections of BPE's inspection."""

    NAME = INSPECTION
    TILES = SECTIONS

    def facts_of(self, frame: Frame) -> Sequence[str]:
        return "Tokenizer", plural(frame.vocab_size, "token")

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
