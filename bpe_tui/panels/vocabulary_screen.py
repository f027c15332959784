"""The table of all tokens, with a search, filters and an order, and the screen around it.

Every model has such a table, of tokens or of pieces. A subclass of `VocabularyRows` makes the rows,
one of `VocabularyTable` names the filters, and one of `VocabularyScreen` shows the token under the
cursor. An integer means a token: its id, or its place in a seed. `token_table` has the subclasses
for models that merge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from textual import events
from textual.app import ComposeResult
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.panels.token_detail import MergeTreePanel
from bpe_tui.session.declarations import Command
from bpe_tui.session.host import Host
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import BORDER_CELLS, FramePanel, FrameT
from bpe_tui.shell.screen_panels import Spot
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.shell.targets import ToToken
from bpe_tui.styles import sheet
from bpe_tui.widgets.controls import FilterSwitch, Switches
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import ColumnPlace, Row, arranged_row
from bpe_tui.widgets.virtual_table import Header, SortedTable
from bpe_tui.widgets.visible import shorten
from bpe_tui.words.narration import leading_parts
from engine.core.arrays import Ints


class VocabularyRows(FramePanel[FrameT]):
    """The tokens of the frame that pass the filters and the search, sorted by a column.

    When the rows change, the cursor stays on the token that the reader chose.
    """

    KEEPS_CURSOR = True
    TOKEN: ClassVar[str] = "token"
    """The model's word for a token."""

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
    """Title of the sorted column."""
    descending = False
    filters: frozenset[str] = frozenset()
    places: Sequence[ColumnPlace] = ()
    """The columns that fit."""
    coming: object | None = None
    """The target of the row that is shown if none is left: a later step that has what is sought."""
    _order: Ints = np.zeros(0, dtype=np.int64)
    """The entry of each row."""
    _chosen: int | None = None
    """The token that the reader chose."""
    _spot: tuple[int, int] | None = None
    """The cursor and the first row in sight before a search of several slices."""

    # -- what a subclass defines; an entry of `_order` is a row of the frame's tables

    def token_at(self, frame: FrameT, entry: int) -> int:
        """Return the token of an entry."""
        raise NotImplementedError

    def entry_of(self, frame: FrameT, token: int) -> int | None:
        """Return the entry of a token; `None` if the frame lacks the token."""
        raise NotImplementedError

    def value_of(self, frame: FrameT, entry: int) -> tuple[Any, object | None]:
        """Return the value of an entry, which the columns draw, and the target of its row."""
        raise NotImplementedError

    # -- which rows

    @property
    def is_seen(self) -> bool:
        """Whether there is a frame to show, and room for it."""
        return self.frame is not None and self.display and bool(self.size.width)

    def show_order(self, found: Found) -> None:
        """Show the rows of a new `_order`, and post `found`."""
        Lines.rebuild(self)
        if found.complete and self._spot is not None:  # there were fewer rows until now
            (row, top), self._spot = self._spot, None
            self.cursor = min(row, self.row_count - 1)
            self.scroll_to(y=top, animate=False, immediate=True)
        self._keep_to_chosen()
        self._post_pointed()
        self.post_message(found)

    def search(self, typed: str) -> None:
        """Show only the tokens that match, with the cursor on the first. A subclass reads it."""
        self._chosen = self._spot = None
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
        self._chosen, self._spot = self.token, None
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
        """Select the clicked row; nothing in it is asked about."""
        event.prevent_default()
        if (index := self.row_at(event)) is not None:
            self.click_row(index)
            self.choose_token()

    # -- painting

    def why_none(self, frame: FrameT) -> str:
        """Return the sentence that is shown if no row is left."""
        return tr("No {token} is left: change the search or the filters.", token=tr(self.TOKEN))

    @property
    def row_count(self) -> int:
        return 0 if self.frame is None else max(len(self._order), 1)

    def row(self, index: int) -> Row:
        frame = self.frame
        assert frame is not None
        if not len(self._order):
            return Row([(shorten(self.why_none(frame), self.room), "dim")], self.coming)
        value, target = self.value_of(frame, int(self._order[index]))
        return arranged_row(self.places, lambda column: column.draw(value), target)


