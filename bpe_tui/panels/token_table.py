"""The table of the tokens of models that merge, with those of later steps, and its screen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from typing import ClassVar, NamedTuple

import numpy as np
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.panels.vocabulary_screen import VocabularyRows, VocabularyTable
from bpe_tui.shell.panel import TokenPainter, needs_marks
from bpe_tui.shell.targets import ToStep
from bpe_tui.widgets.controls import FilterSwitch
from bpe_tui.widgets.language import plural, tr, visible_message
from bpe_tui.widgets.numbers import number, short_number
from bpe_tui.widgets.rows import Column, NameSpans, Span, arranged, without_middle
from bpe_tui.widgets.visible import text_shown_as, visible_bytes, visible_text, width
from bpe_tui.words.narration import characters_of
from engine.core.arrays import Ints
from engine.core.errors import QueryError, TokenIdsError
from engine.encoding.typed_ids import read_ids
from engine.recording.playback import AnyMergeFrame
from engine.recording.vocabulary import Query, Vocabulary

SLICE_SECONDS = 0.01
"""Seconds that a search may take at a time, so that the screen stays responsive."""
NOT_COUNTED = "–"


class DrawnToken(NamedTuple):
    """A token that the columns draw."""

    vocabulary: Vocabulary
    painter: TokenPainter
    id: int


def _merge(token: DrawnToken) -> list[Span]:
    """Return the number of the token's merge, from 1; a dash if no merge makes it."""
    rank = token.vocabulary.rank_of(token.id)
    return _number_or_none(None if rank is None else rank + 1)


def _count(token: DrawnToken) -> list[Span]:
    return _number_or_none(token.vocabulary.count_of(token.id))


def _number_or_none(value: int | None) -> list[Span]:
    if value is None:
        return [(NOT_COUNTED, "dim")]
    return [(number(value) if value < 10**7 else short_number(value), "")]


def _parents(token: DrawnToken) -> Sequence[Span]:
    pair = token.vocabulary.parents_of(token.id)
    return [("", "")] if pair is None else token.painter.sum(pair)


def _children(token: DrawnToken) -> list[Span]:
    children = int(token.vocabulary.children[token.vocabulary.row_of(token.id)])
    return [(number(children), "" if children else "dim")]


def _text(token: DrawnToken) -> list[Span]:
    """Return a token, and frequent characters that its bytes are a part of."""
    span, frame = token.painter.token(token.id), token.painter.frame
    characters = characters_of(frame, [token.id])
    return _WithCharacters(span, frame, token.id) if characters else NameSpans([span])


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


def _bytes(token: DrawnToken) -> list[Span]:
    return [(token.vocabulary.token(token.id)[:64].hex(" ").upper(), "dim")]


def _length(token: DrawnToken) -> list[Span]:
    return [(number(token.vocabulary.length_of(token.id)), "")]


def _of_table(name: str) -> Callable[[Vocabulary], Ints]:
    """Return a function that takes the rows of a vocabulary out of a column of its table."""
    return lambda tokens: getattr(tokens.table, name)[: len(tokens)]


def _by_parents(tokens: Vocabulary) -> Ints:
    left, right = tokens.parents
    return left * len(tokens.table) + right


