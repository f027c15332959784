"""The vocabulary screen of Unigram: all pieces of the step, and the one under the cursor."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.reactive import reactive

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_VOCABULARY
from bpe_tui.unigram.panels.piece_detail import (
    AboutPiecePanel,
    PieceDetailPanel,
    PieceHistoryPanel,
    PieceLanesPanel,
    PieceUsesPanel,
)
from bpe_tui.unigram.panels.pieces import PieceRows, VocabularyOfPieces
from bpe_tui.unigram.screens import UnigramScreen
from bpe_tui.views.narration import fitting
from bpe_tui.views.targets import ToPiece
from bpe_tui.views.vocabulary_table import TableScreen
from bpe_tui.widgets.numbers import number, plural
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

    def heading(self, session: Session, room: int) -> str:
        frame = self.frame_of(session)
        assert frame is not None
        step = f"step {number(frame.step)} of {number(frame.recorded_steps)}"
        used = number(float(frame.expected_counts.sum()))
        return fitting(
            [
                (0, f"Vocabulary after {step}"),
                (1, plural(frame.size, "piece")),
                (3, f"{used} tokens in the corpus on average"),
                (2, plural(frame.vocab_size - frame.size, "special token")),
            ],
            room,
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
