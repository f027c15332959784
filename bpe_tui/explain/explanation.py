"""How a model explains one step on the explain screen: count, pick, replace, each in rows.

The view is a pure function of a `StepMoment`: a step, and how far its explanation has come. So a
step can be finished at once, whatever is moving. A `StepExplainer` makes the rows of a model;
`screen` arranges them, and `beats` animates them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from bpe_tui.panels.corpus import CorpusPlace, within_rows
from bpe_tui.session.session import StepFrame
from bpe_tui.shell.panel import SizedWord, TokenPainter
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import bar, number, trace
from bpe_tui.widgets.rows import CURSOR, Row, Span, left, paragraph, right, spans_width
from bpe_tui.widgets.visible import width
from bpe_tui.widgets.visible import width as width_of
from bpe_tui.words.narration import characters_of, first_fitting
from engine.core.events import Pair

BAR_SIGNS = {"pair": "▶ ", "tie": "= ", "chosen": CURSOR}


class Bar(NamedTuple):
    """A pair with its count, and a bar beside it.

    Attributes:
        value: length of the bar, on the scale of its neighbours.
        number: the count as text, `?` while it is hidden.
        before: length of the bar before the last merge; the lost part is drawn as a trace.
        change: a text for the lost part.
        mark: role of the pair: `pair` (picked), `tie`, `loss`; or `chosen`.
        remark: a word after the bar; `no` marks a wrong answer.
        fraction: the fraction that gives the number, as text.
    """

    pair: Pair
    value: float
    number: str
    before: float = 0
    change: str = ""
    mark: str = ""
    remark: str = ""
    fraction: str = ""


class BarColumns(NamedTuple):
    """Cells of the columns beside the bars: the pair, the fraction of its number, the number."""

    pair: int
    fraction: int
    number: int

    @classmethod
    def within(cls, room: CountRoom, fraction: int, number: int) -> BarColumns:
        """Return the columns for a room. If fractions leave no room for bars, pairs take the rest.

        >>> [BarColumns.within(CountRoom(5, *room), 18, 9).pair for room in ((80, 15), (47, 10))]
        [17, 16]
        """
        if not fraction:
            return cls(room.name, fraction, number)
        rest = room.width - fraction - number - 6  # a sign before them, two blanks after each
        pair = min(rest - REMARK - BAR_BESIDE_FRACTION, room.name + 2)
        return cls(pair if pair >= room.name - 4 else rest + 2, fraction, number)


def bar_row(
    painter: TokenPainter, drawn: Bar, columns: BarColumns, room: int, scale: float, remark: str
) -> list[Span]:
    """Draw a row with a bar, `▶ ·+m  601  ▄▄▄▄▄▄▄▄▄▄ picked`.

    Args:
        scale: value of a full bar.
        remark: the remark of the bar in the language of the lesson.
    """
    is_picked = drawn.mark == "pair"
    role = "pair" if drawn.mark == "chosen" else drawn.mark
    pair = painter.pair(drawn.pair).within(columns.pair - bool(columns.fraction))
    if is_picked:
        pair[:] = [(text, "pair" if own != "border" else own) for text, own in pair]
    number_role = "dim" if drawn.number == "?" else "pair" if is_picked else "strong"
    spare = columns.pair - spans_width(pair) - 3
    if parts := characters_of(painter.frame, drawn.pair, spare):
        pair.append((f"  {parts}", "dim"))
    spans: list[Span] = [(BAR_SIGNS.get(drawn.mark, "  "), role), *left(pair, columns.pair)]
    if columns.fraction:
        spans += [right(drawn.fraction, columns.fraction, "dim"), ("  ", "")]
    spans += [right(drawn.number, columns.number, number_role), ("  ", "")]
    longest = room - spans_width(spans) - REMARK
    if longest < LEAST_BAR:  # the fraction matters more
        return left(spans[:-1], room)
    body = bar(drawn.value / scale, longest)
    spans.append((body, "pair" if is_picked else "border"))
    spans.append((trace(drawn.before / scale, longest, body), "loss"))
    note = remark or drawn.change
    note_role = {"new": "gain", "no": "loss"}.get(drawn.remark, role if remark else "loss")
    return left([*spans, (f" {note}" if note else "", note_role)], room)


class SteppableFrame(StepFrame, Protocol):
    """A frame of any model that can return the frames of other steps of its run."""

    @property
    def run(self) -> Any: ...

    def at(self, step: int) -> Self: ...


SteppableFrameT = TypeVar("SteppableFrameT", bound=SteppableFrame)

JOINED_AT, SHRUNK_AT = 0.3, 0.65
"""Shares of the beat JOIN: first the text joins, then bars shrink, then their rows move."""

REMARK = 8
"""Cells after the longest bar: for a change of five digits, or a word."""
BAR_BESIDE_FRACTION = 10
"""Cells of a bar beside a fraction; the pair takes the other cells."""
LEAST_BAR = 6
"""Least length of the longest bar; with less room no bars are drawn."""
MORE = "{n} more than a step ago, {start}", "{n} more, {start}"
FEWER = "{n} fewer than a step ago, {start}", "{n} fewer, {start}"
NO_TEXT = "Press e and type a text of your own: it is cut like the corpus."


class Beat(IntEnum):
    """The parts of the explanation of a step."""

    CUT = -1  # at step 0: the text, then the pretokens that the pattern cuts it into
    REST = 0  # the current counts, and what the last step did
    PICK = 1  # the picked pair, and why
    LIGHT = 2  # the pair lights up wherever it is visible
    JOIN = 3  # the pair joins, and the bars move to their new lengths and places


@dataclass(frozen=True)
class StepMoment(Generic[SteppableFrameT]):
    """A step, and how far its explanation has come.

    Attributes:
        before: the state before the step; `None` at step 0.
        after: the state after the step.
        beat: the current part of the explanation.
        share: the share of the beat JOIN that is over, from 0 to 1; 0 in CUT before the text is
            cut; else 1.
    """

    before: SteppableFrameT | None
    after: SteppableFrameT
    beat: Beat = Beat.REST
    share: float = 1.0

    @classmethod
    def at_rest(cls, frame: SteppableFrameT) -> StepMoment[SteppableFrameT]:
        """Return a frame at rest, together with the step that led to it."""
        return cls(frame.at(frame.step - 1) if frame.step else None, frame)

    @property
    def frame(self) -> SteppableFrameT:
        """The frame that is shown."""
        return self.before if self.before is not None and self.is_ahead else self.after

    @property
    def is_ahead(self) -> bool:
        """Whether the step has not been made yet."""
        return self.beat in (Beat.PICK, Beat.LIGHT)

    @property
    def is_joining(self) -> bool:
        """Whether the two parts of the new token are marked, but still drawn apart."""
        return self.beat is Beat.JOIN and self.share < JOINED_AT

    @property
    def is_recounting(self) -> bool:
        """Whether the counts change. A held JOIN has share `JOINED_AT`, and the old counts."""
        return self.beat is Beat.JOIN and self.share > JOINED_AT

    @property
    def counted(self) -> SteppableFrameT:
        """The frame whose counts COUNT shows."""
        if self.before is None or self.beat is Beat.REST or self.is_recounting:
            return self.after
        return self.before


class CountRoom(NamedTuple):
    """The room for the list of counts.

    Attributes:
        rows: number of rows.
        width: cells of a row, including the mark at its beginning.
        name: cells for the counted thing, such as a pair.
    """

    rows: int
    width: int
    name: int


ThreeNames = tuple[str, str, str]


@dataclass(eq=False, kw_only=True)
class StepExplainer(ABC, Generic[SteppableFrameT]):
    """Explains the steps of a model.

    Attributes:
        marks: whether to put «» round new tokens, for screens without colour.
    """

    marks: bool

    STATIONS: ClassVar[ThreeNames] = ("COUNT", "PICK", "REPLACE")
    """Names of the three stations, and of the beats that show them."""
    STEP: ClassVar[str] = "merge {n}"
    """The model's name for a step."""
    THING: ClassVar[str] = "token"
    """The model's word for a token."""

    previews = True
    """Whether the next merge is shown at rest; in a lesson the learner finds it."""
    hides_next = False
    """Whether the step to come is hidden."""
    LONGEST_TEXT = 1_000
    """Number of characters of the reader's text that are encoded."""

    # Kept, since each beat asks for it.
    _at_start: tuple[Any, str, int] | None = None
    """The run, the reader's text and its length at step 0."""

    def fitting(self, width: int, *ways: Sequence[Span]) -> list[Span]:
        """Return the first way that fits; the last if none does."""
        return list(next((way for way in ways if spans_width(way) <= width), ways[-1]))

    def size_row(self, now: int, before: int | None, start: int, width: int) -> Row:
        """Return the number of tokens of the reader's text, compared with other steps.

        Args:
            now: number of tokens at the step.
            before: their number a step ago; `None` if the step is not made.
            start: their number at step 0.
            width: cells of the row.
        """
        notes = [tr("{n} at step 0", n=start)]
        if before is not None and before != now:
            ways, amount = MORE if now > before else FEWER, number(abs(now - before))
            notes = [tr(way, n=amount, start=notes[0]) for way in ways]
        counted = plural(now, self.THING)
        note = first_fitting(width - width_of(counted) - 3, *notes)
        return Row([(counted, "strong"), (f"   {note}", "dim")])

    def stations(self, before: SteppableFrameT) -> ThreeNames:
        """Return the names of the three stations of the step after a frame."""
        return self.STATIONS

    def cuts(self, frame: SteppableFrameT) -> bool:
        """Whether the lines of the corpus are cut into several pretokens, in a beat at step 0."""
        return False

    def tells_next(self, moment: StepMoment[SteppableFrameT]) -> bool:
        """Whether PICK is about the same step as the counts at rest: the next one."""
        return False

    @abstractmethod
    def facts(self, frame: SteppableFrameT) -> str:
        """Return the text that follows the step in the heading."""

    @abstractmethod
    def count_rows(self, moment: StepMoment[SteppableFrameT], room: CountRoom) -> list[Row]:
        """Return the list of counts, in the order of the algorithm."""

    @abstractmethod
    def pick_rows(self, moment: StepMoment[SteppableFrameT], width: int) -> list[Row]:
        """Return the pick and its reason, in two rows; in three if the reason is too long."""

    @abstractmethod
    def replace_rows(
        self, moment: StepMoment[SteppableFrameT], words: int, width: int
    ) -> list[Row]:
        """Return the rule in a row, then at most `words` words that it changes."""

    @abstractmethod
    def corpus_rows(
        self, moment: StepMoment[SteppableFrameT], top: CorpusPlace, rows: int, width: int
    ) -> Sequence[Row]:
        """Return the rows of the corpus from a place on."""

    @abstractmethod
    def place_to_show(
        self, before: SteppableFrameT, top: CorpusPlace, rows: int, width: int
    ) -> CorpusPlace:
        """Return the first place of the corpus to show, so that the pick is visible.

        This is `top` if the pick is visible already, or if it occurs in no line shown.
        """

    @abstractmethod
    def drawn_words(self, moment: StepMoment[SteppableFrameT], text: str) -> Iterable[SizedWord]:
        """Return the words of a text in the tokens of a moment, with their cells."""

    @abstractmethod
    def size_of(self, frame: SteppableFrameT, text: str) -> int:
        """Return the number of tokens of a text."""

    def text_rows(
        self, moment: StepMoment[SteppableFrameT], text: str, rows: int, width: int
    ) -> list[Row]:
        """Return the reader's text in its current tokens, then a row with their number.

        Args:
            moment: the moment to show.
            text: the reader's text; "" gives a sentence that says how to type one.
            rows: most rows for the text.
            width: cells of a row.
        """
        if not text:
            return paragraph(tr(NO_TEXT), width, "dim")
        frame, text = moment.frame, text[: self.LONGEST_TEXT]
        shown = within_rows(self.drawn_words(moment, text), rows, width)
        if self._at_start is None or self._at_start[:2] != (frame.run, text):
            self._at_start = frame.run, text, self.size_of(frame.at(0), text)
        before = None
        if moment.before is not None and not moment.is_ahead:
            before = self.size_of(moment.before, text)
        size = self.size_row(self.size_of(frame, text), before, self._at_start[2], width)
        return [*shown, size]


AnyExplainer = StepExplainer[Any]


def eased(share: float) -> float:
    """Ease a share of a way, so that a motion is slow at its ends.

    >>> [eased(share) for share in (-1.0, 0.0, 0.5, 1.0, 2.0)]
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def with_end(spans: Sequence[Span], text: str, cells: int) -> list[Span]:
    """Return the spans with a text at the right end of the row."""
    return [*left(spans, cells - width(text) - 2), ("  ", ""), (text, "dim")]
