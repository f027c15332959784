"""The charts of a run: how one is declared, figures that several models draw, and their screen.

Beside them a table tells what merges buy: how many tokens each further thousand of them saves.

A model lists its charts as `ChartKind`s. `ChartsScreen` shows them with the timeline's cursor, and
the exports draw them on a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from textual.app import ComposeResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget
from textual.widgets import Static

from bpe_tui.styles import sheet
from bpe_tui.views.narration import NO_CORPUS, first_fitting, leading_parts
from bpe_tui.views.panel import BORDER_CELLS, FramePanel, sentence
from bpe_tui.views.panel_screen import TiledScreen
from bpe_tui.views.player_screen import PlayerScreen
from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.figure import Figure, Numbers
from bpe_tui.widgets.numbers import number, percent, plural, short_number
from bpe_tui.widgets.rows import Row, Span, right
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text
from engine.core.arrays import Ints

NO_MERGE = "No merge is recorded yet, so there is nothing to draw."
FREQUENT = 10
"""So many of the most frequent pretokens are told apart from the rest."""
TOKEN_CELLS = 12
DRAWN = 0.998
"""The share of the tokens that has bars where the others are far longer."""
LENGTHS = 8
"""The chart of lengths reaches so far at the least."""


@dataclass(frozen=True)
class ChartKind:
    """One chart: the question it answers, the figure that answers it, and the answer here.

    All three take a frame, of the model's own kind. The figure is made anew when what `depends_on`
    gives changes; it is `None` where there is nothing to draw. Over steps it has the timeline's
    cursor, and is asked for only if some are recorded.
    """

    id: str
    question: str
    figure_of: Callable[[Any], Figure | None]
    answer: Callable[[Any], str]
    depends_on: Callable[[Any], object]
    over_steps: bool = True
    why_empty: str = NO_MERGE
    why_none: str = ""
    """Why there may be nothing to draw though steps are recorded, if that has another reason."""
    needs_corpus: bool = True

    def panel(self) -> ChartPanel:
        """What shows it on the screen."""
        return ChartPanel(self)

    def figure(self, frame: Any) -> Figure | None:
        """What there is to draw of a frame."""
        if self.lacks_corpus(frame) or (self.over_steps and not frame.recorded_steps):
            return None
        return self.figure_of(frame)

    def lacks_corpus(self, frame: Any) -> bool:
        """Whether it counts what this frame has no corpus for."""
        return self.needs_corpus and not frame.has_corpus


def from_start(series: Numbers, label: str) -> Figure:
    """A series with a value for each step from 0 on."""
    return Figure(np.arange(len(series)), series, "step", label)


def recorded(frame: Any) -> object:
    """What a figure over steps depends on: the run, and how far it is recorded."""
    return frame.statistics, frame.recorded_steps


def counts(frame: Any) -> Figure | None:
    """How often the merged pair occurred, over steps."""
    series = frame.statistics.winning_counts(frame.recorded_steps)
    found = np.flatnonzero(series)  # in a replay a pair may stand nowhere
    if not len(found):
        return None
    return Figure(found + 1, series[found], "step", "count of the pair", log_y=True)


def _count_here(frame: Any) -> str:
    if frame.merge is None:
        return "no merge · step 0"
    return f"{plural(frame.merge.count, 'time')} · step {number(frame.step)}"


COUNTS = ChartKind("counts", "How frequent is the merged pair?", counts, _count_here, recorded)


def _ties(frame: Any) -> Figure:
    return from_start(frame.statistics.ties(frame.recorded_steps), "ties so far")


def _ties_here(frame: Any) -> str:
    share = f", {frame.ties_so_far / frame.step:.0%}" if frame.step else ""
    return f"{number(frame.ties_so_far)} of {plural(frame.step, 'merge')}{share}"


TIES = ChartKind("ties", "How many merges were tied?", _ties, _ties_here, recorded)


def zipf(what: str) -> ChartKind:
    """Rank and count of the pretokens that a run was trained on, of any model.

    Args:
        what: what the model calls a pretoken.
    """

    def figure(frame: Any) -> Figure | None:
        series = frame.statistics.pretoken_counts
        if not len(series):
            return None
        ranks = np.arange(1, len(series) + 1)
        return Figure(ranks, series, "rank", f"count of the {what}", log_x=True, log_y=True)

    return ChartKind(
        "zipf",
        f"How frequent is a {what}? (Zipf)",
        figure,
        _most_frequent,
        lambda frame: frame.statistics,
        over_steps=False,
        why_empty=f"The corpus has no {what}s, so there is nothing to draw.",
    )


def _most_frequent(frame: Any) -> str:
    """Which pretoken is the most frequent, and what share the first few have; "" if none is."""
    series, commonest = frame.statistics.pretoken_counts, frame.statistics.commonest_pretoken
    if not len(series):
        return ""
    shown = visible_bytes(commonest) if isinstance(commonest, bytes) else visible_text(commonest)
    first = shorten(shown, TOKEN_CELLS)
    if len(series) <= FREQUENT:
        return f"first: {first}"
    share = series[:FREQUENT].sum() / series.sum()
    return f"first: {first} · first {FREQUENT}: {share:.0%} of all"


def lengths(what: str, unit: str) -> ChartKind:
    """A bar for each length of a token, in a model that makes tokens longer step by step.

    Both axes have room for the last step, so that they stand still.

    Args:
        what: what the model calls tokens.
        unit: what it measures them in.
    """

    def figure(frame: Any) -> Figure:
        last = frame.statistics.token_lengths(frame.recorded_steps)
        longest = _longest_drawn(last)
        series = frame.statistics.token_lengths(frame.step)[: longest + 1]
        return length_bars(series, longest, unit, what, top=float(last.max(initial=1)))

    def answer(frame: Any) -> str:
        series = frame.statistics.token_lengths(frame.step)
        longest = _longest_drawn(frame.statistics.token_lengths(frame.recorded_steps))
        longer = int(series[longest + 1 :].sum())
        rest = f" · {number(longer)} longer than {longest}" if longer else ""
        return f"{summarize_lengths(series, unit)}{rest}"

    return ChartKind(
        "lengths",
        f"How long are the {what}?",
        figure,
        answer,
        lambda frame: (frame.statistics, frame.recorded_steps, frame.step),
        over_steps=False,
        needs_corpus=False,
    )


def _longest_drawn(lengths: Ints) -> int:
    """Up to which length there are bars: a few tokens of 100 bytes would press the others flat."""
    most = int(np.searchsorted(lengths.cumsum(), DRAWN * lengths.sum()))
    return len(lengths) - 1 if len(lengths) <= 2 * most else most


def length_bars(series: Ints, longest: int, unit: str, what: str, top: float = 0) -> Figure:
    """How many there are of each length: `series[n]` of length n, up to `longest` at the least."""
    found = np.zeros(max(longest, LENGTHS), dtype=np.int64)
    found[: len(series) - 1] = series[1:]
    places = np.arange(1, len(found) + 1)
    return Figure(places, found, unit, what, bars=True, bars_top=top)


def summarize_lengths(series: Ints, unit: str) -> str:
    """The mean and the longest of `series[n]` things of length n."""
    mean = (series * np.arange(len(series))).sum() / max(series.sum(), 1)
    return f"mean {mean:.1f} {unit} · longest {max(len(series) - 1, 0)}"


class ChartPanel(Chart):
    """A chart of `frame`, of the model's own kind."""

    frame: reactive[Any] = reactive(None, repaint=False)

    def __init__(self, kind: ChartKind) -> None:
        super().__init__(id=kind.id)
        self.kind = kind
        self.why_empty = kind.why_empty
        self.border_title = Content(kind.question)
        self._drawn: object = None

    def watch_frame(self, old: Any, new: Any) -> None:
        if new is None or not self.display or not self.size.width:
            return
        drawn = self.kind.depends_on(new)
        counts_nothing = self.kind.lacks_corpus(new)
        if self._drawn != drawn:
            self._drawn = drawn
            why_empty = self.kind.why_none if new.recorded_steps else ""
            why_empty = why_empty or self.kind.why_empty
            self.why_empty = NO_CORPUS if counts_nothing else why_empty
            self.figure = self.kind.figure(new)
        self.at = new.step if self.kind.over_steps else None
        room = self.outer_size.width - BORDER_CELLS
        answer = "" if counts_nothing else self.kind.answer(new)
        self.border_subtitle = Content(leading_parts(room, answer))
        self.border_title = Content(first_fitting(room, self.kind.question, self.kind.id))

    def on_show(self) -> None:
        self.watch_frame(None, self.frame)

    def on_resize(self) -> None:
        self.watch_frame(None, self.frame)


