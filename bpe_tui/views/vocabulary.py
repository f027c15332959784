"""The vocabulary table with what governs it: the search, the filters, the header."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.views.sorted_table import SortedTable
from bpe_tui.views.token_rows import TokenRows
from bpe_tui.widgets.switches import Switch, Switches
from bpe_tui.widgets.virtual_table import Header
from bpe_tui.widgets.visible import number, visible_text
from engine.recording.merge_frame import AnyMergeFrame

FILTER_SWITCHES = (
    Switch("partial", "p", "partial UTF-8"),
    Switch("unused", "u", "unused"),
    Switch("unreachable", "d", "unreachable"),
    Switch("twins", "y", "twins"),
)


class VocabularyPanel(SortedTable):
    """A field to search in, switches for the filters, and the rows under their header."""

    ROWS: ClassVar[type[TokenRows]] = TokenRows
    SWITCHES: ClassVar[tuple[Switch, ...]] = FILTER_SWITCHES
    LARGEST_FIRST: ClassVar[frozenset[str]] = frozenset({"length", "count", "children"})
    """Columns of which the largest numbers are the interesting ones."""

    frame: reactive[AnyMergeFrame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="tokens")
        self.border_title = Content("vocabulary")

    def compose(self) -> ComposeResult:
        # The rows come first, so that they are what Tab and Esc lead to.
        yield self.ROWS().data_bind(frame=VocabularyPanel.frame)
        with Vertical(id="table-top"):
            yield Input(placeholder="/ search: text or regex", id="search", compact=True)
            yield Switches(self.SWITCHES, id="filters")
            yield Header(id="table-header")

    @property
    def rows(self) -> TokenRows:
        return self.query_one(TokenRows)

    # -- order

    def is_descending(self, column: str) -> bool:
        return column in self.LARGEST_FIRST

    # -- what is left out

    def on_switches_pressed(self, event: Switches.Pressed) -> None:
        event.stop()
        self.toggle_filter(event.name)

    def toggle_filter(self, name: str) -> None:
        self.rows.filters ^= {name}
        self.query_one(Switches).on = self.rows.filters
        self.rows.rebuild()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.rows.search(event.value)

    def show_token(self, token_id: int) -> None:
        """Put the cursor on a token; if filters or search hide it, they go."""
        if not self.rows.show_token(token_id):
            self.rows.filters = self.query_one(Switches).on = frozenset()
            with self.prevent(Input.Changed):
                self.query_one(Input).value = ""
            self.rows.search("")
            self.rows.show_token(token_id)

    # -- what the border says

    def on_token_rows_found(self, event: TokenRows.Found) -> None:
        header = self.query_one(Header)
        header.places = self.rows.places
        header.sorting, header.descending = self.rows.sorting, self.rows.descending
        still = "" if event.complete else " so far"
        of = f"{number(event.shown)} of {number(event.of)} {self.ROWS.TOKEN}s{still}"
        self.border_title = Content(f"vocabulary  {of}")
        if event.problem is not None:
            foot = f"no regex: {visible_text(event.problem, spaces=False)}; read as plain text"
        else:
            foot = "↵ to its merge · c next column · C turn it round"
        self.border_subtitle = Content(foot)
