"""The table of the tokens of models that merge, with those of later steps, and its screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import ClassVar

import numpy as np
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.panels.vocabulary_screen import CellOfColumn, VocabularyRows, VocabularyTable
from bpe_tui.shell.panel import TokenPainter, needs_marks
from bpe_tui.shell.targets import ToStep
from bpe_tui.widgets.controls import FilterSwitch
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.rows import NameSpans, Span, without_middle
from bpe_tui.widgets.virtual_table import Column, arranged
from bpe_tui.widgets.visible import text_shown_as, visible_bytes, visible_text, width
from bpe_tui.words.narration import characters_of
from bpe_tui.words.wording import Wording
from engine.core.arrays import Ints
from engine.core.errors import QueryError
from engine.recording.playback import AnyMergeFrame
from engine.recording.vocabulary import Query, Vocabulary

TOKEN_COLUMNS: tuple[Column, ...] = (
    Column("id", "id", 7, 9, is_number=True),
    Column("text", "text", 12, 10, share=3),
    Column("bytes", "bytes", 17, 2, share=1),
    Column("length", "len", 4, 5, is_number=True),
    Column("rank", "merge", 7, 7, is_number=True),
    Column("count", "count", 9, 8, is_number=True),
    Column("parents", "parents", 12, 4, share=2),
    Column("children", "in merges", 9, 6, is_number=True),
)
SLICE_SECONDS = 0.01
"""Seconds that a search may take at a time, so that the screen stays responsive."""
NOT_COUNTED = "–"

Cell = Callable[[Vocabulary, TokenPainter, int], list[Span]]
"""Draws a token's cell in a column."""


def _merge_number(rank: int | None) -> list[Span]:
    """Return the number of a merge, from 1; a dash for a token that no merge makes."""
    return _number_or_none(None if rank is None else rank + 1)


def _number_or_none(value: int | None) -> list[Span]:
    if value is None:
        return [(NOT_COUNTED, "dim")]
    return [(number(value) if value < 10**7 else short_number(value), "")]


def _children(vocabulary: Vocabulary, painter: TokenPainter, token_id: int) -> list[Span]:
    children = int(vocabulary.children[vocabulary.row_of(token_id)])
    return [(number(children), "" if children else "dim")]


def _text(vocabulary: Vocabulary, painter: TokenPainter, token_id: int) -> list[Span]:
    """Return a token, and frequent characters that its bytes are a part of."""
    token, frame = painter.token(token_id), painter.frame
    characters = characters_of(frame, [token_id])
    return _WithCharacters(token, frame, token_id) if characters else NameSpans([token])


class _WithCharacters(NameSpans):
    """A token, then as many characters as fit that its bytes are a part of."""

    def __init__(self, token: Span, frame: AnyMergeFrame, token_id: int) -> None:
        super().__init__([token, (f" {characters_of(frame, [token_id])}", "dim")])
        self._frame, self._id = frame, token_id

    def within(self, cells: int) -> list[Span]:
        characters = characters_of(self._frame, [self._id], cells - width(self[0][0]) - 1)
        return (
            [self[0], (f" {characters}", "dim")] if characters else without_middle([self[0]], cells)
        )


CELLS: dict[str, Cell] = {
    "id": lambda vocabulary, painter, token_id: [(number(token_id), "dim")],
    "text": _text,
    "bytes": lambda vocabulary, painter, token_id: [
        (vocabulary.token(token_id)[:64].hex(" ").upper(), "dim")
    ],
    "length": lambda vocabulary, painter, token_id: [(number(vocabulary.length_of(token_id)), "")],
    "rank": lambda vocabulary, painter, token_id: _merge_number(vocabulary.rank_of(token_id)),
    "count": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.count_of(token_id)),
    "parents": lambda vocabulary, painter, token_id: (
        painter.sum(pair) if (pair := vocabulary.parents_of(token_id)) is not None else [("", "")]
    ),
    "children": _children,
}

FILTER_SWITCHES = (
    FilterSwitch("partial", "partial UTF-8"),
    FilterSwitch("unused", "unused"),
    FilterSwitch("never-encoded", "never encoded"),
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
        self._query = Query.read(text_shown_as(typed))
        super().search(typed)

    def rebuild(self) -> None:
        if not self.is_seen:
            # There may be fewer tokens when the rows are visible again.
            self._order, self._searching, self._complete = self._order[:0], None, False
            return
        self.places = arranged(self.COLUMNS, self.room)
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
        if complete:
            self._add_named()
        of, problem = len(self.vocabulary), self._query.problem
        spelled = self._query.spelled if self._query.expression is None else None
        self.show_order(self.Found(len(self._order), of, complete, problem, spelled))
        if not complete:
            self.call_later(self._search_on, searching)

    def _add_named(self) -> None:
        """Put the token of a typed id first."""
        text = self._query.text
        if self.frame is None or self.filters or not (text.isascii() and text.isdigit()):
            return
        if len(text) < 10 and self.frame.has_token(int(text)):
            row = self.vocabulary.row_of(int(text))
            self._order = np.append(row, self._order[self._order != row])

    # -- painting

    def why_none(self, frame: AnyMergeFrame) -> str:
        text = visible_text(self._query.text)
        if self.filters == {"never-encoded"} and not text:
            every = plural(len(self.vocabulary), self.TOKEN)
            return f"None: encoding can give every one of the {every}."
        if not text or self.filters:
            return super().why_none(frame)
        none = f"No {self.TOKEN} of step {number(frame.step)} has {text}"
        is_early = frame.step < frame.recorded_steps
        return f"{none}; w tells of later merges." if is_early else f"{none}."

    @property
    def row_count(self) -> int:
        return len(self._order) or int(self._complete)

    def token_at(self, frame: AnyMergeFrame, entry: int) -> int:
        return self.vocabulary.id_of(entry)

    def entry_of(self, frame: AnyMergeFrame, token: int) -> int | None:
        return frame.vocabulary.row_of(token) if frame.has_token(token) else None

    def draw_entry(self, frame: AnyMergeFrame, entry: int) -> tuple[CellOfColumn, object | None]:
        painter = TokenPainter(frame, marks=needs_marks(self.app))
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
        wording = Wording.of(self)
        still = "" if found.complete else wording.text(" so far")
        of = wording.counted(found.of, self.ROWS.TOKEN)
        shown = wording.text("{n} of {all}", n=number(found.shown), all=of)
        self.border_title = Content(f"{wording.text('vocabulary')}  {shown}{still}")
        if found.problem is not None:
            return f"no regex: {visible_text(found.problem, spaces=False)}; read as plain text"
        if found.spelled is not None:
            return f"GPT-2's spelling of {visible_bytes(found.spelled)}, found too"
        return wording.text("↵ to its merge │ c next column │ C turn it round")