class ChartsScreen(PlayerScreen, TiledScreen):
    """The charts of a model: a subclass names them as `TILES`, each a `ChartKind` or `GAINS`."""

    CSS_PATH = sheet("charts.tcss")

    def compose_above(self) -> ComposeResult:
        yield self.TRANSPORT()

    def compose_below(self) -> ComposeResult:
        yield Static(id="narration")

    def panel_of(self, tile: ChartKind | GainsTile) -> Widget:
        return tile.panel()

    def action_go_back(self) -> None:
        """Back to the screen that it was chosen on."""
        self.host.look_back()


MOST_BETWEEN = 1000
LEAST_ROWS = 5
NOTHING_SAVED = "No merge is recorded yet, so nothing is saved."


class Gain(NamedTuple):
    """How the corpus is after so many merges, and how many tokens those since the row before saved.

    `since` is how many merges these were.
    """

    merges: int
    bytes_per_token: float
    tokens: int
    saved: int
    since: int


def distance(steps: int) -> int:
    """Merges from one row to the next: a round number, a thousand at the most.

    >>> [distance(steps) for steps in (50_000, 2_921, 443, 12, 3)]
    [1000, 500, 50, 2, 1]
    """
    round_numbers = [each * 10**power for power in range(4) for each in (1, 2, 5)]
    fitting = [each for each in round_numbers if each <= min(steps / LEAST_ROWS, MOST_BETWEEN)]
    return max(fitting, default=1)


