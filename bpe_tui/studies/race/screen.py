"""The race screen: all trainers on the corpus of the run, and what each of them does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import chain
from time import monotonic, sleep

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from bpe_tui.session import messages
from bpe_tui.session.commands.command import RACE
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import Job
from bpe_tui.session.session import Session
from bpe_tui.studies.race.panels import (
    MEASURES,
    RaceChart,
    RacePanel,
    StandingsPanel,
    Unit,
    WorkPanel,
    describe_race,
    over_sizes,
    over_steps,
)
from bpe_tui.styles import sheet
from bpe_tui.views.narration import first_fitting, heading
from bpe_tui.views.panel_screen import SessionScreen
from bpe_tui.views.player_screen import Transport
from bpe_tui.widgets.numbers import number, plural
from engine.bpe.frame import Timeline
from engine.bpe.race import PARTS, Race, RaceSettings, RunnerState, SizeRace, bearable_part, sample
from engine.encoding.units import UNITS

# The work behind the race screen: trainers one after the other, in a thread.
#
# What it fills, the race and its sizes, may be read meanwhile: both only grow.


TRAINER_SECONDS = 8.0
"""What each trainer may take for all merges; `naive` needs it."""
SIZE_MERGES = 200
SIZE_SECONDS = 4.0
"""How many merges each makes on each part of the corpus, and how long it may take."""
MOST_BYTES = 4_000_000
"""Of a corpus with more bytes in its distinct pretokens a part is raced on: memory is finite."""
REST_SECONDS = 0.003
"""After each slice the screen has the interpreter for so long."""
NEWS_SECONDS = 1 / 5


class RaceJob(Job):
    """Races on the counts of a run.

    Attributes:
        part: the part of the corpus that is raced on.
        race: all merges on that part; `None` until it is known what to race on.
        sizes: a few merges on growing parts of it.
        complete: whether nothing is missing.
    """

    def __init__(
        self,
        config: RunConfig,
        counts: Mapping[bytes, int],
        post: Callable[[Message], object],
    ) -> None:
        super().__init__("race", post)
        self._config, self._counts = config, counts
        self.part = 1.0
        self.race: Race | None = None
        self.sizes: SizeRace | None = None
        self.complete = False

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def runs(self) -> bool:
        """Whether there is more to come."""
        return not (self.complete or self.cancelled)

    def work(self) -> None:
        self.race, self.sizes = self._prepare()
        due = monotonic()
        for _ in chain(self.race.slices(), self.sizes.slices()):
            self.check_cancelled()
            if monotonic() >= due:
                self.post(messages.RaceRan())
                due = monotonic() + NEWS_SECONDS
            sleep(REST_SECONDS)
        self.complete = True
        self.post(messages.RaceRan())

    def failed(self, error: Exception) -> Message:
        return messages.JobFailed(error)

    def _prepare(self) -> tuple[Race, SizeRace]:
        config, counts = self._config, self._counts
        self.part = bearable_part(counts, MOST_BYTES)
        if self.part < 1:
            counts = sample(counts, self.part)
        course = RaceSettings(
            config.size,
            config.special_tokens,
            config.tie_rule,
            config.min_count,
            config.max_token_length,
            config.units,
            TRAINER_SECONDS,
        )
        first = len(UNITS[config.units].base(counts).tokens) + len(config.special_tokens)
        few = min(config.size, first + SIZE_MERGES)
        sizes = SizeRace(counts, replace(course, vocab_size=few, budget=SIZE_SECONDS))
        return Race(counts, course), sizes


TITLES = {
    "work": "what for?",
    "over-steps": "merge by merge",
    "over-sizes": "by the size of the corpus",
}
STILL_TRAINS = "The race starts when training has ended."
NOTHING_TRAINS = (
    "These merges come from a tokenizer; a race needs a corpus to train on (o opens one)."
)
NO_MERGE = "No merge was made, so there is nothing to draw."
SIZES_COME = (
    f"Comes next: {number(SIZE_MERGES)} merges on {len(PARTS)} parts of the corpus, "
    "from a sixteenth to all of it."
)
STARTS = "The race is about to start …"


def _beside_the_fork(raced: Timeline, said: str) -> tuple[str, ...]:
    """What is said of a race, and of the fork that is open: no trainer is told what that was."""
    prescribed = raced.record.fork_rules
    if prescribed is None:
        return (said,)
    merges = plural(len(raced), "merge")
    return (
        f"{said} The fork has {merges}: trainers go by the rules alone, nothing is prescribed.",
        f"By the rules alone: {said} The fork has {merges}.",
        said,
    )


class RaceScreen(SessionScreen):
    """Starts the race when it is first seen, and shows how far it is."""

    NAME = RACE
    CSS_PATH = sheet("race.tcss")
    PANEL_ORDER = ("standings", *TITLES)

    def __init__(self) -> None:
        super().__init__()
        self._job: RaceJob | None = None
        self._raced: Timeline | None = None
        self._unit: Unit = MEASURES[0]

    def compose_body(self) -> ComposeResult:
        yield Transport()
        with Container(id="panels"):
            yield StandingsPanel().data_bind(frame=RaceScreen.frame)
            yield Static(id="panel-names")
            yield WorkPanel().data_bind(frame=RaceScreen.frame)
            yield RaceChart("over-steps", "How does it grow, merge by merge?", STARTS)
            yield RaceChart("over-sizes", "How does it grow with the corpus?", STARTS)
        yield Static(id="narration")

    def on_mount(self) -> None:
        self.show_panel("work")
        self.show_panel("standings")

    def on_unmount(self) -> None:
        self._stop()

    # -- state in

    def show_session(self, session: Session) -> None:
        if not self.is_current or session.frame is None:
            return
        super().show_session(session)
        if session.stop_reason is not None and session.timeline is not self._raced:
            self._start(session)
        self.say("#heading", heading(session, self.size.width - 2))
        self.query_one(Transport).show(session)
        self.query_one("#over-steps", RaceChart).at = session.frame.step or None
        self._tell()

    def _start(self, session: Session) -> None:
        """Run the race on the counts of the session's run."""
        self._stop()
        self._raced = session.timeline
        assert self._raced is not None
        if not isinstance(session.config, RunConfig):
            self._job = None  # its merges were not found here
            return
        self._job = RaceJob(session.config, self._raced.run.counts, self.post_message)
        self._job.start()
        self._update()

    def _stop(self) -> None:
        if self._runs and self._job is not None:
            self._job.cancel()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        self._update()

    def on_race_ran(self, news: messages.RaceRan) -> None:
        news.stop()
        if self.is_current:
            self._update()

    def _update(self) -> None:
        """Bring the screen up to date with the race."""
        for panel in self.query(RacePanel):
            panel.race = self._job.race if self._job else None
            panel.rebuild()
        self._draw()
        self._tell()

    def _draw(self) -> None:
        if self._job is None or self._job.race is None or self._job.sizes is None:
            return
        race, sizes = self._job.race, self._job.sizes
        steps = self.query_one("#over-steps", RaceChart)
        steps.figure = over_steps(race, self._unit)
        steps.border_subtitle = Content(f"{self._unit.name} so far")
        by_size = self.query_one("#over-sizes", RaceChart)
        by_size.figure = over_sizes(race, sizes, self._unit)
        by_size.border_subtitle = Content(f"{self._unit.name} for {number(SIZE_MERGES)} merges")
        nothing = self._job.complete and not race.steps
        for chart in (steps, by_size):
            chart.why_empty = NO_MERGE if nothing else SIZES_COME if chart is by_size else STARTS
            chart.refresh()

    # -- words

    def _tell(self) -> None:
        self.say("#narration", self._said())

    def _said(self) -> str:
        job = self._job
        if job is None:
            return STILL_TRAINS if self._raced is None else NOTHING_TRAINS
        if job.race is None or job.sizes is None:
            return STARTS
        race, done = job.race, len(job.sizes.points)
        part = "" if job.part == 1 else f"On {job.part:.3g} of the corpus, as all is too much. "
        if job.cancelled:
            return f"{part}Stopped; r runs it again. {describe_race(race)}"
        running = [runner for runner in race.runners if runner.state is RunnerState.RUNNING]
        if running:
            name, merges = running[0].algorithm.name, number(len(running[0]))
            return f"{part}{name} runs: merge {merges} … Esc stops the race."
        assert self._raced is not None
        rules = f"{part}{describe_race(race)}"
        if job.complete:
            said = _beside_the_fork(self._raced, rules)
        else:
            runs = f"Part {done + 1} of {len(PARTS)} of the corpus … Esc stops it."
            said = (*_beside_the_fork(self._raced, f"{rules} {runs}"), runs)
        return first_fitting(self.size.width - 2, *said)

    # -- commands

    @property
    def _runs(self) -> bool:
        return self._job is not None and self._job.runs

    @property
    def can_leave(self) -> bool:
        return True

    def action_leave(self) -> None:
        """Esc: stop the race if it runs, else what it does everywhere."""
        if self._runs:
            self._stop()
            self._tell()
        else:
            super().action_leave()

    def action_go_back(self) -> None:
        """Back to the screen that it was chosen on."""
        self.host.look_back()

    def action_again(self) -> None:
        if self.session.stop_reason is not None:
            self._start(self.session)

    def action_unit(self) -> None:
        self._unit = MEASURES[(MEASURES.index(self._unit) + 1) % len(MEASURES)]
        for panel in self.query(RacePanel):
            panel.unit = self._unit
        self._draw()

    def show_panel(self, panel: str) -> None:
        if panel in TITLES:
            for name in TITLES:
                self.query_one(f"#{name}").set_class(name == panel, "-in-front")
            names = (
                f"‹{title}›" if name == panel else f" {title} " for name, title in TITLES.items()
            )
            self.say("#panel-names", " ".join(names))
        super().show_panel(panel)
