"""The panels of the race: who needs how much, what for, and how it grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from textual.content import Content

from bpe_tui.views.panel import Panel
from bpe_tui.widgets.chart import Curve, Curves, CurvesChart, curves_of
from bpe_tui.widgets.figure import Numbers
from bpe_tui.widgets.lines import Drawn
from bpe_tui.widgets.numbers import number, plural, short_number
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right
from engine.bpe.frame import Frame
from engine.bpe.race import Race, Runner, RunnerState, SizeRace
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.algorithm import COUNTERS

BAR = " ▏▎▍▌▋▊▉█"
NAME_CELLS = 9
ROOMY = 90
"""Cells from which on the standings have columns for what all merges took."""
LEAST_TIME = 1e-3
"""Logarithmic axes have no place for zero, and no clock tells less."""


@dataclass(frozen=True)
class Unit:
    """What work is measured in: operations, or processor time.

    Attributes:
        until: what a runner had done after each of its first so many steps.
        by_size: what a trainer needed for parts of the corpus: (sizes, amounts).
        format: gives an amount in words.
    """

    name: str
    until: Callable[[Runner, int], Numbers]
    by_size: Callable[[SizeRace, str], tuple[Numbers, Numbers]]
    format: Callable[[float], str]

    def at(self, runner: Runner, step: int) -> float:
        """What a runner had done after `step` merges."""
        return float(self.until(runner, step)[-1]) if step else 0.0


def format_time(milliseconds: float) -> str:
    """A duration in three digits: 43.1 → '43.1 ms'; 2500.0 → '2.50 s'."""
    if milliseconds >= 999.5:
        return f"{milliseconds / 1000:.2f} s"
    digits = 0 if milliseconds >= 99.95 else 1 if milliseconds >= 9.995 else 2
    return f"{milliseconds:.{digits}f} ms"


def _times_of(sizes: SizeRace, trainer: str) -> tuple[Numbers, Numbers]:
    parts, seconds = sizes.seconds_of(trainer)
    return parts, seconds * 1000


OPERATIONS = Unit(
    "operations",
    lambda runner, steps: np.maximum(runner.work.operations(steps), 1),
    lambda sizes, trainer: sizes.operations_of(trainer),
    number,
)
TIME = Unit(
    "milliseconds",
    lambda runner, steps: np.maximum(runner.seconds_until(steps) * 1000, LEAST_TIME),
    _times_of,
    format_time,
)
MEASURES = (OPERATIONS, TIME)


def hue_of(place: int) -> str:
    """The role of the runner at a place, in tables and charts alike."""
    return f"token-{place}"


def is_behind(runner: Runner, step: int) -> bool:
    """Whether the runner has not made so many merges, and is not at the end of all."""
    return len(runner) < step and runner.state is not RunnerState.FINISHED


class RacePanel(Panel):
    """A panel about `race`, which grows while it is run; `rebuild` paints it anew."""

    race: Drawn[Race | None] = Drawn(None)
    unit: Drawn[Unit] = Drawn(OPERATIONS)

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        if self.race is None:
            return paragraph("The race has not started yet.", width, "dim")
        return list(self.race_rows(self.race, frame.step, width))

    def race_rows(self, race: Race, step: int, width: int) -> Iterator[Row]:
        """The rows at a step."""
        raise NotImplementedError


class StandingsPanel(RacePanel):
    """The trainers side by side: time and operations by the timeline's step, numbers and bars."""

    ID, TITLE = "standings", "who needs how much?"
    WIDEST = 130

    def race_rows(self, race: Race, step: int, width: int) -> Iterator[Row]:
        if step:
            asked = f"by step {number(step)}, who needs how much?"
        else:
            asked = "step 0: nobody has done anything · → goes on, End to the last step"
        self.say(asked, f"bars: {self.unit.name} · u changes that")
        roomy = width >= ROOMY
        head = f"{'':{NAME_CELLS}}{'time':>9}{'operations':>14}{'':>9}"
        in_all = f"{'in all: time':>13}{'operations':>14}{'merges':>9}" if roomy else ""
        self.name_columns([(head + in_all, "dim")])
        amounts = {
            runner: self.unit.at(runner, min(step, len(runner)))
            for runner in race.runners
            if not is_behind(runner, step)
        }
        least = min(filter(None, amounts.values()), default=0.0)
        room = width - len(head) - len(in_all) - 2
        for place, runner in enumerate(race.runners):
            spans: list[Span] = [(runner.algorithm.name.ljust(NAME_CELLS), hue_of(place))]
            if runner in amounts:
                spans += _done_by(runner, step)
                spans.append(right(_times(amounts[runner], least), 9, "strong"))
            else:
                spans += left([(f"  {_why_behind(runner)}", "dim")], 32)
            if roomy:
                spans += _in_all(runner)
            bar = _bar(amounts.get(runner, 0.0), max(amounts.values(), default=0.0), room)
            yield Row([*spans, ("  ", ""), (bar, hue_of(place))])
        for name in race.absent:
            yield Row(left([(_why_absent(name, race), "dim")], width))


def _why_absent(name: str, race: Race) -> str:
    if race.of_bytes or not TRAINERS[name].bytes_only:
        return f"{name} cannot follow a tie rule whose keys change."
    return f"{name} merges only bytes, and these are characters."


