"""The table of all tokens, with a search, filters and an order, and the screen around it.

Every model has such a table, of tokens or of pieces. A subclass of `VocabularyRows` makes the rows,
one of `VocabularyTable` names the filters, and one of `TableScreen` shows the token under the
cursor. An integer means a token: its id, or its place in a seed. `VocabularyScreen` and the classes
before it are for models that merge.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.narration import leading_parts
from bpe_tui.views.panel import BORDER_CELLS, FramePanel, FrameT, TokenPainter
from bpe_tui.views.panel_screen import Spot
from bpe_tui.views.session_screen import SessionScreen
from bpe_tui.views.targets import ToStep, ToToken
from bpe_tui.views.token_detail import LanesPanel, MergeTreePanel
from bpe_tui.widgets.controls import FilterSwitch, Switches
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, short_number
from bpe_tui.widgets.rows import NameSpans, Row, Span, left, right_aligned
from bpe_tui.widgets.virtual_table import GAP, Column, ColumnPlace, Header, SortedTable, arranged
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.core.arrays import Ints
from engine.core.errors import QueryError
from engine.recording.playback import AnyMergeFrame
from engine.recording.vocabulary import Query, Vocabulary

CellOfColumn = Callable[[str], list[Span]]


class VocabularyRows(FramePanel[FrameT]):
    """The tokens of the frame that pass the filters and the search, sorted by a column.

    When the rows change, the cursor stays on the token that the reader chose.
    """

    KEEPS_CURSOR = True
    TOKEN: ClassVar[str] = "token"
    """The model's word for a token."""
    COLUMNS: ClassVar[tuple[Column, ...]]
    CLICK_LOOKS: ClassVar[bool] = True
    """Whether the first click on a row only selects its token, and the next one opens it."""

    @dataclass
    class Pointed(Message):
        """The cursor is now on this token; `None` if there is none."""

        token: int | None

    @dataclass
    class Found(Message):
        """The rows have changed.

        Attributes:
            shown: number of rows.
            of: number of tokens.
            complete: whether the search has ended.
            problem: why the search is no regular expression, if it is none.
            spelled: the bytes of the search if it is in GPT-2's spelling.
        """

        shown: int
        of: int
        complete: bool = True
        problem: str | None = None
        spelled: bytes | None = None

    sorting = "id"
    """Name of the sorted column."""
    descending = False
    filters: frozenset[str] = frozenset()
    places: Sequence[ColumnPlace] = ()
    """The columns that fit."""
    _order: Ints = np.zeros(0, dtype=np.int64)
    """The entry of each row."""
    _chosen: int | None = None
    """The token that the reader chose."""

    # -- what a subclass defines; an entry of `_order` is a row of the frame's tables

    def token_at(self, frame: FrameT, entry: int) -> int:
        """Return the token of an entry."""
        raise NotImplementedError

    def entry_of(self, frame: FrameT, token: int) -> int | None:
        """Return the entry of a token; `None` if the frame lacks the token."""
        raise NotImplementedError

    def draw_entry(self, frame: FrameT, entry: int) -> tuple[CellOfColumn, object | None]:
        """Return a function from a column's name to the entry's cell in it, and the target."""
        raise NotImplementedError

    # -- which rows

    @property
    def is_seen(self) -> bool:
        """Whether there is a frame to show, and room for it."""
        return self.frame is not None and self.display and bool(self.size.width)

    def show_order(self, found: Found) -> None:
        """Show the rows of a new `_order`, and post `found`."""
        Lines.rebuild(self)
        self._keep_to_chosen()
        self._post_pointed()
        self.post_message(found)

    def search(self, typed: str) -> None:
        """Show only the tokens that match, with the cursor on the first. A subclass reads it."""
        self._chosen = None
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    # -- the cursor

    @property
    def token(self) -> int | None:
        """The token under the cursor."""
        if self.frame is None or self.cursor >= len(self._order):
            return None
        return self.token_at(self.frame, int(self._order[self.cursor]))

    def show_token(self, token: int) -> bool:
        """Move the cursor to a token; return `False` if no row shows it."""
        if self.frame is not None and self.entry_of(self.frame, token) is not None:
            self._chosen = token
        self._keep_to_chosen()
        self._post_pointed()
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
        self._post_pointed()

    def _post_pointed(self) -> None:
        # The rows are the sender, whatever changed them: a message does not bubble above a widget
        # that contains its sender.
        self.post_message(self.Pointed(self.token).set_sender(self))

    def action_move(self, by: int) -> None:
        super().action_move(by)
        self.choose_token()

    def put_cursor(self, row: int, top: int) -> None:
        super().put_cursor(row, top)
        self.choose_token()

    def on_click(self, event: events.Click) -> None:
        """Select the clicked row; a click on the selected row opens its token."""
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
        cell_in, target = self.draw_entry(frame, entry)
        spans: list[Span] = []
        for place in self.places:
            cell = cell_in(place.column.name)
            if place.column.is_number:
                spans += right_aligned(cell, place.cells)
            else:
                spans += left(cell, place.cells)
            spans.append((" " * GAP, ""))
        return Row(spans, target)


