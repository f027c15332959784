"""The state of the application: the timeline, and how it is being played.

Everything that changes it is a method here, called on the UI thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import (
    CHECK,
    ENCODING,
    OF_VOCABULARY,
    PIPELINE,
    TRAINING,
    VOCABULARY,
    Model,
)
from bpe_tui.session.jobs import Indexing, ReadingProgress, TrainingStarted, Working
from bpe_tui.session.models import model_of
from bpe_tui.session.state import preferences
from engine.analysis.breakpoints import BreakpointList, Hit
from engine.bpe.frame import Frame, Timeline
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import algorithm_for
from engine.bpe.trainers.algorithm import Algorithm
from engine.bpe.what_if import ForkChange
from engine.encoding.alphabet import UNITS
from engine.recording.playback import MergeTimeline, Player
from engine.text.excerpt import Excerpt

if TYPE_CHECKING:
    from engine.formats.tokenizer_format import Opened

SPEEDS = (1, 2, 5, 10, 30, 100, 300, 1000)
"""Steps a second."""
SLICE_SECONDS = 0.015
"""How long at a time breakpoints are searched for."""
EXAMPLE = "Héllo, the café at 10:30 was ﬁne — naïve 漢字 🙂"
"""The text to encode where there is no corpus to begin with."""


class StepFrame(Protocol):
    """The state at a step, of whichever model. The screens of that model know it better."""

    @property
    def step(self) -> int:
        """How many steps have been made."""

    @property
    def recorded_steps(self) -> int:
        """How many steps were recorded when it was taken."""

    @property
    def excerpt(self) -> Excerpt:
        """The beginning of the corpus."""


@dataclass(frozen=True)
class ForkedFrom:
    """The run that a fork came from, and what was done otherwise.

    Attributes:
        step: where the fork is.
        otherwise: what was done otherwise, in a few words.
        change: what the trainer did otherwise.
        recording, stop_reason, config, forked_from: of the session, as they were.
    """

    step: int
    otherwise: str
    change: ForkChange
    recording: Timeline
    stop_reason: Enum | None
    config: Config
    forked_from: ForkedFrom | None


class Session:
    """One corpus or tokenizer, and the player of its recording.

    Attributes:
        reading: the latest news of the reading, until it is over.
        indexing: set between reading and the first frame.
        opened: the tokenizer that was opened, with its format and notes; `None` in a training.
        obstacle: why the tokenizer's merges cannot be gone through; `None` if they can.
        failure: why nothing could be opened; `None` if all is well.
        recording: the steps, of whichever model; `None` while the corpus is being read.
        working: what the training is busy with between two steps, where those take long.
        stop_reason: why training ended, once it has.
        forked_from: the run that this one is a fork of; `None` if it is none.
        playing: the cursor moves by itself, `speed` steps a second.
        following: the cursor stays at the end of the recording.
        breakpoints: what to stop at; the merges are looked at for them as time passes.
        awaiting: the cursor goes to the next stop as soon as it is found.
        typed: the text to encode that somebody has typed; `None` if nobody has.
        claimed: what is to be checked on the corpus; `None` for nothing.
        due: the step to go to once it is recorded; `None` for none, or once somebody moves.
        found_none: the last search came to the end of the run.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.reading: ReadingProgress | None = None
        self.indexing: Indexing | None = None
        self.opened: Opened | None = None
        self.obstacle: str | None = None
        self.failure: str | None = None
        self.recording: Player[Any] | None = None
        self.working: Working | None = None
        self.documents = 0
        self.bytes_read = 0
        self.stop_reason: Enum | None = None
        self.forked_from: ForkedFrom | None = None
        self.playing = False
        self.following = False
        self.breakpoints = BreakpointList(scored=self.model.merges_by_score)
        self.awaiting = False
        self.found_none = False
        self.typed: str | None = None
        self._halt: Hit | None = None
        self._await_after = 0
        self._speed = SPEEDS.index(self.model.steps_a_second)
        self.claimed = config.claimed if isinstance(config, RunConfig) else None
        self.due = config.viewpoint.step
        for line in config.viewpoint.breakpoints:
            self.breakpoints.add(line)
        self._owed = 0.0  # parts of a step that playing has not made yet

    @property
    def model(self) -> Model:
        """What is trained; a tokenizer that is opened is of BPE's merges."""
        return model_of(self.config)

    @property
    def shown(self) -> StepFrame | None:
        """The state at the cursor; `None` while the corpus is being read."""
        return self.recording.frame if self.recording is not None else None

    @property
    def timeline(self) -> Timeline | None:
        """The recording if it is of BPE's merges, with all that only these have."""
        return self.recording if isinstance(self.recording, Timeline) else None

    @property
    def merges(self) -> MergeTimeline[Any] | None:
        """The recording if it is of merges, by whatever they are chosen."""
        return self.recording if isinstance(self.recording, MergeTimeline) else None

    @property
    def frame(self) -> Frame | None:
        """The state at the cursor if it is BPE's."""
        return self.timeline.frame if self.timeline is not None else None

    @property
    def merges_nothing(self) -> bool:
        """Whether a tokenizer is opened whose model has no merges."""
        pipeline = self.opened.tokenizer.pipeline if self.opened is not None else None
        return (pipeline is not None and not pipeline.merges) or not self.encodes

    @property
    def encodes(self) -> bool:
        """Whether what is shown encodes texts: not a vocabulary whose merges are missing."""
        return self.opened is None or self.opened.tokenizer.alphabet.spells

    def refusal_to_show(self, kind: str) -> str | None:
        """Why a kind of screen has nothing to show of what is opened; `None` if it has."""
        if not self.encodes and kind not in OF_VOCABULARY:
            return "Its merges are missing, so no text can be encoded: open it with its merges (o)."
        return self.model.refused.get(f"app.show('{kind}')")

    @property
    def counts_nothing(self) -> bool:
        """Whether a tokenizer is open without a corpus, to be tried."""
        return self.timeline is not None and not self.timeline.run.counts

    @property
    def first_kind(self) -> str:
        """The kind of screen that shows it first."""
        if not self.encodes:
            return VOCABULARY
        if self.merges_nothing:
            return PIPELINE
        if self.claimed is not None and self.timeline is not None:
            return CHECK
        if self.counts_nothing:
            return ENCODING
        return TRAINING if self.recording is None else preferences().overview  # it shows reading

    @property
    def text(self) -> str:
        """What all screens encode: what was typed, or before that the corpus's first sentence."""
        if self.typed is not None:
            return self.typed
        return (self.shown.excerpt.first_sentence if self.shown is not None else "") or EXAMPLE

    def type(self, text: str) -> None:
        """Let this be the text that all screens encode."""
        if text != self.text:
            self.typed = text

    @property
    def algorithm(self) -> Algorithm | None:
        """The trainer asked for, or the one in its place by this tie rule; `None` in a replay.

        Where a corpus is too large for `native`, `fast` works in its place. That is not told
        here: to ask all counts would take long, and no screen shows either.
        """
        if not isinstance(self.config, RunConfig):
            return None
        alphabet = UNITS[self.config.units].base({}).alphabet
        return algorithm_for(self.config.trainer, TIE_RULES[self.config.tie_rule], alphabet)

    @property
    def speed(self) -> int:
        """Steps a second while playing."""
        return SPEEDS[self._speed]

    @property
    def at_end(self) -> bool:
        return self.recording is not None and self.recording.cursor == len(self.recording)

    @property
    def went_back(self) -> bool:
        """Whether a step has just been undone."""
        return self.recording is not None and self.recording.went_back

    @property
    def halt(self) -> Hit | None:
        """The breakpoint at which the cursor was stopped and still stands."""
        return self._halt

    # -- news from the job

    def start(self, started: TrainingStarted) -> None:
        self.recording = started.timeline
        self.documents = started.documents
        self.bytes_read = started.bytes_read
        self.obstacle = started.obstacle
        # Without a corpus the tokenizer is looked at as it is: with all its merges.
        self.following = self.counts_nothing
        self.reading = self.indexing = self.working = None
        self._go_where_due()

    def extend_to(self, steps: int) -> None:
        if self.recording is not None:
            self.recording.extend_to(steps)
            if self.following:
                self.recording.seek(len(self.recording))
            self._go_where_due()

    def _go_where_due(self) -> None:
        """Go to the step to begin with, if it is recorded by now."""
        if self.due is not None and self.recording is not None and self.due <= len(self.recording):
            self.seek(self.due)

    def end(self, reason: Enum) -> None:
        self.stop_reason, self.working = reason, None
        if self.recording is not None:
            self.recording.complete()
            if self.due is not None and not self.config.viewpoint.forks:
                self.seek(self.due)  # as near as there is one
        self.following = False  # nothing follows any more

    def keep(
        self,
        fork: Timeline,
        reason: Enum,
        config: RunConfig,
        step: int,
        otherwise: str,
        change: ForkChange,
    ) -> None:
        """Let a fork be the timeline from now on, at the step right after it forked."""
        assert self.timeline is not None
        run = self.timeline, self.stop_reason, self.config, self.forked_from
        self.forked_from = ForkedFrom(step, otherwise, change, *run)
        self.recording, self.stop_reason, self.config = fork, reason, config
        self.breakpoints.restart()
        self.seek(step + 1)

    def leave_fork(self) -> bool:
        """Go back to the run that this one is a fork of, where it forked; whether there is one."""
        origin = self.forked_from
        if origin is None:
            return False
        self.recording, self.stop_reason = origin.recording, origin.stop_reason
        self.config, self.forked_from = origin.config, origin.forked_from
        self.breakpoints.restart()
        self.seek(origin.step)
        return True

    # -- the player

    def step(self, by: int) -> None:
        """Go forward, or back if `by` is negative; playing and following stop."""
        self.hold()
        if self.recording is not None:
            self.recording.forward(by) if by > 0 else self.recording.back(-by)

    def sub_step(self) -> None:
        """Make the next move in the heap; playing and following stop."""
        self.hold()
        if self.timeline is not None:
            self.timeline.sub_step()

    def seek_tie(self, direction: int) -> bool:
        """Go to the nearest tied step after this one or before it; whether there is one."""
        merges = self.merges
        step = (
            merges.frame.tied_steps.nearest(merges.cursor, direction)
            if merges is not None
            else None
        )
        if step is not None:
            self.seek(step)
        return step is not None

    def seek(self, step: int) -> None:
        """Go to a step, or as near as there is one; playing and following stop."""
        self.hold()
        if self.recording is not None:
            self.recording.seek(max(0, min(step, len(self.recording))))

    def seek_end(self) -> None:
        """Go to the last step recorded; while training runs, stay at the end of the recording."""
        self.hold()
        if self.recording is not None:
            self.recording.seek(len(self.recording))
            self.following = self.stop_reason is None

    def hold(self) -> None:
        self.playing = self.following = self.awaiting = False
        self._halt = self.due = None

    def run_to_breakpoint(self) -> None:
        """Go to the next stop after the cursor, now or when it is found or recorded."""
        self.hold()
        if self.merges is not None:
            self.awaiting, self.found_none = True, False
            self._await_after = self.merges.cursor

    def toggle_play(self) -> None:
        """Play or pause; from the end of a finished recording, play from the start."""
        if self.recording is None:
            return
        was_playing = self.playing
        self.hold()
        self.playing = not was_playing
        self._owed = 0.0
        if self.playing and self.at_end and self.stop_reason is not None:
            self.recording.seek(0)

    def toggle_follow(self) -> None:
        """Stay at the end of the recording, or stop doing so."""
        was_following = self.following
        self.hold()
        self.following = not was_following
        if self.following and self.recording is not None:
            self.recording.seek(len(self.recording))

    def change_speed(self, by: int) -> None:
        self._speed = max(0, min(self._speed + by, len(SPEEDS) - 1))

    def tick(self, seconds: float) -> bool:
        """Let time pass; whether there is something new to be seen."""
        if self.recording is None:
            return False
        known, examined = self.breakpoints.hit_count, len(self.recording)
        if self.merges is not None:
            examined = self.breakpoints.examine(self.merges, SLICE_SECONDS)
        moved = False
        if self.awaiting:
            moved = self._run_on(self.recording, examined)
        elif self.playing:
            moved = self._play_on(self.recording, examined, seconds)
        return moved or self.breakpoints.hit_count != known

    def _run_on(self, recording: Player[Any], examined: int) -> bool:
        """Stop at the next stop, if it is known by now, or at the end if there is none."""
        hit = self.breakpoints.next_hit(self._await_after)
        if hit is not None and hit.step <= examined:
            self._stop_at(recording, hit)
            return True
        if examined < len(recording):
            return False
        if self.stop_reason is not None or not self.breakpoints.enabled:
            self.hold()
            self.found_none = True
            return True
        self.following = True
        return False

    def _play_on(self, recording: Player[Any], examined: int, seconds: float) -> bool:
        """Make the steps that are due, not past a breakpoint nor past what was looked at for it."""
        self._owed += seconds * self.speed
        steps = int(self._owed)
        self._owed -= steps
        if not steps:
            return False
        before = recording.cursor
        target = max(before, min(before + steps, examined))
        hit = self.breakpoints.next_hit(before)
        if hit is not None and hit.step <= target:
            self._stop_at(recording, hit)
            return True
        recording.seek(target)
        if self.at_end and self.stop_reason is not None:
            self.playing = False
        return recording.cursor != before or not self.playing

    def _stop_at(self, recording: Player[Any], hit: Hit) -> None:
        self.hold()
        recording.seek(hit.step)
        self._halt = hit
