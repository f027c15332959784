"""The table of pieces, and the panels about the piece under its cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import exp
from typing import Any, ClassVar, NamedTuple

import numpy as np
from textual.content import Content
from textual.reactive import reactive

from bpe_tui.panels.token_detail import Label, LanesPanel
from bpe_tui.panels.vocabulary_screen import VocabularyRows, VocabularyTable
from bpe_tui.shell.panel import needs_marks, sentence
from bpe_tui.shell.slices import Finder, Slices
from bpe_tui.shell.targets import ToPiece, ToPretoken
from bpe_tui.unigram.narration import (
    describe_removal,
    expected_text,
    goes_text,
    increase_text,
    probability_text,
    score_text,
    worth,
)
from bpe_tui.unigram.pieces import PieceInText, PiecePainter, PiecePanel
from bpe_tui.widgets.controls import FilterSwitch
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import MINUS, number
from bpe_tui.widgets.rows import Column, Row, Span, arranged, left, paragraph, right
from bpe_tui.widgets.visible import shorten
from engine.analysis.inspection import PIECE_FILTERS
from engine.core.arrays import Floats, Ints
from engine.encoding.lanes import Lanes, TokenPlace
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import Occurrence, UnigramFrame, piece_occurrences
from engine.unigram.pieces import UNKNOWN, unspelled
from engine.unigram.record import NEVER
from engine.unigram.textbook import TextbookRecord


class DrawnPiece(NamedTuple):
    """A piece that the columns draw: its row in a frame's arrays, and the values of each column."""

    frame: UnigramFrame
    row: int
    values: Mapping[str, Floats | Ints]


def _column(
    title: str,
    cells: int,
    importance: int,
    key: Callable[[UnigramFrame, Floats], Floats | Ints],
    text: Callable[[UnigramFrame, Any], str],
    largest_first: bool = False,
) -> Column:
    """Return a column of numbers: `key` makes them of a frame and the losses, `text` draws one."""

    def draw(piece: DrawnPiece) -> list[Span]:
        shown = text(piece.frame, piece.values[title][piece.row].item())
        return [(tr(shown), "")]

    return Column(title, cells, draw, True, importance, 0, key, largest_first)


def _name_column(title: str, cells: int) -> Column:
    """Return the column of the pieces themselves, in their colours."""

    def draw(piece: DrawnPiece) -> list[Span]:
        return [PiecePainter(piece.frame).piece(int(piece.frame.numbers[piece.row]))]

    def key(frame: UnigramFrame, losses: Floats) -> Ints:
        return frame.record.columns.alphabetical[frame.numbers]

    return Column(title, cells, draw, False, 10, 1, key)


# Of a column that is not sorted descending at first, the smallest values go next.
_ID = _column("id", 6, 3, lambda frame, _: frame.ids, lambda frame, piece_id: number(piece_id))
COLUMNS = (
    _ID,
    _name_column("piece", 10),
    _column("score", 7, 9, lambda frame, _: frame.scores, lambda _, score: score_text(score), True),
    _column("P", 9, 6, lambda frame, _: frame.scores, lambda _, p: probability_text(exp(p)), True),
    _column("expected", 9, 8, lambda frame, _: frame.expected_counts, expected_text, True),
    _column("costs", 9, 7, lambda _, losses: losses, increase_text),
    _column("goes at step", 12, 5, lambda frame, _: frame.goes_at, goes_text),
)
GRAM_COLUMNS = (
    _ID,
    _name_column("n-gram", 6),
    _column("count", 5, 9, lambda frame, _: frame.expected_counts, expected_text, True),
    _column("−log P", 6, 8, lambda frame, _: -frame.scores, lambda _, cost: score_text(cost, 3)),
    _column("without", 8, 5, lambda frame, up: frame.loss + up, lambda _, x: score_text(x, 3)),
    _column("increase", 9, 7, lambda _, losses: losses, increase_text),
    _column("goes", 5, 6, lambda frame, _: frame.goes_at, goes_text),
)
"""The columns of a training that removes one n-gram a step."""
FILTER_SWITCHES = (
    FilterSwitch("characters", "single"),
    FilterSwitch("seldom", "seldom"),
    FilterSwitch("leaving", "go next"),
)