class VocabularyTable(SortedTable):
    """A search field, switches for the filters, and the rows under their header."""

    ROWS: ClassVar[type[VocabularyRows[Any]]]
    SWITCHES: ClassVar[tuple[FilterSwitch, ...]] = ()
    TOP, SEARCH, HEADER, LIST = "table-top", "search", "table-header", "token-rows"
    """Ids of the widgets above the rows, and of the rows."""
    PLACEHOLDER: ClassVar[str] = "/ search"

    frame: reactive[Any] = reactive(None)

    def compose(self) -> ComposeResult:
        # The rows come first, so that Tab and Esc lead to them.
        yield self.ROWS(id=self.LIST).data_bind(frame=VocabularyTable.frame)
        with Vertical(id=self.TOP):
            yield Field(placeholder=self.PLACEHOLDER, id=self.SEARCH, compact=True)
            if self.SWITCHES:
                yield Switches(self.SWITCHES, id="filters")
            yield Header(id=self.HEADER)

    @property
    def rows(self) -> VocabularyRows[Any]:
        return self.query_one(VocabularyRows)

    # -- filters and search

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
        """Move the cursor to a token; if filters or the search hide it, clear them."""
        if not self.rows.show_token(token):
            self._filter(frozenset())
            with self.prevent(Input.Changed):
                self.query_one(Input).value = ""
            self.rows.search("")
            self.rows.show_token(token)

    # -- the border

    def describe(self, found: VocabularyRows.Found) -> str:
        """Show the number of rows in the border, and return the text of the lower border."""
        raise NotImplementedError

    def on_vocabulary_rows_found(self, event: VocabularyRows.Found) -> None:
        header = self.query_one(Header)
        header.places = self.rows.places
        header.sorting, header.descending = self.rows.sorting, self.rows.descending
        room = self.outer_size.width - BORDER_CELLS
        self.border_subtitle = Content(leading_parts(room, self.describe(event)))


class TableScreen(SessionScreen):
    """The table of the tokens at a step, with panels about the token under the cursor.

    The table is the first panel of `PANEL_ORDER`.
    """

    _search_from: Any = None
    """The place at which a search began."""

    # -- what a subclass defines

    @abstractmethod
    def look_at(self, token: int | None) -> None:
        """Show the token under the cursor in the other panels."""

    @abstractmethod
    def token_named_by(self, target: object) -> int | None:
        """Return the token that a row leads to; `None` if it leads elsewhere."""

    # -- state in

    def on_mount(self) -> None:
        self.show_panel(self.PANEL_ORDER[0])

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        self.say("#heading", self.heading(session, self.heading_room))

    # -- the token under the cursor

    @property
    def table(self) -> VocabularyTable:
        return self.query_one(VocabularyTable)

    def on_vocabulary_rows_pointed(self, event: VocabularyRows.Pointed) -> None:
        event.stop()
        self.look_at(event.token)

    def show_target(self, target: object) -> None:
        """Move the table's cursor to a token."""
        token = self.token_named_by(target)
        if token is not None:
            self.table.show_token(token)
            self.show_keys()

    def return_to(self, spot: Spot) -> None:
        super().return_to(spot)
        self.look_at(self.table.rows.token)
        super().return_to(spot)  # now the other panels have their rows

    def follow(self, target: object) -> None:
        if self.token_named_by(target) is None:
            super().follow(target)
        else:
            self.show_target(target)

    # -- commands

    def action_search(self) -> None:
        if self.zoomed != self.PANEL_ORDER[0]:
            self.zoomed = None
        self._search_from = self.host.navigation.here()
        self.set_focus(self.table.query_one(Input))

    def enter(self, field: Input) -> None:
        """Move the focus from the search field to the rows; Esc leads back to the row before."""
        with self.host.navigation.jump(self._search_from):
            self.show_panel(self.PANEL_ORDER[0])

    def action_sort(self) -> None:
        self.table.sort_by_next()

    def action_reverse(self) -> None:
        self.table.reverse()

    def action_filter(self, name: str) -> None:
        self.table.toggle_filter(name)