TOKEN_COLUMNS = (
    Column("id", 7, lambda token: [(number(token.id), "dim")], True, 9, key=_of_table("ids")),
    Column("text", 12, _text, False, 10, 3, _of_table("reading_order")),
    Column("bytes", 17, _bytes, False, 2, 1, _of_table("byte_order")),
    Column("len", 4, _length, True, 5, 0, _of_table("lengths"), largest_first=True),
    Column("merge", 7, _merge, True, 7, key=lambda tokens: tokens.ranks),
    Column("count", 9, _count, True, 8, 0, lambda tokens: tokens.known_counts, True),
    Column("parents", 12, _parents, False, 4, 2, _by_parents),
    Column("in merges", 9, _children, True, 6, 0, lambda tokens: tokens.children, True),
)

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
    COLUMNS: ClassVar[Sequence[Column]] = TOKEN_COLUMNS

    frame: reactive[AnyMergeFrame | None] = reactive(None, repaint=False)

    coming: ToStep | None = None
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
        key = next(each.key for each in self.COLUMNS if each.title == self.sorting)
        rows = self.vocabulary.rows(
            self.filters, key and key(self.vocabulary), reverse=self.descending
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
            is_none = complete and not any(map(len, found))
            self.coming = self._find_later(until) if is_none else None
        except QueryError as error:
            self._query = Query(self._query.text, problem=str(error))
            self.rebuild()
            return
        self._order = np.concatenate(found)
        self._complete = complete
        if not complete and self._spot is None:
            self._spot = self.cursor, self.scroll_offset.y
        if complete:
            self._add_named()
        of, problem = len(self.vocabulary), self._query.problem
        spelled = self._query.spelled if self._query.expression is None else None
        self.show_order(self.Found(len(self._order), of, complete, problem, spelled))
        if not complete:
            self.call_later(self._search_on, searching)

    def _find_later(self, until: float) -> ToStep | None:
        """Return the first later step that makes a token with what is sought, if found in time."""
        frame = self.frame
        if frame is None or self.filters or not self._query.text:
            return None
        last = frame.at(frame.recorded_steps).vocabulary
        for batch in last.search(self._query, np.arange(len(self.vocabulary), len(last))):
            if len(batch):
                return ToStep(frame.step_making(last.id_of(int(batch[0]))))
            if perf_counter() > until:
                break
        return None

    def _add_named(self) -> None:
        """Put the tokens of typed ids first, in their order: `300`, `[1014, 270]`."""
        try:
            ids = read_ids(self._query.text)
        except TokenIdsError:
            return
        if self.frame is None or self.filters:
            return
        known = [token for token in dict.fromkeys(ids) if self.frame.has_token(token)]
        named = np.array([self.vocabulary.row_of(token) for token in known], dtype=np.int64)
        self._order = np.concatenate([named, self._order[~np.isin(self._order, named)]])

    # -- painting

    def why_none(self, frame: AnyMergeFrame) -> str:
        text = visible_text(self._query.text)
        if self.filters == {"never-encoded"} and not text:
            every = plural(len(self.vocabulary), self.TOKEN)
            return tr("None: encoding can give every one of the {every}.", every=every)
        if not text or self.filters:
            return super().why_none(frame)
        if self.coming is not None:
            token = visible_bytes(frame.any_token(frame.merge_at(self.coming.step - 1).new_id))
            return tr("{token} comes at merge {n}: ↵ goes there", token=token, n=self.coming.step)
        template = "No {token} of step {step} has {text}"
        none = tr(template, token=tr(self.TOKEN), step=frame.step, text=text)
        is_early = frame.step < frame.recorded_steps
        return tr("{none}; w tells of later merges.", none=none) if is_early else f"{none}."

    @property
    def row_count(self) -> int:
        return len(self._order) or int(self._complete)

    def token_at(self, frame: AnyMergeFrame, entry: int) -> int:
        return self.vocabulary.id_of(entry)

    def entry_of(self, frame: AnyMergeFrame, token: int) -> int | None:
        return frame.vocabulary.row_of(token) if frame.has_token(token) else None

    def value_of(self, frame: AnyMergeFrame, entry: int) -> tuple[DrawnToken, object | None]:
        painter = TokenPainter(frame, marks=needs_marks(self.app))
        token = DrawnToken(self.vocabulary, painter, self.token_at(frame, entry))
        rank = self.vocabulary.rank_of(token.id)
        return token, None if rank is None else ToStep(rank + 1)


class VocabularyPanel(VocabularyTable):
    """The table of the tokens, with its search field and filters."""

    ROWS = TokenRows
    SWITCHES: ClassVar[tuple[FilterSwitch, ...]] = FILTER_SWITCHES
    PLACEHOLDER = "/ search: text or regex"
    BORDER_TITLE = "vocabulary"

    def describe(self, found: VocabularyRows.Found) -> str:
        still = "" if found.complete else tr(" so far")
        shown = tr("{n} of {all}", n=found.shown, all=plural(found.of, self.ROWS.TOKEN))
        self.border_title = Content(f"{tr('vocabulary')}  {shown}{still}")
        if found.problem is not None:
            template = "no regex: {problem}; read as plain text"
            return tr(template, problem=visible_message(found.problem))
        if found.spelled is not None:
            template = "GPT-2's spelling of {spelled}, found too"
            return tr(template, spelled=visible_bytes(found.spelled))
        return tr("↵ to its merge │ c next column │ C turn it round")