def _done_by(runner: Runner, step: int) -> Iterator[Span]:
    step = min(step, len(runner))
    yield right(TIME.format(TIME.at(runner, step)), 9)
    yield right(number(OPERATIONS.at(runner, step)), 14)


def _in_all(runner: Runner) -> Iterator[Span]:
    yield "    ", ""
    for text, _ in _done_by(runner, len(runner)):
        yield text, "dim"
    yield right(number(len(runner)), 9, "dim")


def _times(amount: float, least: float) -> str:
    """How many times the least amount: '× 1.0', '× 34', '× 5,210'."""
    if not least:
        return ""
    ratio = amount / least
    return "× " + (f"{ratio:.1f}" if ratio < 9.95 else number(ratio))


def _why_behind(runner: Runner) -> str:
    if runner.state is RunnerState.RUNNING:
        return f"runs: merge {number(len(runner))} …"
    if runner.state is RunnerState.OUT_OF_TIME:
        return f"stopped at merge {number(len(runner))}"
    return str(runner.state.value)


def _bar(amount: float, most: float, cells: int) -> str:
    """A bar of so many eighths of a cell; what is not nothing shows."""
    if not most or cells < 1:
        return ""
    eighths = max(round(amount / most * cells * 8), 1 if amount else 0)
    full, part = divmod(eighths, 8)
    return BAR[-1] * full + BAR[part].strip()


class WorkPanel(RacePanel):
    """The counters of each trainer: at the timeline's step, by then, and in all."""

    def __init__(self) -> None:
        super().__init__("what for?", id="work")
        self._meanings: list[str] = []

    def race_rows(self, race: Race, step: int, width: int) -> Iterator[Row]:
        self._meanings = []
        cells = max(min(14, (width - 20) // 3), 1)
        head = f"{'':20}{'this step':>{cells}}{'by step':>{cells}}{'in all':>{cells}}"
        self.name_columns([(head, "dim")])
        for place, runner in enumerate(race.runners):
            name = [(runner.algorithm.name, hue_of(place))]
            yield self._row(name, runner.algorithm.summary)
            for counter in runner.work.counters:
                declared = COUNTERS[counter]
                spans: list[Span] = left([(f"  {declared.label}", "")], 20)
                if is_behind(runner, step):
                    spans += [right("—", cells, "dim"), right("—", cells, "dim")]
                else:
                    here = min(step, len(runner))
                    at_step = runner.work.at_step(counter, here) if here == step else 0
                    spans.append(_amount(at_step, cells))
                    spans.append(_amount(runner.work.total(counter, here), cells))
                total = runner.work.total(counter, len(runner))
                yield self._row([*spans, _amount(total, cells, "dim")], declared.meaning)
        self._say_meaning()

    def _row(self, spans: Sequence[Span], meaning: str) -> Row:
        self._meanings.append(meaning)
        return Row(spans)

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._say_meaning()

    def watch_has_focus(self, value: bool) -> None:
        super().watch_has_focus(value)
        self._say_meaning()

    def _say_meaning(self) -> None:
        has_meaning = self.has_focus and self.cursor < len(self._meanings)
        meaning = self._meanings[self.cursor] if has_meaning else "↑ ↓ say what is counted"
        self.say("what for?", meaning)


def _amount(n: float, cells: int, role: str = "") -> Span:
    """A number at the end of its column; a short one where it would touch the column before."""
    told = number(n)
    return right(told if len(told) < cells else short_number(n), cells, role)


class RaceChart(CurvesChart):
    """A chart of the race over steps or over sizes."""

    def __init__(self, id: str, question: str, why_empty: str) -> None:
        super().__init__(id)
        self.border_title = Content(question)
        self.why_empty = why_empty


def over_steps(race: Race, unit: Unit) -> Curves | None:
    """What each had done by each step."""
    curves = []
    for place, runner in enumerate(race.runners):
        amounts = unit.until(runner, len(runner))
        steps = np.arange(1, len(amounts) + 1)
        curves.append(Curve(runner.algorithm.name, hue_of(place), steps, amounts))
    return curves_of(curves, "step", unit.name, log_x=True)


def over_sizes(race: Race, sizes: SizeRace, unit: Unit) -> Curves | None:
    """What each needed for parts of the corpus, where it was not stopped."""
    curves = []
    for place, runner in enumerate(race.runners):
        parts, amounts = unit.by_size(sizes, runner.algorithm.name)
        curves.append(Curve(runner.algorithm.name, hue_of(place), parts, amounts))
    return curves_of(curves, "bytes", unit.name, log_x=True)


def describe_race(race: Race) -> str:
    """Whether all made the same merges, in a sentence."""
    if (first := race.first_difference) is not None:
        return f"The merges differ from merge {number(first + 1)} on."
    stopped = [
        f"{runner.algorithm.name} was stopped at merge {number(len(runner))}"
        for runner in race.runners
        if runner.state is RunnerState.OUT_OF_TIME
    ]
    but = f" ({', '.join(stopped)})" if stopped else ""
    who = plural(len(race.runners), "trainer")
    return f"{who}, the same {plural(race.steps, 'merge')}{but}."
