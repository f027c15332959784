"""The clock of the explain screen: it shows each step beat by beat, or its result at once.

The clock follows the session's cursor. It knows no screen: it gets frames, and calls back with the
moment to show. Its timers and its time are arguments, so that a test can control them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil
from time import monotonic
from typing import Any

from bpe_tui.explain.explanation import JOINED_AT, Beat, StepMoment, SteppableFrame

SECONDS = {Beat.PICK: 0.35, Beat.LIGHT: 0.45, Beat.JOIN: 0.6}
"""Duration of each beat after a key, in seconds."""
ALL_BEATS = sum(SECONDS.values())
"""Duration of all beats, in seconds; a step that follows sooner shows its result at once."""
CUT_SECONDS = 0.7
"""Duration of the text before it is cut at step 0, and of its pretokens, in seconds."""
PLAYED_SHARE = 0.84
"""Share of the time of a played step that its beats take; then its result stays."""
FASTEST_SHOWN = 1.0
"""Fastest playing, in steps a second, that shows beats; faster beats are too quick for the eye."""
FRAMES_PER_SECOND = 25


def beats_of(
    before: SteppableFrame,
    after: SteppableFrame,
    seconds: float,
    frames_a_second: int = FRAMES_PER_SECOND,
) -> Iterator[tuple[float, StepMoment[Any]]]:
    """Yield the moments of a step that takes `seconds`, each with its time from 0.

    A recording needs no clock: these are the moments that the clock would show.
    """
    pace = seconds / ALL_BEATS
    lit_at, joins_at = SECONDS[Beat.PICK] * pace, (SECONDS[Beat.PICK] + SECONDS[Beat.LIGHT]) * pace
    yield 0.0, StepMoment(before, after, Beat.PICK)
    yield lit_at, StepMoment(before, after, Beat.LIGHT)
    frames = ceil(SECONDS[Beat.JOIN] * pace * frames_a_second)
    for frame in range(frames):
        share = frame / frames
        yield joins_at + share * (seconds - joins_at), StepMoment(before, after, Beat.JOIN, share)
    yield seconds, StepMoment.at_rest(after)


class BeatClock:
    """A clock that shows steps with beats or without.

    A key never waits: a step that is made during another one's beats ends these at once.

    Args:
        show: called with each moment to show.
        call_in: calls a function after a number of seconds.
        now: returns the time in seconds.
        cuts: returns whether a frame's text is cut before step 1.

    Attributes:
        moment: the moment that is shown; `None` before the first.
        motion: whether there are beats at all.
        held: whether a beat stays until the next key.
    """

    def __init__(
        self,
        show: Callable[[StepMoment[Any]], object],
        call_in: Callable[[float, Callable[[], None]], object],
        now: Callable[[], float] = monotonic,
        cuts: Callable[[Any], bool] = lambda frame: False,
    ) -> None:
        self._show, self._call_in, self._now = show, call_in, now
        self._cuts = cuts
        self._has_cut = False
        self.moment: StepMoment[Any] | None = None
        self.motion = True
        self.held = False
        self._holds_next = False
        self._pace = 1.0
        self._timers = object()  # a new one for each step: timers of an earlier one are ignored
        self._stepped_at = -ALL_BEATS

    @property
    def is_moving(self) -> bool:
        """Whether a step's beats are running or held."""
        return self.moment is not None and self.moment.beat is not Beat.REST

    def follow(self, frame: Any, steps_a_second: float | None = None) -> None:
        """Show a state: beat by beat if it is the next one, and there is time for it.

        Args:
            frame: the state at the session's cursor.
            steps_a_second: the speed of playing; `None` after a key.
        """
        moment = self.moment
        after = None if moment is None or moment.after.run is not frame.run else moment.after
        if after is None or frame.step != after.step + 1:
            is_same_step = after is not None and frame.step == after.step
            if frame.step == 0 and not is_same_step and self.motion and self._cuts(frame):
                self.held = self._holds_next = False
                self._cut(frame, share=0.0)
            elif moment is None or not (is_same_step and self.is_moving):
                self.rest(frame)
            else:  # the recording may just be longer
                self.moment = replace(moment, after=frame)
            return
        now = self._now()
        hurried = steps_a_second is None and now - self._stepped_at < ALL_BEATS
        self._stepped_at = now
        fast = steps_a_second is not None and steps_a_second > FASTEST_SHOWN
        if (hurried or fast or not self.motion) and not self._holds_next:
            self.rest(frame)
            return
        self._timers = object()
        self.held, self._holds_next = self._holds_next, False
        self._set(StepMoment(after, frame, Beat.PICK))
        if not self.held:
            self._pace = PLAYED_SHARE / steps_a_second / ALL_BEATS if steps_a_second else 1.0
            self._go_on_in(SECONDS[Beat.PICK])

    def hold_next(self) -> bool:
        """Show one beat, and hold it; return whether a step must be made for it.

        After a held JOIN the counts move, and the step is at rest.
        """
        moment = self.moment
        if not self.is_moving:
            is_whole = moment is not None and moment.before is None and not self._has_cut
            if moment is not None and is_whole and self._cuts(moment.after):
                self.held = True
                self._cut(moment.after, share=1.0)
                return False
            self._holds_next = True
            return True
        self._timers = object()  # running timers are ignored
        self._pace = 1.0
        assert moment is not None
        self.held = moment.beat is not Beat.JOIN
        self._go_on()
        return False

    def release(self) -> bool:
        """Continue from a held beat to the result; return whether there was one."""
        was_held, self.held = self.held and self.is_moving, False
        if was_held and self.motion:
            self._go_on()
        elif was_held:
            self.finish()
        return was_held

    def rest(self, frame: SteppableFrame) -> None:
        """Show a state at once."""
        self._timers = object()
        self.held = self._holds_next = False
        self._set(StepMoment.at_rest(frame))

    def finish(self) -> None:
        """Show the result of the running step at once."""
        if self.is_moving:
            assert self.moment is not None
            self.rest(self.moment.after)

    # -- from beat to beat

    def _cut(self, frame: SteppableFrame, share: float) -> None:
        """Show the text of step 0 before it is cut, or its pretokens, then the counts."""
        self._timers = object()
        self._pace, self._has_cut = 1.0, True
        self._set(StepMoment(None, frame, Beat.CUT, share))
        if not self.held:
            self._go_on_in(CUT_SECONDS)

    def _set(self, moment: StepMoment[Any]) -> None:
        self.moment = moment
        self._has_cut = self._has_cut and moment.before is None
        self._show(moment)

    def _go_on_in(self, seconds: float) -> None:
        timers = self._timers
        self._call_in(
            seconds * self._pace, lambda: self._go_on() if timers is self._timers else None
        )

    def _go_on(self) -> None:
        """Show the next beat; unless it is held, the following one comes later."""
        moment = self.moment
        assert moment is not None
        if moment.beat is Beat.CUT and not moment.share:
            self._cut(moment.after, share=1.0)
        elif moment.beat is Beat.PICK:
            self._set(replace(moment, beat=Beat.LIGHT))
            if not self.held:
                self._go_on_in(SECONDS[Beat.LIGHT])
        elif moment.beat is Beat.LIGHT and self.held:
            self._set(replace(moment, beat=Beat.JOIN, share=JOINED_AT))
        elif self.motion and moment.beat is not Beat.CUT:
            self._join(moment, moment.share if moment.beat is Beat.JOIN else 0.0)
        else:
            self.rest(moment.after)

    def _join(self, moment: StepMoment[Any], start: float) -> None:
        """Show the beat JOIN from a share of it on, frame by frame."""
        duration = SECONDS[Beat.JOIN] * self._pace
        began, timers = self._now() - start * duration, self._timers
        self._set(replace(moment, beat=Beat.JOIN, share=start))

        def move() -> None:
            if timers is not self._timers:
                return
            share = (self._now() - began) / duration
            if share >= 1:
                self.rest(moment.after)
            else:
                self._set(replace(moment, beat=Beat.JOIN, share=share))
                self._call_in(1 / FRAMES_PER_SECOND, move)

        self._call_in(1 / FRAMES_PER_SECOND, move)