TOKEN_COLUMNS = (
    Column("id", "id", 7, 9, is_number=True),
    Column("text", "text", 12, 10, share=3),
    Column("bytes", "bytes", 17, 2, share=1),
    Column("length", "len", 4, 5, is_number=True),
    Column("rank", "rank", 7, 7, is_number=True),
    Column("count", "count", 9, 8, is_number=True),
    Column("parents", "parents", 12, 4, share=2),
    Column("children", "built on", 9, 6, is_number=True),
)
SLICE_SECONDS = 0.01
"""Seconds that a search may take at a time, so that the screen stays responsive."""
NOT_COUNTED = "–"

Cell = Callable[[Vocabulary, TokenPainter, int], list[Span]]
"""Draws a token's cell in a column."""


def _number_or_none(value: int | None) -> list[Span]:
    if value is None:
        return [(NOT_COUNTED, "dim")]
    return [(number(value) if value < 10**7 else short_number(value), "")]


def _children(vocabulary: Vocabulary, painter: TokenPainter, token_id: int) -> list[Span]:
    children = int(vocabulary.children[vocabulary.row_of(token_id)])
    return [(number(children), "" if children else "dim")]


CELLS: dict[str, Cell] = {
    "id": lambda vocabulary, painter, token_id: [(number(token_id), "dim")],
    "text": lambda vocabulary, painter, token_id: NameSpans([painter.token(token_id)]),
    "bytes": lambda vocabulary, painter, token_id: [
        (vocabulary.token(token_id)[:64].hex(" ").upper(), "dim")
    ],
    "length": lambda vocabulary, painter, token_id: [(number(vocabulary.length_of(token_id)), "")],
    "rank": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.rank_of(token_id)),
    "count": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.count_of(token_id)),
    "parents": lambda vocabulary, painter, token_id: (
        painter.pair(pair, between=" + ")
        if (pair := vocabulary.parents_of(token_id)) is not None
        else [("", "")]
    ),
    "children": _children,
}

FILTER_SWITCHES = (
    FilterSwitch("partial", "p", "partial UTF-8"),
    FilterSwitch("unused", "u", "unused"),
    FilterSwitch("unreachable", "d", "unreachable"),
    FilterSwitch("twins", "W", "twins"),
)


