"""What merges buy: a table of how many tokens each further thousand of them saves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bpe_tui.views.narration import NO_CORPUS
from bpe_tui.views.panel import FramePanel, sentence
from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.numbers import number, percent, short_number
from bpe_tui.widgets.rows import Row, Span, right

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
    amount, cells = number, digits + 1
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