def columns_of(frame: UnigramFrame) -> Sequence[Column]:
    """Return the columns for the training of a frame."""
    return GRAM_COLUMNS if isinstance(frame.record, TextbookRecord) else COLUMNS


class PieceRows(VocabularyRows[UnigramFrame]):
    """The rows of the pieces; an entry is an index into the frame's arrays.

    The costs of removals are computed when the timeline's cursor rests, and kept.
    """

    WIDEST = 150
    FOLLOWS_RECORDING = True
    TOKEN = "piece"

    sorting = "score"
    descending = True

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._sought = ""
        self._values: dict[str, Floats | Ints] = {}
        self._weighing: int | None = None
        self._slices = Slices(self, self._sliced)

    # -- which rows, in which order

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        if old is None or new is None or old.record is not new.record:
            self._weighing = self._chosen = None
            if new is not None and self.sorting not in {each.title for each in columns_of(new)}:
                of_grams = isinstance(new.record, TextbookRecord)
                self.sorting, self.descending = ("increase", False) if of_grams else ("score", True)
        super().watch_frame(old, new)

    def rebuild(self) -> None:
        frame = self.frame
        if frame is None or not self.is_seen:
            self._order = self._order[:0]  # there may be fewer rows when they are shown again
            return
        columns, losses = columns_of(frame), self.losses(frame)
        self.places = arranged(columns, self.room)
        self._values = {each.title: each.key(frame, losses) for each in columns if each.key}
        key = self._values[self.sorting]
        order = np.argsort(-key if self.descending else key, kind="stable")
        for name in self.filters:
            order = order[PIECE_FILTERS[name](frame)[order]]
        if self._sought:
            texts = frame.texts
            found = [index for index in order.tolist() if self._sought in texts[index]]
            order = np.array(found, dtype=np.int64)
        self._order = order
        self.show_order(self.Found(len(self._order), frame.size))
        if frame.known_removals is None and frame.step != self._weighing:
            self._weighing = frame.step
            self._slices.start(frame.removals())

    def search(self, typed: str) -> None:
        """Search for pieces that contain a text; a blank means ▁."""
        self._sought = typed.replace(" ", "▁")
        super().search(typed)

    def token_at(self, frame: UnigramFrame, entry: int) -> int:
        return int(frame.numbers[entry])

    def entry_of(self, frame: UnigramFrame, token: int) -> int | None:
        return frame.index_of(token)

    def _choose(self, index: int) -> None:
        self.choose_token()
        super()._choose(index)

    # -- what a removal costs

    def _sliced(self, is_last: bool) -> None:
        if is_last:
            self.rebuild()

    def losses(self, frame: UnigramFrame) -> Floats:
        """Return the loss increase without each piece; NaN until it is known."""
        losses: Floats = np.full(frame.size, np.nan)
        if isinstance(frame.record, TextbookRecord):
            # Rounded, so that equal ones stay in their order.
            losses = frame.record.increases_at(frame.step).round(9)
        elif (known := frame.known_removals) is not None:
            losses = known.loss_increases[frame.numbers]
        return losses

    # -- painting

    def why_none(self, frame: UnigramFrame) -> str:
        if "leaving" not in self.filters or frame.leaving:
            return super().why_none(frame)
        if frame.step == frame.recorded_steps:
            return tr("None goes next: step {step} is the last.", step=frame.step)
        return tr("No piece goes with step {step}.", step=frame.step + 1)

    def value_of(self, frame: UnigramFrame, entry: int) -> tuple[DrawnPiece, object | None]:
        piece = DrawnPiece(frame, entry, self._values)
        text = frame.record.texts[self.token_at(frame, entry)]
        return piece, ToPretoken(to_bytes(unspelled(text)))