class TokenRows(VocabularyRows[AnyMergeFrame]):
    """The rows of the tokens. An entry is a row of the frame's `Vocabulary`.

    A search goes through the tokens in the order shown, in slices: the visible rows appear at
    once, and a long search continues while the screen stays responsive.
    """

    WIDEST = 150
    COLUMNS = TOKEN_COLUMNS
    CELLS: ClassVar[Mapping[str, Cell]] = CELLS

    frame: reactive[AnyMergeFrame | None] = reactive(None, repaint=False)

    _query = Query("")
    _searching: Iterator[Ints] | None = None
    _complete = False
    _is_at_newest = False

    @property
    def vocabulary(self) -> Vocabulary:
        assert self.frame is not None
        return self.frame.vocabulary

    # -- which rows, in which order

    def search(self, typed: str) -> None:
        self._query = Query.read(typed)
        super().search(typed)

    def rebuild(self) -> None:
        if not self.is_seen:
            # There may be fewer tokens when the rows are visible again.
            self._order, self._searching, self._complete = self._order[:0], None, False
            return
        self.places = arranged(self.COLUMNS, self.room - 1)  # a blank before the scrollbar
        rows = self.vocabulary.rows(
            filters=self.filters, sort=self.sorting, reverse=self.descending
        )
        self._order = rows[:0]
        self._searching = self.vocabulary.search(self._query, rows)
        self._search_on(self._searching)

    def _keep_to_chosen(self) -> None:
        """Until the reader chooses a token, stay on the newest.

        But once the reader has searched, filtered or sorted, the cursor is on top.
        """
        is_sorted = self.sorting != "id" or self.descending
        if self._chosen is not None or self.frame is None:
            super()._keep_to_chosen()
        elif not (self._query.text or self.filters or is_sorted):
            self._chosen = self.frame.merge.new_id if self.frame.merge else None
            super()._keep_to_chosen()
            self._chosen, self._is_at_newest = None, True
        elif self._is_at_newest:
            self._is_at_newest = False
            self.cursor = 0
            self.scroll_to(y=0, animate=False, immediate=True)

    def _search_on(self, searching: Iterator[Ints]) -> None:
        """Run a slice of a search, unless another search has begun since."""
        if searching is not self._searching:
            return
        until = perf_counter() + SLICE_SECONDS
        found = [self._order]
        complete = False
        try:
            while perf_counter() < until and not complete:
                batch = next(searching, None)
                complete = batch is None
                found += [] if batch is None else [batch]
        except QueryError as error:
            self._query = Query(self._query.text, problem=str(error))
            self.rebuild()
            return
        self._order = np.concatenate(found)
        self._complete = complete
        of, problem = len(self.vocabulary), self._query.problem
        spelled = self._query.spelled if self._query.expression is None else None
        self.show_order(self.Found(len(self._order), of, complete, problem, spelled))
        if not complete:
            self.call_later(self._search_on, searching)

    # -- painting

    @property
    def row_count(self) -> int:
        return len(self._order) or (1 if self._complete else 0)

    def token_at(self, frame: AnyMergeFrame, entry: int) -> int:
        return self.vocabulary.id_of(entry)

    def entry_of(self, frame: AnyMergeFrame, token: int) -> int | None:
        return frame.vocabulary.row_of(token) if frame.has_token(token) else None

    def draw_entry(self, frame: AnyMergeFrame, entry: int) -> tuple[CellOfColumn, object | None]:
        painter = TokenPainter(frame, marks=self.app.no_color)
        vocabulary, token = self.vocabulary, self.token_at(frame, entry)
        rank = vocabulary.rank_of(token)
        target = None if rank is None else ToStep(rank + 1)
        return lambda column: self.CELLS[column](vocabulary, painter, token), target


class VocabularyPanel(VocabularyTable):
    """The table of the tokens, with its search field and filters."""

    ROWS = TokenRows
    SWITCHES: ClassVar[tuple[FilterSwitch, ...]] = FILTER_SWITCHES
    LARGEST_FIRST: ClassVar[frozenset[str]] = frozenset({"length", "count", "children"})
    PLACEHOLDER = "/ search: text or regex"
    BORDER_TITLE = "vocabulary"

    def describe(self, found: VocabularyRows.Found) -> str:
        still = "" if found.complete else " so far"
        of = f"{number(found.shown)} of {number(found.of)} {self.ROWS.TOKEN}s{still}"
        self.border_title = Content(f"vocabulary  {of}")
        if found.problem is not None:
            return f"no regex: {visible_text(found.problem, spaces=False)}; read as plain text"
        if found.spelled is not None:
            return f"GPT-2's spelling of {visible_bytes(found.spelled)}, found too"
        return "↵ to its merge · c next column · C turn it round"


class VocabularyScreen(TableScreen):
    """The table of the tokens, and the merge tree and lanes of the token under the cursor."""

    TABLE: ClassVar[type[VocabularyPanel]]
    TREE: ClassVar[type[MergeTreePanel]]
    LANES: ClassVar[type[LanesPanel]]
    CSS_PATH = sheet("vocabulary.tcss")
    PANEL_ORDER = ("tokens", "tree", "lanes")
    SLOT = ("lanes", "tree")
    HIDDEN: ClassVar[Mapping[str, str]] = {"tree": "merge tree", "lanes": "three lanes"}

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield self.TABLE(id="tokens").data_bind(frame=VocabularyScreen.frame)
            yield self.TREE().data_bind(frame=VocabularyScreen.frame)
        yield self.LANES().data_bind(frame=VocabularyScreen.frame)

    def look_at(self, token: int | None) -> None:
        self.query_one(MergeTreePanel).token_id = token
        self.query_one(LanesPanel).token_ids = () if token is None else (token,)

    def token_named_by(self, target: object) -> int | None:
        return target.token_id if isinstance(target, ToToken) else None

    def action_why(self) -> None:
        """Explain the token under the cursor, or ask for one."""
        token = self.table.rows.token
        self.host.navigation.ask(() if token is None else (token,))

    def action_fold(self) -> None:
        self.query_one(MergeTreePanel).toggle_fold()
