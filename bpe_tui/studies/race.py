"""The race screen: all trainers on the corpus of the run, and what each of them does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from time import sleep

from textual.app import ComposeResult
from textual.containers import Container
from textual.widgets import Static

from bpe_tui.panels.player_screen import Transport
from bpe_tui.session.config import RunConfig
from bpe_tui.session.declarations import RACE
from bpe_tui.session.session import Session
from bpe_tui.session.threads import Job, Post
from bpe_tui.shell.panel import Panel
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.styles import sheet
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import block_bar, number, short_number, short_time
from bpe_tui.widgets.rows import Row, Span, left, paragraph, right, spans_width
from bpe_tui.words.narration import first_fitting
from engine.bpe import race as racing
from engine.bpe.frame import Frame, Timeline
from engine.bpe.trainers import TRAINERS
from engine.bpe.trainers.work_counts import COUNTERS

NAME_CELLS = 9


def operations_at(runner: racing.Runner, step: int) -> int:
    """Return the operations after `step` merges."""
    return int(runner.work.operations(step)[-1]) if step else 0


def hue_of(place: int) -> str:
    """Return the role of the runner at a place."""
    return f"mark-{place}"


def is_behind(runner: racing.Runner, step: int) -> bool:
    """Whether the runner has not made `step` merges yet, nor all."""
    return len(runner) < step and runner.state is not racing.RunnerState.FINISHED


class RacePanel(Panel):
    """A panel about `race`, which grows while it runs; `rebuild` paints its new state."""

    race: ShownInRows[racing.Race | None] = ShownInRows(None)
    why_empty: ShownInRows[str] = ShownInRows("")
    """The reason why there is no race."""

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        if self.race is None:
            return paragraph(self.why_empty, width, "dim")
        return list(self.race_rows(self.race, frame.step, width))

    def race_rows(self, race: racing.Race, step: int, width: int) -> Iterator[Row]:
        """Yield the rows at a step."""
        raise NotImplementedError


class StandingsPanel(RacePanel):
    """The trainers with their time and operations up to the timeline's step, and bars.

    At step 0, at which none has done anything, it has those of the whole run instead.
    """

    ID, TITLE = "standings", "who needs how much?"
    WIDEST = 130

    def race_rows(self, race: racing.Race, step: int, width: int) -> Iterator[Row]:
        if step:
            asked = tr("by step {n}, who needs how much?", n=step)
        else:
            asked = tr("the whole run: who needs how much? │ → shows step 1")
        self.say(asked, "bars: operations")
        head = left([("" if step else tr("in all"), "dim")], NAME_CELLS)
        head += [right(tr("time"), 9), right(tr("operations"), 14), right("", 9)]
        step = step or race.steps
        self.name_columns([(title, "dim") for title, _ in head])
        amounts = {
            runner: operations_at(runner, min(step, len(runner)))
            for runner in race.runners
            if not is_behind(runner, step)
        }
        least = min(filter(None, amounts.values()), default=0)
        room = width - spans_width(head) - 2
        for place, runner in enumerate(race.runners):
            spans: list[Span] = [(runner.algorithm.name.ljust(NAME_CELLS), hue_of(place))]
            if runner in amounts:
                # The ratio to the least amount: '× 1.0', '× 34', '× 5,210'.
                ratio = amounts[runner] / least if least else 0.0
                times = f"× {ratio:.1f}" if ratio < 9.95 else f"× {number(ratio)}"
                spans += _done_by(runner, step)
                spans.append(right(times if least else "", 9, "strong"))
            else:
                if runner.state is racing.RunnerState.RUNNING:
                    state = tr("runs: merge {n} …", n=len(runner))
                elif runner.state is racing.RunnerState.OUT_OF_TIME:
                    state = tr("stopped at merge {n}", n=len(runner))
                else:
                    state = tr(str(runner.state.value))
                spans += left([(f"  {state}", "dim")], 32)
            most = max(amounts.values(), default=0)
            has_bar = most and room > 0
            bar = block_bar(amounts.get(runner, 0) / most, room) if has_bar else ""
            yield Row([*spans, ("  ", ""), (bar, hue_of(place))])
        for name in race.absent:
            if race.of_bytes or not TRAINERS[name].bytes_only:
                why = tr("{name} cannot follow a tie rule whose keys change.", name=name)
            else:
                why = tr("{name} merges only bytes, and these are characters.", name=name)
            yield Row(left([(why, "dim")], width))


def _done_by(runner: racing.Runner, step: int) -> Iterator[Span]:
    step = min(step, len(runner))
    yield right(short_time(float(runner.seconds_until(step)[-1]) if step else 0), 9)
    yield right(number(operations_at(runner, step)), 14)


class WorkPanel(RacePanel):
    """The counters of each trainer: at the timeline's step, up to it, and in all."""

    LEAST_FOR_HEAD = 2  # three numbers mean nothing without the names of their columns

    def __init__(self) -> None:
        super().__init__("what for?", id="work")
        self._meanings: list[str] = []

    def race_rows(self, race: racing.Race, step: int, width: int) -> Iterator[Row]:
        self._meanings = []
        cells = max(min(14, (width - 20) // 3), 1)
        titles = (tr(title) for title in ("step", "so far", "in all"))
        self.name_columns([(" " * 20, ""), *(right(title, cells, "dim") for title in titles)])
        for place, runner in enumerate(race.runners):
            name = left([(runner.algorithm.name, hue_of(place))], NAME_CELLS)
            self._meanings.append(tr(runner.algorithm.summary))
            yield Row(left([*name, (self._meanings[-1], "dim")], width))
            for counter in runner.work.counters:
                declared = COUNTERS[counter]
                spans: list[Span] = left([(f"  {tr(declared.label)}", "")], 20)
                waits = runner.state is racing.RunnerState.WAITING
                if waits or is_behind(runner, step):
                    spans += [right("—", cells, "dim"), right("—", cells, "dim")]
                else:
                    here = min(step, len(runner))
                    at_step = runner.work.at_step(counter, here) if here == step else 0
                    spans.append(_amount(at_step, cells))
                    spans.append(_amount(runner.work.total(counter, here), cells))
                self._meanings.append(tr(declared.meaning))
                total = _amount(runner.work.total(counter, len(runner)), cells, "dim")
                yield Row([*spans, right("—", cells, "dim") if waits else total])
        self.say("what for?", "↑ ↓ say what is counted")

    def foot_at(self, row: Row) -> str:
        has_meaning = self.race is not None and self.cursor < len(self._meanings)
        return self._meanings[self.cursor] if has_meaning else super().foot_at(row)


def _amount(n: float, cells: int, role: str = "") -> Span:
    """Return a number at the end of its column; shortened if it would touch the column before.

    >>> [_amount(1234567, cells)[0] for cells in (10, 9)]
    [' 1,234,567', '    1.23M']
    """
    text = number(n)
    return right(text if len(text) < cells else short_number(n), cells, role)


def describe_race(race: racing.Race) -> str:
    """Return a sentence on whether all trainers made the same merges."""
    if (first := race.first_difference) is not None:
        return tr("The merges differ from merge {n} on.", n=first + 1)
    stopped = [
        f"{runner.algorithm.name} {tr('was stopped at merge {n}', n=len(runner))}"
        for runner in race.runners
        if runner.state is racing.RunnerState.OUT_OF_TIME
    ]
    but = f" ({', '.join(stopped)})" if stopped else ""
    who = plural(len(race.runners), "trainer")
    merges = plural(race.steps, "merge")
    return tr("{trainers}, the same {merges}{but}.", trainers=who, merges=merges, but=but)


# -- the job

TRAINER_SECONDS = 8.0
"""Time limit of each trainer for all merges; `naive` needs one."""
MOST_BYTES = 4_000_000
"""Bytes in the distinct pretokens of the largest corpus that is raced on as a whole."""
REST_SECONDS = 0.003
"""Pause after each slice, in which the screen can paint."""
NEWS_SECONDS = 1 / 5


class RaceJob(Job):
    """A job that runs the trainers on the counts of a run, one after the other, in a thread.

    Other threads may read `race` while it runs: it only grows.

    Attributes:
        part: the share of the corpus that is raced on.
        race: all merges on that part; `None` until the part is chosen.
        complete: whether the race is over.
    """

    def __init__(self, config: RunConfig, counts: Mapping[bytes, int], post: Post) -> None:
        super().__init__("race", post)
        self._config, self._counts = config, counts
        self.part = 1.0
        self.race: racing.Race | None = None
        self.complete = False

    @property
    def runs(self) -> bool:
        """Whether the race goes on."""
        return not (self.complete or self.is_cancelled)

    def work(self) -> None:
        config, counts = self._config, self._counts
        self.part = racing.bearable_part(counts, MOST_BYTES)
        if self.part < 1:
            counts = racing.sample(counts, self.part)
        settings = racing.RaceSettings(
            config.size,
            config.special_tokens,
            config.tie_rule,
            config.min_count,
            config.max_token_length,
            config.units,
            TRAINER_SECONDS,
        )
        self.race = racing.Race(counts, settings)
        for _ in self.race.slices():
            self.check_cancelled()
            if self.has_news(NEWS_SECONDS):
                self.post(self)
            sleep(REST_SECONDS)
        self.complete = True
        self.post(self)


STILL_TRAINS = "The race starts when training has ended."
NOT_STARTED = "The race has not started yet."
NO_RACE = "These merges come from a tokenizer; trainers race on a corpus alone (o opens one)."
NO_RACE_SHORT = "Trainers race on a corpus alone (o opens one)."
"""The reason why a tokenizer has no race, and a shorter one."""
STARTS = "The race is about to start …"


def _with_fork(raced: Timeline, outcome: str) -> tuple[str, ...]:
    """Add to the outcome that trainers ignore the rules of a fork."""
    if starts := raced.record.phase_starts:
        template = "The race is over the {merges} of phase 1."
        first = tr(template, merges=plural(starts[0].step, "merge"))
        return f"{outcome} {first}", outcome
    if raced.record.by_rule:
        return (outcome,)
    merges = plural(len(raced), "merge")
    template = (
        "{outcome} The fork has {merges}: trainers go by the rules alone, nothing is prescribed."
    )
    return (
        tr(template, outcome=outcome, merges=merges),
        tr("By the rules alone: {outcome} The fork has {merges}.", outcome=outcome, merges=merges),
        outcome,
    )


class RaceScreen(SessionScreen):
    """The screen of the race, which starts when the screen is first shown."""

    NAME = RACE
    SHOWS_STEP = False  # the slider has it
    CSS_PATH = sheet("race.tcss")
    PANEL_ORDER = ("standings", "work")

    def __init__(self) -> None:
        super().__init__()
        self._job: RaceJob | None = None
        self._raced: Timeline | None = None

    def compose_body(self) -> ComposeResult:
        yield Transport(self.VIEW)
        with Container(id="panels"):
            yield StandingsPanel().data_bind(frame=RaceScreen.frame)
            yield WorkPanel().data_bind(frame=RaceScreen.frame)
        yield Static(id="narration")

    # -- state in

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.frame is None:
            return
        super().show_session(session)
        if session.stop_reason is not None and session.timeline is not self._raced:
            self._start(session)
        self.show_heading()
        self.query_one(Transport).show(session)

    def _start(self, session: Session) -> None:
        """Start the race on the counts of the session's run."""
        self.notifier.jobs.cancel(self)
        self._raced = session.timeline
        assert self._raced is not None
        if not isinstance(session.config, RunConfig):
            self._job = None  # the merges come from a file
            self._update()
            return
        config = session.config
        if config.phases:  # they race on the pretokens of the first phase, up to its size
            config = replace(config, phases="", vocab_size=config.all_phases[0].size)
        race = partial(RaceJob, config, self._raced.run.counts)
        self._job = self.notifier.jobs.start(self, race, self._show_progress)
        self._update()

    def on_screen_resume(self) -> None:
        self._update()  # Textual calls the base's method, too

    def _show_progress(self, job: RaceJob) -> None:
        if self.is_current:
            self._update()
            self.show_keys()  # Esc leaves only a race that runs

    def _update(self) -> None:
        """Show the state of the race."""
        has_none = self._job is None and self._raced is not None
        for panel in self.query(RacePanel):
            panel.race = self._job.race if self._job else None
            panel.why_empty = NO_RACE if has_none else NOT_STARTED
            panel.rebuild()
        self._narrate()

    # -- words

    def _narrate(self) -> None:
        self.say("#narration", self._narration())

    def _narration(self) -> str:
        job = self._job
        if job is None:
            waits = (STILL_TRAINS,) if self._raced is None else (NO_RACE, NO_RACE_SHORT)
            return first_fitting(self.size.width - 2, *map(tr, waits))
        if job.race is None:
            return tr(STARTS)
        race = job.race
        template = "On {part} of the corpus, as all is too much. "
        part = "" if job.part == 1 else tr(template, part=f"{job.part:.3g}")
        if job.is_cancelled:
            return tr("{part}Stopped; r runs it again. {race}", part=part, race=describe_race(race))
        if job.runs:  # a trainer waits for its turn while it prepares
            ahead = racing.RunnerState.WAITING, racing.RunnerState.RUNNING
            left = (runner for runner in race.runners if runner.state in ahead)
            runner = next(left, race.runners[-1])
            name, merges = runner.algorithm.name, number(len(runner))
            runs = tr("{name} runs: merge {n} …", name=name, n=merges)
            return f"{part}{runs} {tr('Esc stops the race.')}"
        assert self._raced is not None
        variants = _with_fork(self._raced, f"{part}{describe_race(race)}")
        return first_fitting(self.size.width - 2, *variants)

    # -- commands

    @property
    def closes(self) -> bool:
        return super().closes or (self._job is not None and self._job.runs)

    def action_leave(self) -> None:
        """Stop the race if it runs, else leave as every screen does."""
        if self._job is not None and self._job.runs:
            self._job.cancel()
            self._narrate()
        else:
            super().action_leave()

    def action_again(self) -> None:
        if self.session.stop_reason is not None:
            self._start(self.session)
