"""The state of the application: the recording that is open, and how it is played.

Only methods of `Session` change it, and only the UI thread calls them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from bpe_tui.session import jobs
from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.declarations import CHECK, ENCODING, PIPELINE, TRAINING, VOCABULARY, Model
from bpe_tui.session.models import model_of
from bpe_tui.widgets.language import times, tr
from engine.analysis.breakpoint_list import BreakpointList, Hit
from engine.bpe.frame import Frame, Timeline
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import StopReason
from engine.bpe.trainers import algorithm_for
from engine.bpe.trainers.algorithm import Algorithm
from engine.core.events import WorkProgress
from engine.encoding.alphabet import UNITS
from engine.recording.playback import MergeTimeline, Player
from engine.text.excerpt import Excerpt

if TYPE_CHECKING:
    from engine.formats.tokenizer_format import Opened

SPEEDS = (1, 2, 5, 10, 30, 100, 300, 1000)
"""Steps a second."""
SLICE_SECONDS = 0.015
"""Longest search for breakpoints at a time."""
EXAMPLE = "Héllo, the café at 10:30 was ﬁne — naïve 漢字 🙂"
"""The text to encode at first if there is no corpus."""


@cache
def _algorithm_of(trainer: str, tie_rule: str, units: str) -> Algorithm:
    return algorithm_for(trainer, TIE_RULES[tie_rule], UNITS[units].base({}).alphabet)


class StepFrame(Protocol):
    """The state at one step, of any model: the part that all screens share.

    Attributes:
        step: number of steps made so far.
        recorded_steps: number of steps that were recorded when the frame was taken.
        has_corpus: whether there are pretokens to count in.
        excerpt: the beginning of the corpus.
    """

    step: int
    recorded_steps: int
    has_corpus: bool
    excerpt: Excerpt


class ForkedFrom(NamedTuple):
    """The run that a fork came from, and how the fork differs.

    Attributes:
        step: step of the fork.
        otherwise: the difference, in a few words.
        recording, stop_reason, config, forked_from: fields of the session before the fork.
    """

    step: int
    otherwise: str
    recording: Timeline
    stop_reason: Enum | None
    config: Config
    forked_from: ForkedFrom | None


class Session:
    """One corpus or tokenizer, and the player of its recording.

    Attributes:
        model: the model that is trained; BPE for a tokenizer that was opened.
        reading: the latest progress of the reading, until it ends.
        opened: the tokenizer that was opened, with its format and notes; `None` in a training.
        obstacle: why the tokenizer's merges cannot be replayed; `None` if they can.
        failure: why nothing could be opened; `None` if something is.
        recording: the steps, of any model; `None` while the corpus is being read.
        working: progress of the work before the first step or between two, if that takes long.
        stop_reason: why training ended; `None` while it runs.
        forked_from: the run that this one is a fork of; `None` if it is no fork.
        came_from: the session of another model that was left for this one, if it is kept.
        playing: whether the cursor moves by itself.
        speed: number of steps a second while playing.
        following: whether the cursor stays at the end of the recording.
        breakpoints: conditions to stop at; `tick` examines the merges for them.
        awaiting: whether the cursor goes to the next stop as soon as it is found.
        typed: the text to encode that the user has typed; `None` before that.
        claimed: the merges to check on the corpus; `None` for no check.
        due: the step to go to once it is recorded; `None` after any move of the user.
        found_none: whether the last search for a breakpoint reached the end of the run.
        halt: the breakpoint at which the cursor was stopped, until it moves.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.model: Model = model_of(config)
        self.reading: jobs.ReadingProgress | None = None
        self.opened: Opened | None = None
        self.obstacle: str | None = None
        self.failure: str | None = None
        self.recording: Player[Any] | None = None
        self.working: WorkProgress | None = None
        self.documents = 0
        self.bytes_read = 0
        self.stop_reason: Enum | None = None
        self.forked_from: ForkedFrom | None = None
        self.came_from: Session | None = None
        self.playing = False
        self.speed = self.model.steps_a_second
        self.following = False
        self.breakpoints = BreakpointList()
        self.awaiting = False
        self.found_none = False
        self.typed: str | None = None
        self.halt: Hit | None = None
        self._await_after = 0
        self.claimed = config.claimed if isinstance(config, RunConfig) else None
        self.due = config.viewpoint.step
        self._owed = 0.0  # fraction of a step that playing has still to make

    @property
    def shown(self) -> StepFrame | None:
        """The state at the cursor; `None` while the corpus is being read."""
        return self.recording.frame if self.recording is not None else None

    @property
    def timeline(self) -> Timeline | None:
        """The recording if it is of BPE's merges, else `None`."""
        return self.recording if isinstance(self.recording, Timeline) else None

    @property
    def merges(self) -> MergeTimeline[Any] | None:
        """The recording if it is of merges, of any model that merges; else `None`."""
        return self.recording if isinstance(self.recording, MergeTimeline) else None

    @property
    def frame(self) -> Frame | None:
        """The state at the cursor if the model is BPE, else `None`."""
        return self.timeline.frame if self.timeline is not None else None

    @property
    def merges_nothing(self) -> bool:
        """Whether the open tokenizer's model has no merges."""
        pipeline = self.opened.tokenizer.pipeline if self.opened is not None else None
        return (pipeline is not None and not pipeline.merges) or not self.encodes

    @property
    def takes_longest(self) -> bool:
        """Whether the open tokenizer encodes by longest match."""
        pipeline = self.opened.tokenizer.pipeline if self.opened is not None else None
        return pipeline is not None and pipeline.takes_longest

    @property
    def encodes(self) -> bool:
        """Whether texts can be encoded: not if the open vocabulary lacks its merges."""
        return self.opened is None or self.opened.tokenizer.alphabet.spells

    @property
    def counts_nothing(self) -> bool:
        """Whether a tokenizer is open without a corpus."""
        return self.timeline is not None and not self.timeline.run.counts

    @property
    def first_kind(self) -> str:
        """The kind of screen that shows the session first."""
        if not self.encodes:
            return VOCABULARY
        if self.merges_nothing:
            return PIPELINE
        if self.claimed is not None and self.timeline is not None:
            return CHECK
        if self.counts_nothing:
            return ENCODING
        return TRAINING

    @property
    def text(self) -> str:
        """The text that all screens encode: the typed one, at first the corpus's first sentence."""
        if self.typed is not None:
            return self.typed
        return (self.shown.excerpt.first_sentence if self.shown is not None else "") or EXAMPLE

    def type(self, text: str) -> None:
        """Make `text` the text that all screens encode."""
        if text != self.text:
            self.typed = text

    @property
    def algorithm(self) -> Algorithm | None:
        """The training algorithm, as the tie rule allows it; `None` in a replay.

        For a corpus too large for `native`, `fast` trains instead. This property ignores that:
        to look at all counts would take long, and no screen shows the difference.
        """
        config = self.config
        if not isinstance(config, RunConfig) or self.model.trainers:
            return None
        return _algorithm_of(config.trainer, config.tie_rule, config.units)

    @property
    def at_end(self) -> bool:
        return self.recording is not None and self.recording.cursor == len(self.recording)

    # -- what the job reports

    def start(self, started: jobs.TrainingStarted) -> None:
        self.recording = started.timeline
        self.documents = started.documents
        self.bytes_read = started.bytes_read
        self.obstacle = started.obstacle
        # A tokenizer without a corpus is shown with all its merges.
        self.following = self.counts_nothing
        self.reading = self.working = None

    def extend_to(self, steps: int) -> None:
        if self.recording is not None:
            self.recording.extend_to(steps)
            if self.following:
                self.recording.seek(len(self.recording))
            if self.due is not None and self.due <= len(self.recording):
                self.seek(self.due)

    def end(self, reason: Enum) -> None:
        self.stop_reason, self.working = reason, None
        if self.recording is not None:
            self.recording.complete()
            self._explain_no_merge(reason)
            if self.due is not None:
                self.seek(self.due)  # or to the last step, if that comes before
        self.following = False

    def _explain_no_merge(self, reason: Enum) -> None:
        """Say in the run itself why it has no merge, if no pair is frequent enough."""
        if reason is StopReason.TOO_RARE and self.timeline is not None and not len(self.timeline):
            count = self.timeline.frame.queue.highest_count
            pairs = tr("all pairs occur") if count == 1 else tr("the most frequent pair occurs")
            template = "{pairs} {times}: --min-count {count} goes on"
            self.timeline.run.obstacle = tr(template, pairs=pairs, times=times(count), count=count)

    def keep(self, fork: jobs.WhatIfEnded, plan: jobs.ForkPlan) -> None:
        """Continue with a fork, at the step right after it forked."""
        assert self.timeline is not None
        run = self.timeline, self.stop_reason, self.config, self.forked_from
        self.forked_from = ForkedFrom(plan.step, plan.otherwise, *run)
        self.recording, self.stop_reason, self.config = fork.timeline, fork.reason, plan.config
        self.breakpoints.restart()
        self.seek(plan.step + 1)

    def leave_fork(self) -> bool:
        """Go back to the run that this one is a fork of; return whether there is one."""
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
        """Go to the nearest tied step after this one or before it; return whether there is one."""
        if self.merges is None:
            return False
        step = self.merges.frame.tied_steps.nearest(self.merges.cursor, direction)
        if step is not None:
            self.seek(step)
        return step is not None

    def seek_prune(self, direction: int) -> bool:
        """Go to the nearest prune after this step or before it; return whether there is one."""
        if self.recording is None:
            return False
        prunes, here = getattr(self.shown, "prunes", ()), self.recording.cursor
        place = bisect_right(prunes, here) if direction > 0 else bisect_left(prunes, here) - 1
        if 0 <= place < len(prunes):
            self.seek(prunes[place])
            return True
        return False

    def seek(self, step: int) -> None:
        """Go to a step, or to the nearest recorded one; playing and following stop."""
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
        """Stop playing, following and awaiting."""
        self.playing = self.following = self.awaiting = False
        self.halt = self.due = None

    def run_to_breakpoint(self) -> None:
        """Go to the next breakpoint after the cursor, as soon as it is found."""
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

    def change_speed(self, by: int) -> None:
        place = SPEEDS.index(self.speed) + by
        self.speed = SPEEDS[max(0, min(place, len(SPEEDS) - 1))]

    @property
    def needs_time(self) -> bool:
        """Whether `tick` has something to do: playing, or merges to try breakpoints on."""
        if self.recording is None:
            return False
        examined = self.breakpoints.examined if self.merges is not None else None
        is_behind = examined is not None and examined < len(self.recording)
        return self.playing or self.awaiting or is_behind

    def tick(self, seconds: float) -> bool:
        """Let time pass; return whether there is something new to draw."""
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
        """Go to the next breakpoint if it is known by now; give up at the end of the run."""
        hit = self.breakpoints.next_hit(self._await_after)
        if hit is not None and hit.step <= examined:
            self._stop_at(recording, hit)
            return True
        if examined < len(recording):
            return False
        if self.stop_reason is not None or not self.breakpoints.watched:
            self.hold()
            self.found_none = True
            return True
        self.following = True
        return False

    def _play_on(self, recording: Player[Any], examined: int, seconds: float) -> bool:
        """Make the steps that are due, up to the next breakpoint and the last examined merge."""
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
        self.halt = hit
