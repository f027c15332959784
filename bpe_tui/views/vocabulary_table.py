"""A table of all tokens, with a search, filters and an order; and a screen round it.

Every model has such a table, of tokens or of pieces. A subclass of `VocabularyRows` says what they
are, one of `VocabularyTable` which switches there are, one of `TableScreen` what is shown of the
token under the cursor. A token is meant by a whole number: its id, or its place in a seed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.session.session import Session
from bpe_tui.views.narration import leading_parts
from bpe_tui.views.panel import BORDER_CELLS, FramePanel, FrameT
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.key_bar import Switch, Switches
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import Row, Span, left, right_aligned
from bpe_tui.widgets.virtual_table import GAP, Column, Header, Place, SortedTable, arranged
from engine.core.arrays import Ints


class VocabularyRows(FramePanel[FrameT]):
    """The tokens of the frame that the filters and the search leave, in the order of a column.

    When the rows change, the cursor keeps to the token that the reader chose.
    """

    KEEPS_CURSOR = True
    TOKEN: ClassVar[str] = "token"
    """What one of them is called."""
    COLUMNS: ClassVar[tuple[Column, ...]]
    CLICK_LOOKS: ClassVar[bool] = True
    """Whether the first click on a row only looks at its token, and the next one opens it."""

    @dataclass
    class Pointed(Message):
        """The cursor is on this token now; `None` if there is none."""

        token: int | None

    @dataclass
    class Found(Message):
        """The rows have changed. `complete`: no more will be found. `problem`: of the search.

        `spelled` is what the search says if it is GPT-2's spelling.
        """

        shown: int
        of: int
        complete: bool = True
        problem: str | None = None
        spelled: bytes | None = None

    def __init__(self, id: str, sorting: str, descending: bool) -> None:
        super().__init__("", id=id)
        self.sorting, self.descending = sorting, descending
        self.filters: frozenset[str] = frozenset()
        self.places: Sequence[Place] = ()
        self._order: Ints = np.zeros(0, dtype=np.int64)
        self._chosen: int | None = None

    # -- what a subclass says: an entry of `_order` is a row of the tables that its frame has

    def token_at(self, frame: FrameT, entry: int) -> int:
        """The token of an entry."""
        raise NotImplementedError

    def entry_of(self, frame: FrameT, token: int) -> int | None:
        """The entry of a token; `None` if it is not there."""
        raise NotImplementedError

    def read_search(self, typed: str) -> None:
        """Take over what to search for."""
        raise NotImplementedError

    def cells(self, frame: FrameT, entry: int) -> Callable[[str], list[Span]]:
        """What gives the cell of a row in each column, by the column's name."""
        raise NotImplementedError

    def target_of(self, frame: FrameT, entry: int) -> object | None:
        """Where a row leads."""
        raise NotImplementedError

    # -- which rows

    @property
    def is_seen(self) -> bool:
        """Whether there is a frame to show, and room for it."""
        return self.frame is not None and self.display and bool(self.size.width)

    def fit_columns(self) -> None:
        """Choose the columns that there is room for."""
        self.places = arranged(self.COLUMNS, self.room - 1)  # a blank before the scrollbar

    def show_order(self, found: Found) -> None:
        """Paint the rows of a new `_order`, and tell what was found."""
        Lines.rebuild(self)
        self._keep_to_chosen()
        self._tell()
        self.post_message(found)

    def search(self, typed: str) -> None:
        """Leave only what matches; the first match is the one to look at."""
        self.read_search(typed)
        self._chosen = None
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    # -- the cursor

    @property
    def token(self) -> int | None:
        """The token that the cursor is on."""
        if self.frame is None or self.cursor >= len(self._order):
            return None
        return self.token_at(self.frame, int(self._order[self.cursor]))

    def show_token(self, token: int) -> bool:
        """Put the cursor on a token; `False` if it is not among the rows."""
        if self.frame is not None and self.entry_of(self.frame, token) is not None:
            self._chosen = token
        self._keep_to_chosen()
        self._tell()
        return self.token == token

    def _keep_to_chosen(self) -> None:
        if self.frame is None or self._chosen is None or self._chosen == self.token:
            return
        entry = self.entry_of(self.frame, self._chosen)
        rows = [] if entry is None else np.flatnonzero(self._order == entry).tolist()
        if rows:
            self.cursor = rows[0]
            self.scroll_to_row(self.cursor)

    def choose_token(self) -> None:
        self._chosen = self.token
        self._tell()

    def _tell(self) -> None:
        # Whatever had the rows changed, they are the sender: a message from a widget that holds
        # its sender would not rise above that widget.
        self.post_message(self.Pointed(self.token).set_sender(self))

    def action_move(self, by: int) -> None:
        super().action_move(by)
        self.choose_token()

    def on_click(self, event: events.Click) -> None:
        """Look at the token of a row; a click on the row that is looked at opens it."""
        if not self.CLICK_LOOKS:
            return
        event.prevent_default()
        index = self.row_at(event)
        if index == self.cursor:
            self.action_choose()
        elif index is not None:
            self.cursor = index
            self.choose_token()

    # -- painting

    @property
    def row_count(self) -> int:
        return 0 if self.frame is None else max(len(self._order), 1)

    def row(self, index: int) -> Row:
        frame = self.frame
        assert frame is not None
        if not len(self._order):
            return Row([(f"No {self.TOKEN} is left: change the search or the filters.", "dim")])
        entry = int(self._order[index])
        cell_in = self.cells(frame, entry)
        spans: list[Span] = []
        for place in self.places:
            cell = cell_in(place.column.name)
            if place.column.is_number:
                spans += right_aligned(cell, place.cells)
            else:
                spans += left(cell, place.cells)
            spans.append((" " * GAP, ""))
        return Row(spans, self.target_of(frame, entry))


