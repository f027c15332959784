"""The vocabulary of a model that merges: all tokens, what each is made of, and its bytes.

And the inspection, which sums up what kind of vocabulary it is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import Thread
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from bpe_tui.session.session import Session
from bpe_tui.styles import sheet
from bpe_tui.views.inspection_rows import Section, fact_rows
from bpe_tui.views.panel import FramePanel, TokenPainter
from bpe_tui.views.panel_screen import TiledScreen
from bpe_tui.views.targets import ToStep, ToToken
from bpe_tui.views.token_detail import LanesPanel, MergeTreePanel
from bpe_tui.views.vocabulary_table import TableScreen, VocabularyRows, VocabularyTable
from bpe_tui.widgets.key_bar import Switch
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.rows import Part, Row, Span
from bpe_tui.widgets.virtual_table import Column
from bpe_tui.widgets.visible import visible_bytes, visible_text
from engine.core.arrays import Ints
from engine.core.errors import QueryError
from engine.formats.tokenizer_format import Opened
from engine.recording.playback import AnyMergeFrame
from engine.recording.vocabulary import Query, Vocabulary

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
    "text": lambda vocabulary, painter, token_id: Part([painter.token(token_id)]),
    "bytes": lambda vocabulary, painter, token_id: [
        (vocabulary.token(token_id)[:64].hex(" ").upper(), "dim")
    ],
    "length": lambda vocabulary, painter, token_id: [(number(vocabulary.length_of(token_id)), "")],
    "rank": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.rank_of(token_id)),
    "count": lambda vocabulary, painter, token_id: _number_or_none(vocabulary.count_of(token_id)),
    "parents": _parents,
    "children": _children,
}

FILTER_SWITCHES = (
    Switch("partial", "p", "partial UTF-8"),
    Switch("unused", "u", "unused"),
    Switch("unreachable", "d", "unreachable"),
    Switch("twins", "w", "twins"),
)


class TokenRows(VocabularyRows[AnyMergeFrame]):
    """The rows of the tokens. An entry is a row of the frame's `Vocabulary`.

    A search goes through the tokens in the order shown and in slices: the rows in sight are there
    at once, and the end of a long search follows while the screen goes on.
    """

    WIDEST = 150
    COLUMNS = TOKEN_COLUMNS
    CELLS: ClassVar[Mapping[str, Cell]] = CELLS

    frame: reactive[AnyMergeFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("token-rows", sorting="id", descending=False)
        self._query = Query("")
        self._searching: Iterator[Ints] | None = None
        self._complete = False
        self._is_at_newest = False

    @property
    def vocabulary(self) -> Vocabulary:
        assert self.frame is not None
        return self.frame.vocabulary

    # -- which rows, in which order

    def read_search(self, typed: str) -> None:
        self._query = Query.read(typed)

    def rebuild(self) -> None:
        if not self.is_seen:
            # When they are seen again, there may be fewer tokens.
            self._order, self._searching, self._complete = self._order[:0], None, False
            return
        self.fit_columns()
        rows = self.vocabulary.rows(
            filters=self.filters, sort=self.sorting, reverse=self.descending
        )
        self._order = rows[:0]
        self._searching = self.vocabulary.search(self._query, rows)
        self._search_on(self._searching)

    def _keep_to_chosen(self) -> None:
        """Until the reader chooses a token, stay with the newest; in a narrowed table, on top."""
        if self._chosen is not None or self.frame is None:
            super()._keep_to_chosen()
        elif not self._is_narrowed:
            self._chosen = self.frame.merge.new_id if self.frame.merge else None
            super()._keep_to_chosen()
            self._chosen, self._is_at_newest = None, True
        elif self._is_at_newest:
            self._is_at_newest = False
            self.cursor = 0
            self.scroll_to(y=0, animate=False, immediate=True)

    @property
    def _is_narrowed(self) -> bool:
        """Whether the reader has searched, filtered or sorted: then the first row is meant."""
        is_sorted = self.sorting != "id" or self.descending
        return bool(self._query.text or self.filters or is_sorted)

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
            self._query = self._query.as_plain_text(str(error))
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
        return self.vocabulary.row_of(token) if frame.has_token(token) else None

    def cells(self, frame: AnyMergeFrame, entry: int) -> Callable[[str], list[Span]]:
        painter = TokenPainter(frame, marks=self.app.no_color)
        vocabulary, token = self.vocabulary, self.token_at(frame, entry)
        return lambda column: self.CELLS[column](vocabulary, painter, token)

    def target_of(self, frame: AnyMergeFrame, entry: int) -> object | None:
        rank = self.vocabulary.rank_of(self.token_at(frame, entry))
        return None if rank is None else ToStep(rank + 1)


class VocabularyPanel(VocabularyTable):
    """The table of the tokens, with what governs it."""

    ROWS = TokenRows
    SWITCHES: ClassVar[tuple[Switch, ...]] = FILTER_SWITCHES
    LARGEST_FIRST: ClassVar[frozenset[str]] = frozenset({"length", "count", "children"})
    PLACEHOLDER = "/ search: text or regex"

    def __init__(self) -> None:
        super().__init__(id="tokens")
        self.border_title = Content("vocabulary")

    def describe(self, found: VocabularyRows.Found) -> None:
        still = "" if found.complete else " so far"
        of = f"{number(found.shown)} of {number(found.of)} {self.ROWS.TOKEN}s{still}"
        self.border_title = Content(f"vocabulary  {of}")
        if found.problem is not None:
            foot = f"no regex: {visible_text(found.problem, spaces=False)}; read as plain text"
        elif found.spelled is not None:
            foot = f"GPT-2's spelling of {visible_bytes(found.spelled)}, found too"
        else:
            foot = "↵ to its merge · c next column · C turn it round"
        self.say_foot(foot)


class VocabularyScreen(TableScreen):
    """The table of the tokens, beside it the merge tree and the bytes of one."""

    TABLE: ClassVar[type[VocabularyPanel]]
    TREE: ClassVar[type[MergeTreePanel]]
    LANES: ClassVar[type[LanesPanel]]
    CSS_PATH = sheet("vocabulary.tcss")
    PANEL_ORDER = ("tokens", "tree", "lanes")
    SLOT = ("lanes", "tree")

    def compose_body(self) -> ComposeResult:
        with Container(id="panels"):
            yield self.TABLE().data_bind(frame=VocabularyScreen.frame)
            yield self.TREE().data_bind(frame=VocabularyScreen.frame)
        yield self.LANES().data_bind(frame=VocabularyScreen.frame)

    def has_token(self, frame: AnyMergeFrame, token: int) -> bool:
        return frame.has_token(token)

    def look_at(self, token: int | None) -> None:
        self.query_one(MergeTreePanel).token_id = token
        self.query_one(LanesPanel).token_ids = () if token is None else (token,)

    def token_named_by(self, target: object) -> int | None:
        return target.token_id if isinstance(target, ToToken) else None

    def action_fold(self) -> None:
        self.query_one(MergeTreePanel).toggle_fold()


class InspectionPanel(FramePanel[Any]):
    """One section of an inspection, once the screen hands that over."""

    WIDEST = 110

    inspection: Drawn[Any] = Drawn(None)

    facts: Drawn[Sequence[tuple[str, str]]] = Drawn(())
    """Names and what is said of each, below the section."""

    def __init__(self, section: Section) -> None:
        super().__init__(section.title, id=section.id)
        self._section = section

    def rows_of(self, frame: Any, width: int) -> list[Row]:
        if self.inspection is None:
            tokens = plural(frame.vocab_size, "token")
            return [Row([(f"Looking at {tokens} …", "dim")])]
        rows = self._section.rows(self.inspection, width)
        return [*rows, Row([]), *fact_rows(self.facts, width)] if self.facts else rows


AT_ONCE = 12_000
"""Tokens that are inspected within the time of a frame; more are left to a thread."""


class InspectionScreen(TiledScreen):
    """The inspection of a model: a subclass names its parts as `TILES`, each a `Section`."""

    CSS_PATH = sheet("inspection.tcss")

    @dataclass
    class Inspected(Message):
        """A thread has looked at all tokens of a frame."""

        frame: Any
        inspection: object

    def __init__(self) -> None:
        super().__init__()
        self._inspected: Any = None

    @abstractmethod
    def inspection_of(self, frame: Any, opened: Opened | None) -> Any:
        """Make the inspection of a frame, of the model's own kind.

        Args:
            frame: what is shown.
            opened: the tokenizer of the file, if that is what is shown.
        """

    def how_trained(self, session: Session, frame: Any) -> Sequence[tuple[str, str]]:
        """What a training was asked for and why it ended, each with its name."""
        return ()

    def panel_of(self, tile: Section) -> Widget:
        return InspectionPanel(tile)

    def show_session(self, session: Session) -> None:
        frame = self.frame_of(session)
        if not self.is_current or frame is None:
            return
        super().show_session(session)
        self.say("#heading", self.heading(session, self.size.width - 2))
        self.query(InspectionPanel).first().facts = self.how_trained(session, frame)
        if self._inspected is None or not frame.looks_like(self._inspected):
            self._inspect(frame, session.opened)

    def _inspect(self, frame: Any, opened: Opened | None) -> None:
        self._inspected = frame
        if frame.vocab_size <= AT_ONCE:
            self._show(self.inspection_of(frame, opened))
            return
        self._show(None)

        def look() -> None:
            inspection = self.inspection_of(frame, opened).prepare()
            self.post_message(self.Inspected(frame, inspection))

        Thread(target=look, name="inspection", daemon=True).start()

    def on_inspection_screen_inspected(self, event: Inspected) -> None:
        event.stop()
        if event.frame is self._inspected:  # else the timeline has moved on meanwhile
            self._show(event.inspection)

    def _show(self, inspection: object) -> None:
        for panel in self.query(InspectionPanel):
            panel.inspection = inspection