class UnigramVocabularyPanel(VocabularyTable):
    """The table on the vocabulary screen."""

    ROWS: ClassVar[type[PieceRows]] = PieceRows
    SWITCHES: ClassVar[tuple[FilterSwitch, ...]] = FILTER_SWITCHES
    FOOT: ClassVar[str] = "↵ its lattice │ c next column │ C turn it round"

    def describe(self, found: VocabularyRows.Found) -> str:
        shown, of = number(found.shown), number(found.of)
        piece = self.frame.record.PIECE if self.frame is not None else "piece"
        counted = of if shown == of else tr("{n} of {all}", n=shown, all=of)
        self.border_title = Content(f"{tr(f'{piece}s')}  {counted}")
        return tr(self.FOOT)


class PiecesPanel(UnigramVocabularyPanel):
    """The table on the training screen, without search and filters."""

    ID: ClassVar[str] = "pieces"
    SWITCHES = ()
    PLACEHOLDER = ""
    FOOT = "↵ its lattice"
    BORDER_TITLE = "pieces"

    def __init__(self) -> None:
        super().__init__(id=self.ID)


TITLE_CELLS = 24
WORDS_SOUGHT = 100
"""Most words that the search for uses of a piece collects."""


class PieceDetailPanel(PiecePanel):
    """The piece `number` at the table's cursor: its numbers, what replaces it, who uses it.

    The search for the words that use the piece runs while the cursors rest.
    """

    ID = "piece"
    FOLLOWS_RECORDING = True

    number: reactive[int | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._uses: Finder[Occurrence] = Finder(self, WORDS_SOUGHT)

    def watch_number(self) -> None:
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        if self.number is None or frame.index_of(self.number) is None:
            self.say(self.named)
            return sentence("No piece is under the table's cursor.", width)
        return list(self._rows_about(frame, self.number, width))

    def _rows_about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        record = frame.record
        self.say(f"{tr(record.PIECE)} {shorten(PiecePainter(frame).piece(piece)[0], TITLE_CELLS)}")
        yield from _numbers(frame, piece, width)
        yield Row([])
        if piece < record.characters and not isinstance(record, TextbookRecord):
            line = tr(
                "A single character is never removed, so that every text keeps a segmentation."
            )
            yield from paragraph(line, width)
        else:
            yield from _instead_rows(frame, piece, width)
            yield Row([])
            yield from _cost_rows(frame, piece, width)
        yield Row([])
        yield from self._used_in(frame, piece, width)

    def _used_in(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        """Yield the pretokens whose best segmentation has the piece, most frequent first."""
        self._uses.look(frame, piece, piece_occurrences(frame, piece))
        found = self._uses.found
        if not found:
            none = tr("No best segmentation of a pretoken uses it.")
            text = none if self._uses.is_done else tr("Looking through the words …")
            yield from sentence(text, width)
            return
        painter = PiecePainter(frame, marks=needs_marks(self.app))
        cells = len(number(found[0].times))
        template = "used in {text}"
        yield Row([(tr(template, text=self._uses.describe_count(frame.record.TEXT)), "strong")])
        for use in found:
            yield Row(
                [
                    right(number(use.times), cells, "dim"),
                    ("  ", ""),
                    *left(painter.cut(use.text, use.edges), width - cells - 2),
                ],
                ToPretoken(to_bytes(unspelled(use.text))),
            )


def _cost_rows(frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
    yield Row([(tr("what its removal costs"), "strong")])
    if isinstance(frame.record, TextbookRecord):
        yield from paragraph(describe_removal(frame, frame.record, piece), width)
        return
    if frame.known_removals is None:
        yield Row([(tr("Weighing all pieces …"), "dim")])
        return
    cost = frame.known_removals.cost_of(piece, frame.record.corpus.pretokens)
    if cost is None:
        yield from paragraph("Nothing: no best segmentation uses it.", width)
        return
    uses, change = number(cost.uses), cost.before - cost.after
    all_tokens = plural(round(cost.total), "token")
    instead = plural(len(cost.alternative), "token")
    sign, role = ("+", "loss") if cost.loss_increase > 0 else ("", "gain")
    template = "{uses} ÷ {pretokens} pretokens × {change}"
    of_pretokens = tr(template, uses=uses, pretokens=cost.pretokens, change=score_text(change))
    template = "{uses} of {all_tokens} are it: log P {before}"
    yield from paragraph(
        tr(template, uses=uses, all_tokens=all_tokens, before=score_text(cost.before)), width
    )
    template = "{instead} in its place: log P {after}"
    yield from paragraph(tr(template, instead=instead, after=score_text(cost.after)), width)
    yield from paragraph(
        tr(
            "{of_pretokens} = {sign}{loss_increase} nats",
            of_pretokens=of_pretokens,
            sign=sign,
            loss_increase=score_text(cost.loss_increase, 6),
        ),
        width,
        role,
    )


def _numbers(frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
    at = frame.index_of(piece)
    assert at is not None
    text = frame.record.texts[piece]
    goes_at = int(frame.goes_at[at])
    stays = tr("stays to the last step recorded")
    template = "goes at step {frame}"
    goes = stays if goes_at == NEVER else tr(template, frame=goes_text(frame, goes_at))
    yield Row([(f"{tr('id {n}', n=int(frame.ids[at]))} │ {plural(len(text), 'character')}", "")])
    yield from paragraph(worth(frame, at), width)
    yield Row(left([(goes, "stale-truth" if goes_at != NEVER else "")], width))


def _instead_rows(frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
    """Yield the best segmentation of a piece without itself, and its score beside the piece's.

    Of an n-gram, whose place may stay empty, each part has its cost.
    """
    other, at = frame.alternative(frame.record.texts[piece]), frame.index_of(piece)
    assert at is not None
    painter, is_gram = PiecePainter(frame), isinstance(frame.record, TextbookRecord)
    yield Row([(tr("in its place"), "strong")])
    for edge in other.edges if other is not None else ():
        is_known = edge.piece != UNKNOWN
        name = painter.piece(edge.piece) if is_known else ("unknown", "loss")
        score = score_text(-edge.score, 3) if is_gram else score_text(edge.score)
        target = ToPiece(edge.piece) if is_known else None
        yield Row([*left([name], width - 8), right(score, 8)], target)
    if is_gram or other is None:
        return
    own = float(frame.scores[at])
    worse_by = own - other.score
    template = "{score} together; the piece {own}"
    scores = tr(template, score=score_text(other.score), own=score_text(own))
    sign, role = (MINUS, "loss") if worse_by > 0 else ("+", "")
    yield Row([*left([(scores, "dim")], width - 8), right(f"{sign}{abs(worse_by):.2f}", 8, role)])


class PieceLanesPanel(LanesPanel):
    """Characters, bytes and `pieces` with their ids, aligned."""

    TOKEN = "piece"
    FOOT = "▁ (U+2581) stands for a space"

    pieces: ShownInRows[Sequence[PieceInText]] = ShownInRows(())

    def places_of(self, frame: UnigramFrame) -> tuple[bytes, Iterator[TokenPlace]]:
        texts = [to_bytes(piece.text) for piece in self.pieces]
        edges = pairwise(accumulate(map(len, texts), initial=0))
        places = zip(self.pieces, edges, strict=True)
        return b"".join(texts), (TokenPlace(piece.id, *edge) for piece, edge in places)

    def labels_of(self, frame: UnigramFrame, lanes: Lanes) -> Iterator[Label]:
        for token, piece in zip(lanes.tokens, self.pieces, strict=False):
            yield Label(token.start, token.end, *piece.look)
