"""The vocabulary of Unigram: a screen of all pieces, and the inspection, which sums them up."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.reactive import reactive

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_INSPECTION, UNIGRAM_VOCABULARY
from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.panels.piece_detail import (
    AboutPiecePanel,
    PieceDetailPanel,
    PieceHistoryPanel,
    PieceLanesPanel,
    PieceUsesPanel,
)
from bpe_tui.unigram.panels.pieces import PieceRows, VocabularyOfPieces
from bpe_tui.unigram.screens import UnigramScreen
from bpe_tui.views.inspection_rows import (
    describe_numbers,
    describe_pattern,
    describe_specials,
    sections,
)
from bpe_tui.views.narration import how_trained
from bpe_tui.views.targets import ToPiece
from bpe_tui.views.vocabulary_screen import InspectionScreen
from bpe_tui.views.vocabulary_table import TableScreen
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.visible import visible_text
from engine.analysis.unigram_inspection import UnigramInspection
from engine.formats.tokenizer_format import Opened
from engine.unigram.frame import UnigramFrame


class UnigramVocabularyScreen(TableScreen, UnigramScreen):
    """The table of the pieces, beside it the worth, the history and the words of one."""

    NAME = UNIGRAM_VOCABULARY
    CSS_PATH = sheet("unigram-vocabulary.tcss")
    SLOT = ("piece", "history", "uses", "piece-lanes")
    PANEL_ORDER = ("pieces", *SLOT)

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield VocabularyOfPieces().data_bind(frame=UnigramVocabularyScreen.frame)
            with Vertical(id="about"):
                for panel in (PieceDetailPanel(), PieceHistoryPanel(), PieceUsesPanel()):
                    yield panel.data_bind(frame=UnigramVocabularyScreen.frame)
        yield PieceLanesPanel().data_bind(frame=UnigramVocabularyScreen.frame)

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        return (
            "Unigram's vocabulary",
            plural(frame.size, "piece"),
            plural(frame.vocab_size - frame.size, "special token"),
            f"{number(float(frame.expected_counts.sum()))} tokens in the corpus on average",
        )

    def has_token(self, frame: UnigramFrame, token: int) -> bool:
        return frame.index_of(token) is not None

    def look_at(self, token: int | None) -> None:
        self.query_one(PieceDetailPanel).removals = self.query_one(PieceRows).removals
        self.query_one(PieceHistoryPanel).number = token
        for panel in self.query(AboutPiecePanel):
            panel.number = token

    def token_named_by(self, target: object) -> int | None:
        return target.number if isinstance(target, ToPiece) else None


def _overview(inspection: UnigramInspection) -> Sequence[tuple[str, str]]:
    characters, starts = inspection.characters, inspection.word_starts
    longer = number(inspection.size - characters)
    equal = number(2**inspection.entropy)
    return (
        (
            "pieces",
            f"{number(inspection.size)}: {plural(characters, 'character')}, {longer} longer",
        ),
        ("begin with ▁", f"{number(starts)}, {_share(starts, inspection.size)}"),
        ("special tokens", describe_specials(inspection.special_ids)),
        ("pattern", describe_pattern(inspection.pattern, inspection.pattern_name)),
        *describe_numbers(inspection.numbers),
        ("scores", _scores(inspection)),
        (
            "loss",
            f"{score_text(inspection.loss, 3)} nats a pretoken: as unsure as among "
            f"{short_number(inspection.perplexity)} equally probable ones",
        ),
        (
            "entropy",
            f"{inspection.entropy:.2f} bits a token: as from {equal} equally frequent pieces",
        ),
        ("tokens", f"{inspection.fertility:.3f} a pretoken on average"),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / max(whole, 1):.0%} of all"


def _scores(inspection: UnigramInspection) -> str:
    if (ends := inspection.worst_and_best) is None:
        return "none"
    worst, best = (
        f"{score_text(inspection.score(piece))} ({visible_text(inspection.text(piece))})"
        for piece in ends
    )
    return f"from {worst} to {best}"


SECTIONS = sections(
    _overview,
    odd={
        "used less than once": "seldom",
        "case, ▁ twins": "twins",
        "a character repeated": "runs",
        "not valid UTF-8": "partial",
    },
    what="pieces",
    describe=lambda inspection, piece: f"score {score_text(inspection.score(piece))}",
    leads=ToPiece,
)


class UnigramInspectionScreen(InspectionScreen, UnigramScreen):
    """The five sections of Unigram's inspection."""

    NAME = UNIGRAM_INSPECTION
    TILES = SECTIONS

    def facts_of(self, frame: UnigramFrame) -> Sequence[str]:
        size = f"{plural(frame.vocab_size, 'token')} with the special ones"
        return "Unigram's vocabulary", size

    def how_trained(self, session: Session, frame: UnigramFrame) -> Sequence[tuple[str, str]]:
        return how_trained(
            session,
            ("distinct pretokens", number(len(frame.words))),
            ("asked for", plural(frame.record.vocab_size, "token")),
        )

    def inspection_of(self, frame: UnigramFrame, opened: Opened | None) -> UnigramInspection:
        return UnigramInspection(frame)
