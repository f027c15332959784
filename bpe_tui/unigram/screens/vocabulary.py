"""The vocabulary screen of Unigram: all pieces of the step, and the one under the cursor."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.unigram.model import UNIGRAM_VOCABULARY
from bpe_tui.unigram.panels.piece_detail import (
    AboutPiecePanel,
    PieceHistoryPanel,
    PieceLanesPanel,
    PieceToldPanel,
    PieceUsesPanel,
)
from bpe_tui.unigram.panels.piece_rows import PieceRows
from bpe_tui.unigram.panels.pieces import VocabularyOfPieces
from bpe_tui.unigram.screens.training import UnigramScreen
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.narration import fitting
from bpe_tui.views.panel import ToPiece
from bpe_tui.views.panel_screen import TooSmall
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.key_bar import KeyBar
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, plural
from engine.unigram.frame import UnigramFrame

SLOT = ("piece", "history", "uses", "piece-lanes")
"""Panels that share a place where there is not room for all."""


class UnigramVocabularyScreen(UnigramScreen):
    """The pieces of the timeline's step in a table; beside it the one under the cursor."""

    BINDINGS = bindings_on(UNIGRAM_VOCABULARY)
    CSS_PATH = sheet("unigram-vocabulary.tcss")
    PANEL_ORDER = ("pieces", *SLOT)

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__(id=UNIGRAM_VOCABULARY)
        self.add_class("slot-piece")
        self._trail: list[int] = []

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        with Container(id="panels"):
            yield VocabularyOfPieces().data_bind(frame=UnigramVocabularyScreen.frame)
            with Vertical(id="about"):
                for panel in (PieceToldPanel(), PieceHistoryPanel(), PieceUsesPanel()):
                    yield panel.data_bind(frame=UnigramVocabularyScreen.frame)
        yield PieceLanesPanel().data_bind(frame=UnigramVocabularyScreen.frame)
        yield KeyBar()

    def on_mount(self) -> None:
        self.show_panel("pieces")

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        self._trail = [piece for piece in self._trail if frame.index_of(piece) is not None]
        heading = _heading(frame, self.size.width - 2)
        self.query_one("#heading", Static).update(Content(heading), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self.remove_class(*(f"slot-{name}" for name in SLOT))
            self.add_class(f"slot-{panel}")
        super().show_panel(panel)

    # -- the piece under the cursor

    def on_piece_rows_pointed(self, event: PieceRows.Pointed) -> None:
        event.stop()
        self.query_one(PieceToldPanel).removals = self.query_one(PieceRows).removals
        self.query_one(PieceHistoryPanel).number = event.number
        for panel in self.query(AboutPiecePanel):
            panel.number = event.number

    def show_piece(self, piece: int) -> None:
        """Put the table's cursor on a piece, and keep the one before for Esc."""
        before = self.query_one(PieceRows).number
        if before is not None and before != piece:
            self._trail.append(before)
        self.query_one(VocabularyOfPieces).show_piece(piece)
        self.show_keys()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if isinstance(event.target, ToPiece):
            self.show_piece(event.target.number)
        else:
            self.host.ways.go_to_target(event.target)

    def on_chart_sought(self, event: Chart.Sought) -> None:
        event.stop()
        self.host.seek(round(event.x))

    # -- commands

    @property
    def way_back(self) -> bool:
        return bool(self._trail) or super().way_back

    def action_go_back(self) -> None:
        if self._trail:
            self.query_one(VocabularyOfPieces).show_piece(self._trail.pop())
            self.show_keys()
        else:
            super().action_go_back()

    def action_search(self) -> None:
        if self.zoomed != "pieces":
            self.zoomed = None
        self.set_focus(self.query_one("#pieces-search"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the field goes to what was found."""
        event.stop()
        self.show_panel("pieces")

    def action_sort(self) -> None:
        self.query_one(VocabularyOfPieces).sort_by_next()

    def action_reverse(self) -> None:
        self.query_one(VocabularyOfPieces).reverse()

    def action_filter(self, name: str) -> None:
        self.query_one(VocabularyOfPieces).toggle_filter(name)


def _heading(frame: UnigramFrame, room: int) -> str:
    special = plural(frame.vocab_size - frame.size, "special token")
    used = number(float(frame.expected_counts.sum()))
    return fitting(
        [
            (0, f"Vocabulary after step {number(frame.step)} of {number(frame.recorded_steps)}"),
            (1, plural(frame.size, "piece")),
            (3, f"{used} tokens in the corpus on average"),
            (2, special),
        ],
        room,
    )
