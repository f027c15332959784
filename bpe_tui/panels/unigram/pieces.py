"""The table of pieces with what governs it: the search and the header."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.panels.sorted_table import SortedTable
from bpe_tui.panels.unigram.piece_rows import SMALLEST_FIRST, PieceRows
from bpe_tui.visible import number
from bpe_tui.widgets.virtual_table import Header
from engine.unigram.frame import UnigramFrame


class PiecesPanel(SortedTable):
    """A field to search in, and the rows under their header."""

    frame: reactive[UnigramFrame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="pieces")
        self.border_title = Content("pieces")
        self.border_subtitle = Content("↵ its lattice · c next column · C turn it round")

    def compose(self) -> ComposeResult:
        # The rows come first, so that they are what Tab and Esc lead to.
        yield PieceRows().data_bind(frame=PiecesPanel.frame)
        with Vertical(id="pieces-top"):
            yield Input(placeholder="/ search", id="pieces-search", compact=True)
            yield Header(id="pieces-header")

    @property
    def rows(self) -> PieceRows:
        return self.query_one(PieceRows)

    def is_descending(self, column: str) -> bool:
        return column not in SMALLEST_FIRST

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.rows.search(event.value)

    def show_piece(self, piece: int) -> None:
        """Put the cursor on a piece; if the search hides it, the search ends."""
        if not self.rows.show_piece(piece):
            with self.prevent(Input.Changed):
                self.query_one(Input).value = ""
            self.rows.search("")
            self.rows.show_piece(piece)

    def on_piece_rows_found(self, event: PieceRows.Found) -> None:
        header = self.query_one(Header)
        header.places = self.rows.places
        header.sorting, header.descending = self.rows.sorting, self.rows.descending
        of = (
            number(event.of)
            if event.shown == event.of
            else f"{number(event.shown)} of {number(event.of)}"
        )
        self.border_title = Content(f"pieces  {of}")