def gains(statistics: Any, steps: int) -> list[Gain]:
    """A row for each so many merges from step 0 on, the last for all of them."""
    tokens = statistics.tokens_in_corpus(steps).tolist()
    compression = statistics.bytes_per_token(steps)
    places = [*range(0, steps, distance(steps)), steps]
    return [
        Gain(at, float(compression[at]), tokens[at], tokens[before] - tokens[at], at - before)
        for before, at in zip([0, *places], places, strict=False)
    ]


class GainsPanel(FramePanel[Any]):
    """The gains of a run of merges; Enter goes to the step of a row."""

    FOLLOWS_RECORDING = True

    def __init__(self, title: str, id: str) -> None:
        super().__init__(title, id)
        self.set_reactive(FramePanel.cursor, 1)

    def rows_of(self, frame: Any, width: int) -> Sequence[Row]:
        if not frame.has_corpus:
            return sentence(NO_CORPUS, width)
        if not frame.recorded_steps:
            return sentence(NOTHING_SAVED, width)
        each = number(distance(frame.recorded_steps))
        self.say("What do merges buy?", f"saved by the last {each}")
        found = gains(frame.statistics, frame.recorded_steps)
        here = max(gain.merges for gain in found if gain.merges <= frame.step)
        columns = _columns(f"{frame.TOKEN}s", len(number(found[0].tokens)), width)
        head = Row([right(title, cells, "dim") for title, cells, _ in columns])
        return [head, *(_row(gain, gain.merges == here, columns) for gain in found)]


Column = tuple[str, int, Callable[[Gain], Span]]
"""What stands above it, its cells, and what it says of a gain."""


def _columns(tokens: str, digits: int, width: int) -> list[Column]:
    """The columns in so many cells. In the first there stands a sign before the number.

    Where room is short, numbers of up to so many digits are told in thousands.
    """
    amount, cells = number, max(digits, len(tokens)) + 1
    if width < 16 + 2 * cells:
        amount, cells = short_number, 7
    spare = width - 16 - 2 * cells
    heading = "bytes/token" if spare >= 4 else "b/token"
    columns: list[Column] = [
        ("merges", 8, lambda gain: (number(gain.merges), "")),
        (heading, len(heading) + 1, lambda gain: (f"{gain.bytes_per_token:.2f}", "")),
        (tokens, cells, lambda gain: (amount(gain.tokens), "")),
        ("saved", cells, lambda gain: (amount(gain.saved) if gain.since else "", "gain")),
    ]
    if spare >= 4 + 8:
        columns.append(("", 8, lambda gain: (_share(gain), "dim")))
    return columns


def _row(gain: Gain, is_here: bool, columns: Sequence[Column]) -> Row:
    spans: list[Span] = [("▸" if is_here else " ", "pair")]
    for _, cells, say in columns:
        text, role = say(gain)
        room = cells - 1 if len(spans) == 1 else cells
        spans.append(right(text, room, role))
    return Row(spans, ToStep(gain.merges))


def _share(gain: Gain) -> str:
    before = gain.tokens + gain.saved
    return percent(gain.saved / before) if gain.since and before else ""


@dataclass(frozen=True)
class GainsTile:
    """The table as a tile among charts."""

    id: str = "gains"

    def panel(self) -> GainsPanel:
        return GainsPanel("What do merges buy?", self.id)


GAINS = GainsTile()
