"""The parts that all screens of Unigram share: how pieces look, work in slices, the transport."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Generic, NamedTuple, TypeVar

from textual.timer import Timer
from textual.widget import Widget

from bpe_tui.session.session import Session
from bpe_tui.unigram.narration import narrate, narrate_back, score_text
from bpe_tui.views.model_view import ModelView
from bpe_tui.views.panel import PRETOKEN_BORDER, FramePanel, token_edge
from bpe_tui.widgets.controls import Marks
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import (
    TOKEN_HUES,
    Row,
    Span,
    spans_width,
)
from bpe_tui.widgets.visible import visible_text
from engine.core.wording import ENGLISH, Messages
from engine.text.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import UNKNOWN, Edge, joined, spelled
from engine.unigram.record import PruneStep
from engine.unigram.textbook import TextbookRecord

SLICE_SECONDS = 0.01
"""Longest time of a slice, in which the screen waits."""
BREATH_SECONDS = 0.005
"""Time for the screen between two slices."""
REST_SECONDS = 0.15
"""Time without movement of the cursor before the work begins."""
_THE_END = object()

FoundT = TypeVar("FoundT")


PiecePanel = FramePanel[UnigramFrame]
"""A panel about a frame of Unigram."""


class PiecePainter:
    """Draws the pieces of a frame, each a chip; its hue is the same at every step.

    `marks` puts borders between pieces, without colours.
    """

    def __init__(self, frame: UnigramFrame, *, marks: bool = False) -> None:
        self.frame, self.marks = frame, marks
        self.struck = frame.leaving

    def role(self, number: int) -> str:
        """Return the role of a piece: plain for a character, struck out if the next step removes
        it.
        """
        if number == UNKNOWN:
            return "loss"
        if number in self.struck:
            return "stale"
        return "base" if number < self.frame.record.characters else f"token-{number % TOKEN_HUES}"

    def piece(self, number: int) -> Span:
        """Return a piece of the seed, whether the vocabulary still has it or not."""
        return visible_text(self.frame.record.texts[number]), self.role(number)

    def cut(self, text: str, edges: Iterable[Edge]) -> list[Span]:
        """Return a text in the tokens of a path, with borders between them.

        A text without tokens, such as a space between the sentences of `textbook`, is dim.
        """
        spans: list[Span] = []
        for edge in joined(edges):
            if spans:
                spans.append(token_edge(marks=self.marks))
            spans.append((visible_text(text[edge.start : edge.end]), self.role(edge.piece)))
        return spans or [(visible_text(text), "dim")]

    def word(self, word: str) -> list[Span]:
        """Return a pretoken, spelled with ▁, in its best segmentation."""
        return self.cut(word, self.frame.pieces_of(word))

    def pretoken(self, pretoken: Pretoken) -> list[Span]:
        if pretoken.special:
            return [(f"╌╌ {visible_text(pretoken.text)} ╌╌", "special")]
        return self.word(spelled(pretoken.text))


class PieceInText(NamedTuple):
    """A piece of a text.

    Attributes:
        id: its id; 0 if it is unknown.
        text: the text that it covers.
        look: how it is drawn.
        score: its score; 0 for a special token.
        ends: whether a pretoken ends here.
    """

    id: int
    text: str
    look: Span
    score: float = 0.0
    ends: bool = True


def pieces_of_text(frame: UnigramFrame, text: str) -> Iterator[PieceInText]:
    """Yield the pieces of a text; a special token is one."""
    painter, special = PiecePainter(frame), frame.record.special_tokens
    for pretoken in frame.cut(text):
        if pretoken.special:
            look = visible_text(pretoken.text), "special"
            yield PieceInText(1 + special.index(pretoken.text), pretoken.text, look)
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            at, covered = frame.index_of(edge.piece), slice(edge.start, edge.end)
            look = visible_text(word[covered]), painter.role(edge.piece)
            piece_id, ends = 0 if at is None else int(frame.ids[at]), edge.end == len(word)
            yield PieceInText(piece_id, pretoken.text[covered], look, edge.score, ends)


def step_name(frame: UnigramFrame, step: int) -> str:
    """Return the kind of a recorded step: `seed`, `EM`, `prune`, or the n-gram that goes."""
    if step == 0:
        return "seed"
    made = frame.run.step_at(step - 1)
    if isinstance(frame.record, TextbookRecord):
        return visible_text(made.removed[0].text)
    return "prune" if isinstance(made, PruneStep) else "EM"


def loss_row(frame: UnigramFrame) -> Row:
    """Return the change of the loss at a frame's step."""
    earlier = frame.at(frame.step - 1)
    change = frame.loss - earlier.loss
    return Row(
        [
            (f"loss {score_text(earlier.loss, 3)} → {score_text(frame.loss, 3)} nats   ", ""),
            (("+" if change > 0 else "") + score_text(change, 3), "loss" if change > 0 else "gain"),
        ]
    )


