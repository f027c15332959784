"""The vocabulary screen: all tokens, what each is made of, and its bytes."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from bpe_tui.session.commands.command import VOCABULARY
from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.commands import bindings_on
from bpe_tui.views.lanes import LanesPanel
from bpe_tui.views.merge_tree import MergeTreePanel
from bpe_tui.views.panel import ToToken
from bpe_tui.views.panel_screen import SessionScreen, TooSmall
from bpe_tui.views.token_rows import TokenRows
from bpe_tui.widgets.key_bar import KeyBar, Switch, Switches
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.virtual_table import Header, SortedTable
from bpe_tui.widgets.visible import visible_text
from engine.recording.merge_frame import AnyMergeFrame

# The vocabulary table with what governs it: the search, the filters, the header.

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


SLOT = ("tree", "lanes")
"""Panels that share a place where there is not room for both; see `styles/vocabulary.tcss`."""


class VocabularyScreen(SessionScreen):
    """The tokens of the timeline's step in a table; beside it the one under the cursor.

    This is BPE's; a subclass says which panels show those of another model.
    """

    NAME: ClassVar[str] = VOCABULARY
    TABLE: ClassVar[type[VocabularyPanel]] = VocabularyPanel
    TREE: ClassVar[type[MergeTreePanel]] = MergeTreePanel
    LANES: ClassVar[type[LanesPanel]] = LanesPanel
    BINDINGS = bindings_on(VOCABULARY)
    CSS_PATH = sheet("vocabulary.tcss")
    PANEL_ORDER = ("tokens", "tree", "lanes")

    def __init__(self) -> None:
        super().__init__(id=self.NAME)
        self.add_class("slot-lanes")
        self._trail: list[int] = []

    def compose(self) -> ComposeResult:
        yield TooSmall(id="too-small")
        yield Static(id="heading")
        with Container(id="panels"):
            yield self.TABLE().data_bind(frame=VocabularyScreen.frame)
            yield self.TREE().data_bind(frame=VocabularyScreen.frame)
        yield self.LANES().data_bind(frame=VocabularyScreen.frame)
        yield KeyBar()

    def heading(self, frame: Any) -> str:
        """Which tokens these are, in one line."""
        if frame.has_corpus:
            counted = f"{number(frame.token_count)} tokens in the corpus"
        elif frame.uncountable is not None:
            counted = "nothing is counted, since it changes a text before it cuts it"
        else:
            counted = "no corpus, so nothing is counted; o opens one"
        return (
            f"Vocabulary after step {number(frame.step)} of {number(frame.recorded_steps)} · "
            f"{number(frame.vocab_size)} tokens · {counted}"
        )

    def on_mount(self) -> None:
        self.show_panel("tokens")

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        self._trail = [token for token in self._trail if frame.has_token(token)]
        self.query_one("#heading", Static).update(Content(self.heading(frame)), layout=False)

    def show_panel(self, panel: str) -> None:
        if panel in SLOT:
            self.remove_class(*(f"slot-{name}" for name in SLOT))
            self.add_class(f"slot-{panel}")
        super().show_panel(panel)

    # -- the token under the cursor

    def on_token_rows_pointed(self, event: TokenRows.Pointed) -> None:
        event.stop()
        self.query_one(MergeTreePanel).token_id = event.token_id
        token_ids = () if event.token_id is None else (event.token_id,)
        self.query_one(LanesPanel).token_ids = token_ids

    def show_token(self, token_id: int) -> None:
        """Put the table's cursor on a token, and keep the one before for Esc."""
        before = self.query_one(TokenRows).token_id
        if before is not None and before != token_id:
            self._trail.append(before)
        self.query_one(VocabularyPanel).show_token(token_id)
        self.show_keys()

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        event.stop()
        if isinstance(event.target, ToToken):
            self.show_token(event.target.token_id)
        else:
            self.host.ways.go_to_target(event.target)

    # -- commands

    @property
    def way_back(self) -> bool:
        return bool(self._trail) or super().way_back

    def action_go_back(self) -> None:
        if self._trail:
            self.query_one(VocabularyPanel).show_token(self._trail.pop())
            self.show_keys()
        else:
            super().action_go_back()

    def action_search(self) -> None:
        if self.zoomed != "tokens":
            self.zoomed = None
        self.set_focus(self.query_one("#search"))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter in the field goes to what was found."""
        event.stop()
        self.show_panel("tokens")

    def action_sort(self) -> None:
        self.query_one(VocabularyPanel).sort_by_next()

    def action_reverse(self) -> None:
        self.query_one(VocabularyPanel).reverse()

    def action_filter(self, name: str) -> None:
        self.query_one(VocabularyPanel).toggle_filter(name)

    def action_fold(self) -> None:
        self.query_one(MergeTreePanel).toggle_fold()
