"""The charts of a run: how to declare one, the charts that several models share, and their screen.

A table beside the charts shows what merges buy: the tokens that each further thousand saves.

A model lists its charts as `ChartKind`s. `ChartsScreen` shows them with the timeline's cursor.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Static

from bpe_tui.panels.player_screen import Transport, show_player
from bpe_tui.session.session import Session
from bpe_tui.shell.panel import BORDER_CELLS, FramePanel, sentence
from bpe_tui.shell.session_screen import NoTextCard, SessionScreen
from bpe_tui.shell.targets import ToPretoken, ToStep
from bpe_tui.shell.tiles import compose_tiles, name_tiles
from bpe_tui.styles import sheet
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure, NumberArray
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number, percent
from bpe_tui.widgets.rows import Column, Row, RowsOnDemand, RowTable, Span
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from bpe_tui.words.narration import NO_CORPUS, as_sentence, first_fitting, leading_parts
from engine.core.arrays import Ints

NO_STEP = "No step is recorded yet, so there is nothing to draw."
FREQUENT = 10
"""Number of the most frequent pretokens whose share of the corpus is shown."""
TOKEN_CELLS = 12
SHARE_CELLS, GAP_CELLS, LEAST_TOKEN = 6, 2, 6
"""Cells of a share in percent, between the numbers and the pretoken, and of a short pretoken."""
DRAWN = 0.998
"""Share of the tokens that have bars if the remaining ones are far longer."""
LENGTHS = 8
"""Least length at which the chart of lengths ends."""


@dataclass(frozen=True)
class ChartKind:
    """A kind of chart: a question, the figure that answers it, and the answer at a step.

    The functions take a frame of the model's own kind; `answer` takes the words of the screen, too.

    Attributes:
        figure_of: draws a frame; `None` if there is nothing to draw.
        answer: the answer at the frame's step, for the lower border.
        depends_on: a value of the frame; the figure is drawn again when this value changes.
        short: the question for a narrow tile; "" if the question is short.
        over_steps: whether the x axis counts steps. Such a chart has the timeline's cursor, and
            is drawn only if steps are recorded.
        why_empty: shown if there is no figure.
        needs_corpus: whether the chart counts in the corpus.
    """

    id: str
    question: str
    figure_of: Callable[[Any], Figure | None]
    answer: Callable[[Any], str]
    depends_on: Callable[[Any], object]
    short: str = ""
    over_steps: bool = True
    why_empty: str = NO_STEP
    needs_corpus: bool = True

    def panel(self) -> ChartPanel:
        """Make the tile of the chart."""
        return ChartPanel(self)

    def figure(self, frame: Any) -> Figure | None:
        """Return the figure of a frame, or `None` if there is nothing to draw."""
        lacks_corpus = self.needs_corpus and not frame.has_corpus
        if lacks_corpus or (self.over_steps and not frame.recorded_steps):
            return None
        return self.figure_of(frame)


def course(
    id: str,
    question: str,
    short: str,
    series: Callable[[Any, int], NumberArray],
    value: Callable[[Any], str],
) -> ChartKind:
    """Return a chart of a number that every step from 0 on has.

    Args:
        id, question, short: those of the chart.
        series: takes the statistics of a run and a step, and returns the numbers up to it.
        value: returns the number at the step of a frame, in words.
    """

    def figure(frame: Any) -> Figure:
        numbers = series(frame.statistics, frame.recorded_steps)
        return Figure(np.arange(len(numbers)), numbers, "step")

    def answer(frame: Any) -> str:
        return f"{value(frame)} │ {_step(frame)}"

    return ChartKind(id, question, figure, answer, recorded, short)


def _step(frame: Any) -> str:
    return tr("step {n}", n=frame.step)


def recorded(frame: Any) -> object:
    """Return what a figure over steps depends on: the run and the number of recorded steps."""
    return frame.statistics, frame.recorded_steps


def counts(frame: Any) -> Figure | None:
    """Draw the count of the merged pair over the steps."""
    series = frame.statistics.winning_counts(frame.recorded_steps)
    found = np.flatnonzero(series)  # in a replay, a merged pair may not occur at all
    if not len(found):
        return None
    return Figure(found + 1, series[found], "step", log_y=True)


COUNTS = ChartKind(
    "counts",
    "How frequent is the merged pair?",
    counts,
    lambda frame: (
        f"{plural(frame.merge.count, 'time') if frame.merge else tr('no merge')} │ {_step(frame)}"
    ),
    recorded,
    "How frequent is the pair?",
)


def _counts_by_place(frame: Any) -> Figure | None:
    """Draw the counts of the pretokens, the most frequent first."""
    series = frame.statistics.pretoken_counts
    places = np.arange(1, len(series) + 1)
    return Figure(places, series, "place", log_x=True, log_y=True) if len(series) else None


def _most_frequent(frame: Any) -> str:
    """Name the most frequent pretoken and the share of the first few; "" without pretokens."""
    series, commonest = frame.statistics.pretoken_counts, frame.statistics.commonest_pretoken
    if not len(series):
        return ""
    first = tr("first: {first}", first=shorten(_visible(commonest), TOKEN_CELLS))
    if len(series) <= FREQUENT:
        return first
    share = f"{series[:FREQUENT].sum() / series.sum():.0%}"
    return f"{first} │ {tr('first {n}: {share} of all', n=str(FREQUENT), share=share)}"


ZIPF = ChartKind(
    "zipf",
    "How frequent is a pretoken? (Zipf)",
    _counts_by_place,
    _most_frequent,
    lambda frame: frame.statistics,
    "How often? (Zipf)",
    over_steps=False,
    why_empty="The corpus has no pretokens, so there is nothing to draw.",
)


def _visible(pretoken: bytes | str) -> str:
    return visible_bytes(pretoken) if isinstance(pretoken, bytes) else visible_text(pretoken)


def lengths(
    question: str, unit: str, most_at: Callable[[Any], int] = lambda frame: frame.recorded_steps
) -> ChartKind:
    """Return the chart of token lengths.

    Both axes have room for the step with the most tokens, so they do not change from step to step.

    Args:
        question: the question that the chart answers.
        unit: the unit of length.
        most_at: returns the step at which a frame's run has the most tokens.
    """

    def figure(frame: Any) -> Figure:
        most = frame.statistics.token_lengths(most_at(frame))
        longest = _longest_drawn(most)
        series = frame.statistics.token_lengths(frame.step)[: longest + 1]
        found = np.zeros(max(longest, LENGTHS), dtype=np.int64)
        found[: len(series[1:])] = series[1:]  # without a token there is no length 0
        places, top = np.arange(1, len(found) + 1), float(most.max(initial=1))
        return Figure(places, found, unit, bars=True, bars_top=top)

    def answer(frame: Any) -> str:
        series = frame.statistics.token_lengths(frame.step)
        longest = _longest_drawn(frame.statistics.token_lengths(most_at(frame)))
        longer = int(series[longest + 1 :].sum())
        rest, than = f" │ {number(longer)} ", str(longest)
        rest = f"{rest}{tr('longer than {n}', n=than)}" if longer else ""
        mean = f"{(series * np.arange(len(series))).sum() / (series.sum() or 1):.1f}"
        found = {"mean": mean, "unit": tr(unit), "n": str(max(len(series) - 1, 0))}
        return f"{tr('mean {mean} {unit} │ longest {n}', **found)}{rest}"

    return ChartKind(
        "lengths",
        question,
        figure,
        answer,
        lambda frame: (frame.statistics, frame.recorded_steps, frame.step),
        "How long are they?",
        over_steps=False,
        needs_corpus=False,
    )


def _longest_drawn(lengths: Ints) -> int:
    """Return the longest length with a bar: a few tokens of 100 bytes would squeeze the others."""
    most = int(np.searchsorted(lengths.cumsum(), DRAWN * lengths.sum()))
    return len(lengths) - 1 if len(lengths) <= 2 * most else most


class ChartPanel(Chart):
    """A panel with one kind of chart of `frame`."""

    frame: reactive[Any] = reactive(None, repaint=False)

    def __init__(self, kind: ChartKind) -> None:
        super().__init__(id=kind.id)
        self.kind = kind
        self.COUNTS = kind.needs_corpus
        self.why_empty = kind.why_empty
        self.border_title = Content(kind.question)
        self._drawn: object = None
        self._said = kind.question, ""

    def watch_frame(self, old: Any, new: Any) -> None:
        if new is None or not self.display or not self.size.width:
            return
        drawn = self.kind.depends_on(new), new.run.obstacle
        counts_nothing = self.kind.needs_corpus and not new.has_corpus
        if self._drawn != drawn:
            self._drawn = drawn
            why_empty = self.kind.why_empty
            if new.run.obstacle and self.kind.over_steps:
                why_empty = as_sentence(new.run.obstacle)
            self.why_empty = NO_CORPUS if counts_nothing else why_empty
            self.figure = self.kind.figure(new)
        self.at = new.step if self.kind.over_steps else None
        room = self.outer_size.width - BORDER_CELLS
        answer = "" if counts_nothing else self.kind.answer(new)
        asked = self.kind.question, self.kind.short or self.kind.question
        question = first_fitting(room, *map(tr, asked))
        self._say(question, leading_parts(room, answer))

    def _say(self, title: str, foot: str) -> None:
        """Set the title and the foot if they change: Textual paints for equal ones, too."""
        if self._said != (title, foot):
            self._said = title, foot
            self.border_title, self.border_subtitle = Content(title), Content(foot)

    def on_resize(self) -> None:
        self.watch_frame(None, self.frame)


MOST_BETWEEN = 1000
ROWS_BESIDE = 3
"""Rows of the table besides those at equal distances: the titles, step 0, the last step."""
GAINS_ASKED = "What do merges buy?"
NOTHING_SAVED = "No merge is recorded yet, so nothing is saved."


class Gain(NamedTuple):
    """The corpus after a number of merges, and the tokens saved since the row before."""

    merges: int
    bytes_per_token: float
    tokens: int
    saved: int


def distance(steps: int, rows: int) -> int:
    """Return the merges from one row to the next: a round number, at most a thousand.

    >>> [distance(steps, 7) for steps in (12_000, 2_921, 443, 12, 3)], distance(2_921, 22)
    ([1000, 500, 100, 2, 1], 200)
    """
    round_numbers = [each * 10**power for power in range(3) for each in (1, 2, 5)]
    return next((each for each in round_numbers if steps <= each * rows), MOST_BETWEEN)


def gains(statistics: Any, steps: int, rows: int) -> list[Gain]:
    """Return a gain each `distance` merges from step 0 on, and one for all merges."""
    tokens = statistics.tokens_in_corpus(steps).tolist()
    compression = statistics.bytes_per_token(steps)
    places = [*range(0, steps, distance(steps, rows)), steps]
    return [
        Gain(at, float(compression[at]), tokens[at], tokens[before] - tokens[at])
        for before, at in zip([0, *places], places, strict=False)
    ]


class GainsPanel(FramePanel[Any]):
    """The table of what merges buy; Enter goes to the step of a row."""

    BESIDE_BAR = 0  # its rows mostly fit
    FOLLOWS_RECORDING = True
    COUNTS = True

    def __init__(self) -> None:
        super().__init__(GAINS_ASKED, "gains")
        self.set_reactive(FramePanel.cursor, 1)

    def rows_of(self, frame: Any, width: int) -> Sequence[Row]:
        if not frame.has_corpus:
            return sentence(NO_CORPUS, width)
        if not frame.recorded_steps:
            why = frame.run.obstacle
            return sentence(as_sentence(why) if why else NOTHING_SAVED, width)
        room = self.outer_size.width - BORDER_CELLS
        saved = tr("saved: since the row above"), tr("saved: since above")
        self.say(GAINS_ASKED, f"{first_fitting(room, *saved)} │ {tr('↵ its step')}")
        room_for_rows = self.size.height - ROWS_BESIDE
        found = gains(frame.statistics, frame.recorded_steps, room_for_rows)
        here = max(gain.merges for gain in found if gain.merges <= frame.step)
        columns = _columns(f"{frame.TOKEN}s", len(number(found[0].tokens)), width, here)
        table = RowTable(columns, width, least=0)
        return [table.header(), *(table.row(gain, ToStep(gain.merges)) for gain in found)]


def _columns(tokens: str, digits: int, width: int, here: int) -> list[Column]:
    """Return the columns that fit in `width` cells.

    Args:
        tokens: the title of the column of tokens.
        digits: the digits of its numbers.
        width: cells of a row.
        here: the merges of the row with a sign.
    """
    cells = max(digits, len(tokens)) + 1
    tight = 8 + 2 * cells > width
    columns = [
        Column("", 1, lambda gain: [("▸" if gain.merges == here else " ", "pair")]),
        Column("merges", 7 - tight, lambda gain: [(number(gain.merges), "")], True),
        Column("bytes/token", 12, lambda gain: [(f"{gain.bytes_per_token:.2f}", "")], True),
        Column(tokens, cells, lambda gain: [(number(gain.tokens), "")], True),
        Column(
            "saved",
            cells - tight,
            lambda gain: [(number(gain.saved) if gain.merges else "", "gain")],
            is_number=True,
        ),
    ]
    if sum(column.cells for column in columns) > width:
        del columns[2]  # the other columns say what merges save
    return columns


MOST_LISTED = 200
"""Most pretokens in the table of the most frequent, unless it has the whole screen."""


class FrequentPanel(FramePanel[Any]):
    """The most frequent pretokens with their counts; Enter shows how one encodes.

    Args:
        what, question: the model's word for a pretoken, and the title.
        typed: returns the bytes that one would type for a pretoken.
    """

    COUNTS = True

    def __init__(self, what: str, question: str, typed: Callable[[Any], bytes]) -> None:
        super().__init__(question, "frequent")
        self._what, self._question, self._typed = what, question, typed

    def rows_of(self, frame: Any, width: int) -> Sequence[Row]:
        every, shown = frame.statistics.pretoken_counts, frame.statistics.most_frequent
        if not self.has_class("-zoom"):
            shown = shown[:MOST_LISTED]
        room = self.outer_size.width - BORDER_CELLS
        title = first_fitting(room, tr(self._question), tr("Which are frequent?"))
        if not shown:
            self.say(title)
            return sentence(NO_CORPUS, width)
        of = tr("{n} of {all}", n=len(shown), all=len(every))
        self.say(title, f"{of} │ {tr('↵ its encoding')}")
        pretokens, counts = zip(*shown, strict=True)
        total, cells = int(every.sum()), max(len(number(counts[0])), len("count")) + 1
        place_cells = len(str(len(shown))) + 1
        numbers = place_cells + cells + GAP_CELLS
        share_cells = SHARE_CELLS if width >= numbers + SHARE_CELLS + LEAST_TOKEN else 0
        token_cells = width - numbers - share_cells
        what, gap = shorten(tr(self._what), token_cells), " " * GAP_CELLS

        def token(place: int) -> list[Span]:
            return [(gap, ""), (shorten(_visible(pretokens[place]), token_cells), "")]

        columns = [
            Column("", place_cells, lambda place: [(str(place + 1), "dim")], True),
            Column("count", cells, lambda place: [(number(counts[place]), "")], True),
            Column("share", SHARE_CELLS, lambda at: [(percent(counts[at] / total), "dim")], True),
            Column(gap + what, 0, token),
        ]
        if not share_cells:
            del columns[2]
        table = RowTable(columns, width, least=0)
        self.name_columns(table.header().spans)

        def row(place: int) -> Row:
            return table.row(place, ToPretoken(self._typed(pretokens[place])))

        return RowsOnDemand(len(shown), row)


class TableTile(NamedTuple):
    """A table as a tile among charts, by the id of its panel."""

    id: str
    panel: Callable[[], FramePanel[Any]]


GAINS = TableTile("gains", GainsPanel)


def frequent(
    what: str = "pretoken",
    question: str = "Which pretokens are most frequent?",
    typed: Callable[[Any], bytes] = bytes,
) -> TableTile:
    """Return the tile of the most frequent pretokens, beside the chart of their counts."""
    return TableTile("frequent", partial(FrequentPanel, what, question, typed))


class ChartsScreen(SessionScreen):
    """The charts of a model. A subclass lists them in `TILES`, with its tables.

    Half of them are above. A row has three or four, which share its width.
    """

    CSS_PATH = sheet("charts.tcss")
    SHOWS_STEP = False  # the slider has it
    ZOOMS_IN_LESSONS = True
    TILES: ClassVar[Sequence[ChartKind | TableTile]] = ()

    def __init_subclass__(cls, **settings: Any) -> None:
        name_tiles(cls, cls.TILES)
        super().__init_subclass__(**settings)

    def compose_body(self) -> ComposeResult:
        yield Transport(self.VIEW)
        yield NoTextCard()
        above = len(self.TILES) // 2
        below = len(self.TILES) - above
        for place, panel in enumerate(compose_tiles(tile.panel() for tile in self.TILES)):
            # Before the panels comes the line of their names.
            panel.set_class((above if place <= above else below) == 4, "-of-four", update=False)
            yield panel
        yield Static(id="narration")

    def show_session(self, session: Session) -> None:
        if self.shows(session):
            self.show_no_text()
            super().show_session(session)
            show_player(self, session)
