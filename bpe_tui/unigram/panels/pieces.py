"""The table of pieces with what governs it: the search and the header."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.unigram.panels.piece_rows import (
    PIECE_COLUMNS,
    SMALLEST_FIRST,
    VOCABULARY_COLUMNS,
    LookedAtRows,
    PieceRows,
)
from bpe_tui.widgets.key_bar import Switch, Switches
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.virtual_table import Column, Header, SortedTable
from engine.unigram.frame import UnigramFrame

FILTER_SWITCHES = (
    Switch("characters", "p", "characters"),
    Switch("seldom", "u", "seldom used"),
    Switch("leaving", "d", "go next"),
    Switch("twins", "y", "twins"),
)


class PiecesPanel(SortedTable):
    """A field to search in, and the rows under their header."""

    ID: ClassVar[str] = "pieces"
    COLUMNS: ClassVar[tuple[Column, ...]] = PIECE_COLUMNS
    ROWS: ClassVar[type[PieceRows]] = PieceRows

    frame: reactive[UnigramFrame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id=self.ID)
        self.border_title = Content("pieces")
        self.border_subtitle = Content("↵ its lattice · c next column · C turn it round")

    def compose(self) -> ComposeResult:
        # The rows come first, so that they are what Tab and Esc lead to.
        yield self.ROWS(self.COLUMNS).data_bind(frame=PiecesPanel.frame)
        with Vertical(id="pieces-top"):
            yield Input(placeholder="/ search", id="pieces-search", compact=True)
            yield from self.compose_more()
            yield Header(id="pieces-header")

    def compose_more(self) -> ComposeResult:
        """What stands under the field."""
        yield from ()

    @property
    def rows(self) -> PieceRows:
        return self.query_one(PieceRows)

    def is_descending(self, column: str) -> bool:
        return column not in SMALLEST_FIRST

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.rows.search(event.value)

    def show_piece(self, piece: int) -> None:
        """Put the cursor on a piece; if search or filters hide it, they end."""
        if not self.rows.show_piece(piece):
            self.clear_filters()
            with self.prevent(Input.Changed):
                self.query_one(Input).value = ""
            self.rows.search("")
            self.rows.show_piece(piece)

    def clear_filters(self) -> None:
        """Let no filter hide anything."""

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


class VocabularyOfPieces(PiecesPanel):
    """The same with more columns, and with switches for the filters."""

    COLUMNS = VOCABULARY_COLUMNS
    ROWS = LookedAtRows

    def compose_more(self) -> ComposeResult:
        yield Switches(FILTER_SWITCHES, id="filters")

    def clear_filters(self) -> None:
        self.rows.filters = self.query_one(Switches).on = frozenset()

    def on_switches_pressed(self, event: Switches.Pressed) -> None:
        event.stop()
        self.toggle_filter(event.name)

    def toggle_filter(self, name: str) -> None:
        self.rows.filters ^= {name}
        self.query_one(Switches).on = self.rows.filters
        self.rows.rebuild()