class VocabularyTable(SortedTable):
    """A field to search in, switches for the filters, and the rows under their header."""

    ROWS: ClassVar[type[VocabularyRows[Any]]]
    SWITCHES: ClassVar[tuple[Switch, ...]] = ()
    LARGEST_FIRST: ClassVar[frozenset[str]]
    """Columns of which the largest numbers are the interesting ones."""
    TOP, SEARCH, HEADER = "table-top", "search", "table-header"
    """Ids of what stands above the rows."""
    PLACEHOLDER: ClassVar[str] = "/ search"

    frame: reactive[Any] = reactive(None)

    def compose(self) -> ComposeResult:
        # The rows come first, so that they are what Tab and Esc lead to.
        yield self.ROWS().data_bind(frame=VocabularyTable.frame)  # type: ignore[call-arg]
        with Vertical(id=self.TOP):
            yield Field(placeholder=self.PLACEHOLDER, id=self.SEARCH, compact=True)
            if self.SWITCHES:
                yield Switches(self.SWITCHES, id="filters")
            yield Header(id=self.HEADER)

    @property
    def rows(self) -> VocabularyRows[Any]:
        return self.query_one(VocabularyRows)

    def is_descending(self, column: str) -> bool:
        return column in self.LARGEST_FIRST

    # -- what is left out

    def on_switches_pressed(self, event: Switches.Pressed) -> None:
        event.stop()
        self.toggle_filter(event.name)

    def toggle_filter(self, name: str) -> None:
        self._filter(self.rows.filters ^ {name})
        self.rows.rebuild()

    def _filter(self, names: frozenset[str]) -> None:
        self.rows.filters = names
        for switches in self.query(Switches):
            switches.on = names

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.rows.search(event.value)

    def show_token(self, token: int) -> None:
        """Put the cursor on a token; if filters or search hide it, they go."""
        if not self.rows.show_token(token):
            self._filter(frozenset())
            with self.prevent(Input.Changed):
                self.query_one(Input).value = ""
            self.rows.search("")
            self.rows.show_token(token)

    # -- what the border says

    def describe(self, found: VocabularyRows.Found) -> None:
        """Say in the border how many rows there are."""
        raise NotImplementedError

    def say_foot(self, foot: str) -> None:
        """Say so much of a foot as there is room for."""
        room = self.outer_size.width - BORDER_CELLS
        self.border_subtitle = Content(leading_parts(room, foot))

    def on_vocabulary_rows_found(self, event: VocabularyRows.Found) -> None:
        header = self.query_one(Header)
        header.places = self.rows.places
        header.sorting, header.descending = self.rows.sorting, self.rows.descending
        self.describe(event)


class TableScreen(SessionScreen):
    """The tokens of the timeline's step in a table; beside it the one under the cursor.

    The table is the first panel of `PANEL_ORDER`. Esc goes back on the trail of tokens that rows
    have led along.
    """

    def __init__(self) -> None:
        super().__init__()
        self._trail: list[int] = []

    # -- what a subclass says

    @abstractmethod
    def has_token(self, frame: Any, token: int) -> bool:
        """Whether a token is there at a step."""

    @abstractmethod
    def look_at(self, token: int | None) -> None:
        """Show what there is to be seen of the token under the cursor."""

    @abstractmethod
    def token_named_by(self, target: object) -> int | None:
        """The token that a row leads to; `None` if it leads elsewhere."""

    # -- state in

    def on_mount(self) -> None:
        self.show_panel(self.PANEL_ORDER[0])

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        self._trail = [token for token in self._trail if self.has_token(frame, token)]
        self.say("#heading", self.heading(session, self.size.width - 2))

    # -- the token under the cursor

    @property
    def table(self) -> VocabularyTable:
        return self.query_one(VocabularyTable)

    def on_vocabulary_rows_pointed(self, event: VocabularyRows.Pointed) -> None:
        event.stop()
        self.look_at(event.token)

    def show_target(self, target: object) -> None:
        """Put the table's cursor on a token."""
        token = self.token_named_by(target)
        if token is not None:
            self.table.show_token(token)
            self.show_keys()

    def follow(self, target: object) -> None:
        """Go where a row leads; the token that it leads away from is kept for Esc."""
        token, before = self.token_named_by(target), self.table.rows.token
        if token is None:
            super().follow(target)
            return
        if before is not None and before != token:
            self._trail.append(before)
        self.show_target(target)

    # -- commands

    @property
    def way_back(self) -> bool:
        return bool(self._trail) or super().way_back

    def action_go_back(self) -> None:
        if self._trail:
            self.table.show_token(self._trail.pop())
            self.show_keys()
        else:
            super().action_go_back()

    def action_search(self) -> None:
        if self.zoomed != self.PANEL_ORDER[0]:
            self.zoomed = None
        self.set_focus(self.table.query_one(Input))

    def enter(self, field: Input) -> None:
        """Enter in the field goes to what was found."""
        self.show_panel(self.PANEL_ORDER[0])

    def action_sort(self) -> None:
        self.table.sort_by_next()

    def action_reverse(self) -> None:
        self.table.reverse()

    def action_filter(self, name: str) -> None:
        self.table.toggle_filter(name)
