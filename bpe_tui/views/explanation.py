"""How a model tells one step in the lesson view: count, pick, replace, each in rows.

All that the view shows is a pure function of a `StepMoment`: a merge, and how far it is told. So a
step can be finished at once, whatever was in motion. A model says what it counts and why it picks
in a `StepExplainer`; `bpe_tui.lessons` arranges the rows and moves them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from bpe_tui.session.session import StepFrame
from bpe_tui.views.corpus import CorpusPlace
from bpe_tui.views.panel import TokenPainter
from bpe_tui.widgets.numbers import bar, trace
from bpe_tui.widgets.rows import Row, Span, left, right, spans_width
from bpe_tui.widgets.visible import ending, shorten, width
from engine.core.events import Pair

BAR_SIGNS = {"pair": "▶ ", "tie": "= ", "chosen": "❯ "}


@dataclass(frozen=True)
class Bar:
    """A pair with its count, and a bar beside it.

    Attributes:
        value: how long the bar is, by the scale of its neighbours.
        number: the count as it is told, `?` where it is not.
        before: how long the bar was before the last merge; what it lost is traced.
        change: what is said about that.
        mark: a role that says what becomes of the pair: `pair`, `tie`, `loss`; or `chosen`.
        remark: a word behind the bar; `no` is that of a wrong answer.
        fraction: what the number is made of.
    """

    pair: Pair
    value: float
    number: str
    before: float = 0
    change: str = ""
    mark: str = ""
    remark: str = ""
    fraction: str = ""


@dataclass(frozen=True)
class BarColumns:
    """Cells of a pair, of what its number is made of, and of the number."""

    pair: int
    fraction: int
    number: int

    @classmethod
    def within(cls, room: CountRoom, fraction: int, number: int) -> BarColumns:
        """The columns in a room: where fractions leave none for bars, pairs take the rest.

        >>> [BarColumns.within(CountRoom(5, *room), 18, 9).pair for room in ((80, 15), (47, 10))]
        [17, 16]
        """
        if not fraction:
            return cls(room.name, fraction, number)
        rest = room.width - fraction - number - 6  # a sign before them, two blanks behind each
        pair = min(rest - REMARK - BAR_BESIDE_FRACTION, room.name + 2)
        return cls(pair if pair >= room.name - 4 else rest + 2, fraction, number)


def bar_row(
    painter: TokenPainter, drawn: Bar, columns: BarColumns, room: int, scale: float
) -> list[Span]:
    """A bar in its row, `▶ ·│m  601  ▄▄▄▄▄▄▄▄▄▄ picked`; `scale` is what a full one stands for."""
    is_picked = drawn.mark == "pair"
    role = "pair" if drawn.mark == "chosen" else drawn.mark
    pair = touching(painter.pair(drawn.pair, between="│"), columns.pair - bool(columns.fraction))
    if is_picked:
        pair[:] = [(text, "pair" if own != "border" else own) for text, own in pair]
    number_role = "dim" if drawn.number == "?" else "pair" if is_picked else "strong"
    spans: list[Span] = [(BAR_SIGNS.get(drawn.mark, "  "), role), *left(pair, columns.pair)]
    if columns.fraction:
        spans += [right(drawn.fraction, columns.fraction, "dim"), ("  ", "")]
    spans += [right(drawn.number, columns.number, number_role), ("  ", "")]
    longest = room - spans_width(spans) - REMARK
    if longest < LEAST_BAR:  # what the number is made of matters more
        return left(spans[:-1], room)
    body = bar(drawn.value / scale, longest)
    spans.append((body, "pair" if is_picked else "border"))
    spans.append((trace(drawn.before / scale, longest, body), "loss"))
    said = drawn.remark or drawn.change
    said_role = {"new": "gain", "no": "loss"}.get(said, role if drawn.remark else "loss")
    return left([*spans, (f" {said}" if said else "", said_role)], room)


def touching(pair: Sequence[Span], cells: int) -> list[Span]:
    """A pair in so many cells: of what is too long, the parts that touch are kept.

    >>> touching([("under", ""), ("│", "border"), ("standing", "")], 9)
    [('…der', ''), ('│', 'border'), ('sta…', '')]
    """
    if spans_width(pair) <= cells:
        return list(pair)
    border = next(place for place, span in enumerate(pair) if span == ("│", "border"))
    (first, role), (second, other) = map(_in_one, (pair[:border], pair[border + 1 :]))
    room = cells - 1
    first = ending(first, max(room // 2, room - width(second)))
    return [(first, role), pair[border], (shorten(second, room - width(first)), other)]


def _in_one(spans: Sequence[Span]) -> Span:
    return "".join(text for text, _ in spans), spans[-1][1]


class SteppableFrame(StepFrame, Protocol):
    """A state that knows those around it, of whichever model."""

    def at(self, step: int) -> Self: ...


ShownT = TypeVar("ShownT", bound=SteppableFrame)

JOINED_AT, SHRUNK_AT = 0.3, 0.65
"""Shares of the beat JOIN: first the text joins, then bars shrink, then their rows move."""


REMARK = 8
"""Cells behind the longest bar: a change of five digits, or a word."""
BAR_BESIDE_FRACTION = 10
"""Cells of a bar where a fraction stands, too: the pair takes the others."""
LEAST_BAR = 6
"""Where there is no room for so much, there is no bar."""
NO_TEXT = "Press e and type a text of your own: it is cut like the corpus."


class Beat(IntEnum):
    """The parts in which a step is told."""

    REST = 0  # the counts of now, and what the last step did
    PICK = 1  # what is picked, and why
    LIGHT = 2  # it lights up wherever it stands in sight
    JOIN = 3  # it joins, and the bars go to their new lengths and places


@dataclass(frozen=True)
class StepMoment(Generic[ShownT]):
    """What is to be seen now: a step, and how far it is told.

    Attributes:
        before: the state that the step is made in; `None` at step 0, where there was none yet.
        after: the state that it makes.
        beat: the part of it that is told.
        share: how much of the beat JOIN is over, from 0 to 1; elsewhere 1.
    """

    before: ShownT | None
    after: ShownT
    beat: Beat = Beat.REST
    share: float = 1.0

    @classmethod
    def at_rest(cls, frame: ShownT) -> StepMoment[ShownT]:
        """A state, with the step that led to it."""
        return cls(frame.at(frame.step - 1) if frame.step else None, frame)

    @property
    def frame(self) -> ShownT:
        """The state that is shown."""
        return self.before if self.before is not None and self.is_ahead else self.after

    @property
    def is_ahead(self) -> bool:
        """Whether the step is still to be made."""
        return self.beat in (Beat.PICK, Beat.LIGHT)

    @property
    def is_joining(self) -> bool:
        """Whether the text joins: what is replaced has joined, but not yet closed up."""
        return self.beat is Beat.JOIN and self.share < JOINED_AT

    @property
    def lit(self) -> Beat:
        """The part that is under way: as soon as bars move, it counts again."""
        if self.beat is Beat.JOIN:
            return Beat.LIGHT if self.is_joining else Beat.REST
        return self.beat


@dataclass(frozen=True)
class CountRoom:
    """The room for what is counted.

    Attributes:
        rows: how many.
        width: cells of one, the mark at its beginning included.
        name: cells for what is counted, such as a pair.
    """

    rows: int
    width: int
    name: int


class StepQuestion(Protocol):
    """What is asked in place of what is told: the next step, as long as it is at rest."""

    @property
    def heading(self) -> str:
        """What stands at the right of the heading, in place of how many steps there are."""

    def count_rows(self, room: CountRoom) -> list[Row]:
        """What there is to choose from, in an order that tells nothing."""

    def pick_rows(self, width: int) -> list[Row]:
        """The question, and what is said to an answer, in two rows."""


class StepExplainer(ABC, Generic[ShownT]):
    """Tells the steps of a model.

    Args:
        marks: whether what is new has «» round it, for want of colour.
    """

    STATIONS: ClassVar[tuple[str, str, str]] = ("COUNT", "PICK", "REPLACE")
    CAPTIONS: ClassVar[tuple[str, str, str]] = ("pairs", "the top", "everywhere")
    """A word or two under each station."""

    LONGEST_TEXT = 1_000
    """Characters of the reader's text that are encoded: one row of it is shown."""

    def __init__(self, *, marks: bool) -> None:
        self.marks = marks

    def stations(self, moment: StepMoment[ShownT]) -> tuple[str, str, str]:
        """What the three parts are called."""
        return self.STATIONS

    def captions(self, moment: StepMoment[ShownT]) -> tuple[str, str, str]:
        """A word or two under each of them."""
        return self.CAPTIONS

    @abstractmethod
    def facts(self, frame: ShownT) -> str:
        """What the heading says behind the step."""

    @abstractmethod
    def count_rows(self, moment: StepMoment[ShownT], room: CountRoom) -> list[Row]:
        """What is counted, in the order of the algorithm."""

    @abstractmethod
    def pick_rows(self, moment: StepMoment[ShownT], width: int) -> list[Row]:
        """What is picked and why, in two rows."""

    @abstractmethod
    def replace_rows(self, moment: StepMoment[ShownT], words: int, width: int) -> list[Row]:
        """The rule in a row, then at most so many words that it changes."""

    @abstractmethod
    def corpus_rows(
        self, moment: StepMoment[ShownT], top: CorpusPlace, rows: int, width: int
    ) -> Sequence[Row]:
        """The corpus from a place on."""

    @abstractmethod
    def place_to_show(self, before: ShownT, top: CorpusPlace, rows: int, width: int) -> CorpusPlace:
        """Where the corpus has to begin so that what is picked is in sight.

        The place where it begins now, if it is in sight from there, or nowhere.
        """

    @abstractmethod
    def text_rows(self, moment: StepMoment[ShownT], text: str, rows: int, width: int) -> list[Row]:
        """A text of the reader's as it is cut now, and behind its rows one that counts the parts.

        Args:
            moment: what is seen.
            text: "" gives a sentence that says how to type one.
            rows: for the text, at the most.
            width: cells of a row.
        """


AnyExplainer = StepExplainer[Any]


def eased(share: float) -> float:
    """A share of a way, slow at its ends.

    >>> [eased(share) for share in (-1.0, 0.0, 0.5, 1.0, 2.0)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def with_end(spans: Sequence[Span], text: str, cells: int) -> list[Span]:
    """Spans, and a text at the end of the row."""
    return [*left(spans, max(cells - width(text) - 2, 1)), ("  ", ""), (text, "dim")]
