"""Which tokens are there? The rows of the vocabulary table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import ClassVar

import numpy as np
from textual import events
from textual.message import Message

from bpe_tui.views.panel import FramePanel, TokenPainter, TokenPanel, ToStep
from bpe_tui.widgets.numbers import number, short_number
from bpe_tui.widgets.rows import Row, Span, left, right
from bpe_tui.widgets.virtual_table import GAP, Column, Place, arranged
from engine.core.arrays import Ints
from engine.core.errors import QueryError
from engine.recording.merge_frame import AnyMergeFrame
from engine.recording.vocabulary import Query, Vocabulary

TOKEN_COLUMNS = (
    Column("id", "id", 7, 9, is_number=True),
    Column("text", "text", 12, 10, share=3),
    Column("bytes", "bytes", 8, 2, share=1),
    Column("length", "len", 4, 5, is_number=True),
    Column("rank", "rank", 7, 7, is_number=True),
    Column("count", "count", 9, 8, is_number=True),
    Column("parents", "parents", 12, 4, share=2),
    Column("children", "built on", 9, 6, is_number=True),
)
SLICE_SECONDS = 0.01
"""How long a search may hold the screen before other things have their turn."""
NOBODY_COUNTS = "–"


Cell = Callable[[Vocabulary, TokenPainter, int], list[Span]]
"""What stands in a column for a token."""


def _number_or_none(value: int | None) -> list[Span]:
    if value is None:
        return [(NOBODY_COUNTS, "dim")]
    return [(number(value) if value < 10**7 else short_number(value), "")]


def _parents(vocabulary: Vocabulary, painter: TokenPainter, token_id: int) -> list[Span]:
    pair = vocabulary.parents_of(token_id)
    return painter.pair(pair, between=" + ") if pair else [("", "")]


def _children(vocabulary: Vocabulary, painter: TokenPainter, token_id: int) -> list[Span]:
    children = int(vocabulary.children[vocabulary.row_of(token_id)])
    return [(number(children), "" if children else "dim")]


CELLS: dict[str, Cell] = {
    "id": lambda vocabulary, painter, token_id: [(number(token_id), "dim")],
    "text": lambda vocabulary, painter, token_id: [painter.token(token_id)],
    "bytes": lambda vocabulary, painter, token_id: [
        (vocabulary.token(token_id)[:64].hex(" ").upper(), "dim")
    ],
    "length": lambda vocabulary, painter, token_id: [(number(vocabulary.length_of(token_id)), "")],
    "rank": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.rank_of(token_id)),
    "count": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.count_of(token_id)),
    "parents": _parents,
    "children": _children,
}


class TokenRows(TokenPanel[AnyMergeFrame]):
    """The tokens of the frame that the filters and the query leave, in the order of a column.

    A search goes through the tokens in the order shown and in slices: the rows in sight are there
    at once, and the end of a long search follows while the screen goes on. When the rows about it
    change, the cursor keeps to the token that the reader chose.
    """

    WIDEST = 150

    COLUMNS: ClassVar[tuple[Column, ...]] = TOKEN_COLUMNS
    CELLS: ClassVar[Mapping[str, Cell]] = CELLS

    class Pointed(Message):
        """The cursor is on this token now; `None` if there is none."""

        def __init__(self, token_id: int | None) -> None:
            super().__init__()
            self.token_id = token_id

    class Found(Message):
        """The rows have changed. `complete`: no more will be found."""

        def __init__(self, shown: int, of: int, complete: bool, problem: str | None) -> None:
            super().__init__()
            self.shown, self.of = shown, of
            self.complete, self.problem = complete, problem

    def __init__(self) -> None:
        super().__init__("", id="token-rows")
        self.sorting, self.descending = "id", False
        self.filters: frozenset[str] = frozenset()
        self.query_of_reader = Query("")
        self.places: Sequence[Place] = ()
        self._order: Ints = np.zeros(0, dtype=np.int64)
        self._searching: Iterator[Ints] | None = None
        self._complete = False
        self._chosen_id: int | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        frame: AnyMergeFrame = self.frame
        return frame.vocabulary

    # -- which rows, in which order

    def rebuild(self) -> None:
        if self.frame is None or not self.display or not self.size.width:
            # When they are seen again, there may be fewer tokens.
            self._order, self._searching, self._complete = self._order[:0], None, False
            return
        self.places = arranged(self.COLUMNS, self.room - 1)  # a blank before the scrollbar
        rows = self.vocabulary.rows(
            filters=self.filters, sort=self.sorting, reverse=self.descending
        )
        self._order = rows[:0]
        self._searching = self.vocabulary.search(self.query_of_reader, rows)
        self._search_on(self._searching)

    def _search_on(self, searching: Iterator[Ints]) -> None:
        """One slice of a search, unless another one has begun since."""
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
            self.query_of_reader = self.query_of_reader.as_plain_text(str(error))
            self.rebuild()
            return
        self._order = np.concatenate(found)
        self._show(complete)
        if not complete:
            self.call_later(self._search_on, searching)

    def _show(self, complete: bool) -> None:
        self._complete = complete
        super(FramePanel, self).rebuild()
        self._keep_to_chosen()
        self._tell()
        problem = self.query_of_reader.problem
        self.post_message(self.Found(len(self._order), len(self.vocabulary), complete, problem))

    def _keep_to_chosen(self) -> None:
        if self.frame is None or self._chosen_id in (None, self.token_id):
            return
        places = np.flatnonzero(self.vocabulary.table.ids[self._order] == self._chosen_id)
        if len(places):
            self.cursor = int(places[0])
            self.scroll_to_row(self.cursor)

    def search(self, typed: str) -> None:
        """Leave only what matches; the first match is the one to look at."""
        self.query_of_reader = Query.read(typed)
        self._chosen_id = None
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def show_token(self, token_id: int) -> bool:
        """Put the cursor on a token; `False` if it is not among the rows."""
        self._chosen_id = token_id
        self._keep_to_chosen()
        self._tell()
        return self.token_id == token_id

    # -- the cursor

    @property
    def token_id(self) -> int | None:
        """The token that the cursor is on."""
        if self.frame is None or self.cursor >= len(self._order):
            return None
        return self.vocabulary.id_of(int(self._order[self.cursor]))

    def _tell(self) -> None:
        # Whatever had the rows changed, they are the sender: a message from a widget that holds
        # its sender would not rise above that widget.
        self.post_message(self.Pointed(self.token_id).set_sender(self))

    def action_move(self, by: int) -> None:
        super().action_move(by)
        self._choose_token()

    def _choose_token(self) -> None:
        self._chosen_id = self.token_id
        self._tell()

    def on_click(self, event: events.Click) -> None:
        """The first click on a row looks at its token, the next one opens it."""
        event.prevent_default()
        offset = event.get_content_offset(self)
        index = -1 if offset is None else offset.y + self.scroll_offset.y
        if index == self.cursor:
            self.action_choose()
        elif 0 <= index < self.row_count:
            self.cursor = index
            self._choose_token()

    # -- painting

    @property
    def row_count(self) -> int:
        return len(self._order) or (1 if self._complete else 0)

    def row(self, index: int) -> Row:
        assert self.frame is not None
        if not len(self._order):
            return Row([(f"No {self.TOKEN} is left: change the search or the filters.", "dim")])
        token_id = self.vocabulary.id_of(int(self._order[index]))
        painter = self.painter(self.frame)
        spans: list[Span] = []
        for place in self.places:
            cell = self.CELLS[place.column.name](self.vocabulary, painter, token_id)
            if place.column.is_number:
                spans.append(right("".join(text for text, _ in cell), place.cells, cell[0][1]))
            else:
                spans += left(cell, place.cells)
            spans.append((" " * GAP, ""))
        rank = self.vocabulary.rank_of(token_id)
        return Row(spans, None if rank is None else ToStep(rank + 1))