class VocabularyTable(SortedTable):
    """A search field, switches for the filters, and the rows under their header."""

    ROWS: ClassVar[type[VocabularyRows[Any]]]
    SWITCHES: ClassVar[tuple[FilterSwitch, ...]] = ()
    PLACEHOLDER: ClassVar[str] = "/ search"
    """Text of the empty search field; "" for a table without one."""

    frame: reactive[Any] = reactive(None)

    def compose(self) -> ComposeResult:
        # The rows come first, so that Tab and Esc lead to them.
        yield self.ROWS(id="token-rows").data_bind(frame=VocabularyTable.frame)
        with Vertical(id="table-top"):
            if self.PLACEHOLDER:
                yield Field(placeholder=self.PLACEHOLDER, id="search", compact=True)
            if self.SWITCHES:
                yield Switches(self.SWITCHES, id="filters")
            yield Header(id="table-header")

    def on_mount(self) -> None:
        orders, usual = self.host.table_orders, (self.rows.sorting, self.rows.descending)
        self.rows.sorting, self.rows.descending = orders.get(self.screen.id, usual)

    @property
    def host(self) -> Host:
        return cast("Host", self.app)

    @property
    def rows(self) -> VocabularyRows[Any]:
        return self.query_one(VocabularyRows)

    # -- filters and search

    def on_switches_pressed(self, event: Switches.Pressed) -> None:
        self.toggle_filter(event.name)

    def toggle_filter(self, name: str) -> None:
        self._filter(self.rows.filters ^ {name})
        self.rows.rebuild()

    def _filter(self, names: frozenset[str]) -> None:
        self.rows.filters = names
        for switches in self.query(Switches):
            switches.on = names

    def on_input_changed(self, event: Input.Changed) -> None:
        self.rows.search(event.value)

    def show_token(self, token: int) -> None:
        """Move the cursor to a token; if filters or the search hide it, clear them."""
        if not self.rows.show_token(token):
            self._filter(frozenset())
            with self.prevent(Input.Changed):
                for field in self.query(Input):
                    field.value = ""
            self.rows.search("")
            self.rows.show_token(token)

    # -- the border

    def describe(self, found: VocabularyRows.Found) -> str:
        """Show the number of rows in the border, and return the text of the lower border."""
        raise NotImplementedError

    def on_vocabulary_rows_found(self, event: VocabularyRows.Found) -> None:
        for field in self.query(Field):
            field.placeholder = tr(self.PLACEHOLDER)
        header = self.query_one(Header)
        header.places = self.rows.places
        order = header.sorting, header.descending = self.rows.sorting, self.rows.descending
        self.host.table_orders[self.screen.id] = order
        room = self.outer_size.width - BORDER_CELLS
        self.border_subtitle = Content(leading_parts(room, self.describe(event)))


class VocabularyScreen(SessionScreen):
    """The table of the tokens at a step, with panels about the token under the cursor.

    The table is the first panel of `PANEL_ORDER`.
    """

    TABLE: ClassVar[type[VocabularyTable]]
    BESIDE: ClassVar[tuple[type[Any], ...]] = (MergeTreePanel,)
    """The classes of the panels beside the table; with little room, they are below it."""
    CSS_PATH = sheet("vocabulary.tcss")
    PANEL_ORDER: ClassVar[tuple[str, ...]] = ("tokens", "tree")
    FOLLOWS_FIRST = True
    ZOOMS_IN_LESSONS = True

    _search_from: Any = None
    """The place at which a search began."""

    # -- what the screen of a model without merges overrides

    def look_at(self, token: int | None) -> None:
        """Show the token under the cursor in the other panel."""
        self.query_one(MergeTreePanel).token_id = token

    def token_named_by(self, target: object) -> int | None:
        """Return the token that a row leads to; `None` if it leads elsewhere."""
        return target.token_id if isinstance(target, ToToken) else None

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield self.TABLE(id="tokens").data_bind(frame=SessionScreen.frame)
            with Vertical(id="about"):
                for panel in self.BESIDE:
                    yield panel().data_bind(frame=SessionScreen.frame)

    # -- state in

    def show_session(self, session: Session) -> None:
        super().show_session(session)
        if self.shows(session):
            self.show_heading()

    # -- the token under the cursor

    @property
    def table(self) -> VocabularyTable:
        return self.query_one(VocabularyTable)

    def on_vocabulary_rows_pointed(self, event: VocabularyRows.Pointed) -> None:
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

    def action_type(self) -> None:
        if self.zoomed != self.PANEL_ORDER[0]:
            self.zoomed = None
        self._search_from = self.host.navigation.here()
        self.set_focus(self.table.query_one(Input))

    def enter(self, field: Input) -> None:
        """Move the focus from the search field to the rows, or go to the step that has it."""
        with self.host.navigation.jump(self._search_from):
            self.show_panel(self.PANEL_ORDER[0])
        if self.table.rows.coming is not None:
            self.table.rows.action_choose()

    def action_sort(self) -> None:
        self.table.sort_by_next()

    def action_reverse(self) -> None:
        self.table.reverse()

    def is_switched_on(self, command: Command) -> bool:
        return any(f"({name!r})" in command.action for name in self.table.rows.filters)

    def action_filter(self, name: str) -> None:
        self.table.toggle_filter(name)

    def action_why(self) -> None:
        """Explain the token under the cursor, or what was typed to search."""
        token, fields = self.table.rows.token, self.table.query(Field)
        typed = "" if token is not None or not fields else fields.first().value
        self.host.navigation.ask(() if token is None else (token,), typed)