class Slices:
    """Long work for a panel, done in slices so that the screen keeps reacting.

    A timer of `widget` advances an iterator, a slice at a time. After each slice it calls `after`,
    with True for the last one.
    """

    def __init__(self, widget: Widget, after: Callable[[bool], None]) -> None:
        self._widget, self._after = widget, after
        self._work: Iterator[object] = iter(())
        self._timer: Timer | None = None

    def start(self, work: Iterator[object]) -> None:
        """Start this work, and give up any other."""
        self.stop()
        self._work = work
        self._timer = self._widget.set_timer(REST_SECONDS, self._slice)

    def stop(self) -> None:
        self._work = iter(())
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _slice(self) -> None:
        until = perf_counter() + SLICE_SECONDS
        is_done = False
        while not is_done and perf_counter() < until:
            is_done = next(self._work, _THE_END) is _THE_END
        self._timer = None if is_done else self._widget.set_timer(BREATH_SECONDS, self._slice)
        self._after(is_done)


class Finder(Slices, Generic[FoundT]):
    """A search that runs while the cursors rest, and rebuilds its panel after each slice.

    Attributes:
        found: the results so far, at most `most`.
        is_done: whether the search has ended.
    """

    def __init__(self, panel: Lines, most: int) -> None:
        super().__init__(panel, self._sliced)
        self._panel, self._most = panel, most
        self.found: list[FoundT] = []
        self.is_done = False

    def look(self, results: Iterator[FoundT | None]) -> None:
        """Start another search; `results` gives None for a candidate without a result."""
        self.found, self.is_done = [], False
        self.start(self._looking(results))

    def describe_count(self, frame: UnigramFrame) -> str:
        """Return the number of results: `at least 100 pretokens`."""
        more = "at least " if len(self.found) == self._most else ""
        return f"{more}{plural(len(self.found), frame.record.TEXT)}"

    def _looking(self, results: Iterator[FoundT | None]) -> Iterator[None]:
        for result in results:
            self.found += [] if result is None else [result]
            if len(self.found) == self._most:
                return
            yield

    def _sliced(self, is_last: bool) -> None:
        self.is_done = is_last
        self._panel.rebuild()


def words_of_line(
    painter: PiecePainter, line: Iterable[Pretoken]
) -> Iterator[tuple[list[Span], int]]:
    """Yield the pretokens of a line with the border behind each, and their cells."""
    for pretoken in line:
        spans = [*painter.pretoken(pretoken), PRETOKEN_BORDER]
        yield spans, spans_width(spans)


class UnigramView(ModelView):
    """Unigram as its screens show it, with marks at the prunes, the number of pieces, the loss."""

    FRAME = UnigramFrame

    def narrate(self, frame: UnigramFrame, messages: Messages = ENGLISH) -> Sequence[str]:
        return narrate(frame)

    def narrate_back(self, frame: UnigramFrame) -> Sequence[str]:
        return narrate_back(frame)

    def marks(self, session: Session) -> tuple[Marks, ...]:
        frame = self.frame_of(session)
        if frame is None or isinstance(frame.record, TextbookRecord):
            return ()  # each removal is a prune
        return (Marks(frame.prunes, "┊", "tie"),)

    def facts(self, session: Session, roomy: bool) -> str:
        frame = self.frame_of(session)
        if frame is None:
            return ""
        cells, piece = len(number(frame.record.size_at(0))), frame.record.PIECE
        pieces = f"{number(frame.size):>{cells}} {piece}s   "
        return f"{pieces if roomy else ''}loss {score_text(frame.loss, 3)} nats"


UNIGRAM_VIEW = UnigramView()
