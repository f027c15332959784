"""The clock of the lesson view: it tells each step beat by beat, or shows its result at once.

The clock follows the session's cursor. It knows no screen: it is handed frames, and says which
moment is to be shown; timers and the time are given to it, so that a test can turn its hands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import ceil
from time import monotonic
from typing import Any

from bpe_tui.views.explanation import Beat, StepMoment, SteppableFrame

SECONDS = {Beat.PICK: 0.35, Beat.LIGHT: 0.45, Beat.JOIN: 0.6}
"""How long the beats take when one steps."""
ALL_BEATS = sum(SECONDS.values())
"""In seconds. A step sooner than this after the one before shows its result at once."""
PLAYED_SHARE = 0.84
"""Of the time of a step that is played: its beats; then the result rests."""
FASTEST_TOLD = 1.0
"""Steps a second up to which playing shows beats; faster, one could not follow them."""
FRAMES_PER_SECOND = 25


def beats_of(
    before: SteppableFrame, after: SteppableFrame, seconds: float
) -> Iterator[tuple[float, StepMoment[Any]]]:
    """The moments of a step that is told in so many seconds, each with its time from 0 on.

    For who needs no clock, such as a recording: what the clock shows, up to the result.
    """
    pace = seconds / ALL_BEATS
    lit_at, joins_at = SECONDS[Beat.PICK] * pace, (SECONDS[Beat.PICK] + SECONDS[Beat.LIGHT]) * pace
    yield 0.0, StepMoment(before, after, Beat.PICK)
    yield lit_at, StepMoment(before, after, Beat.LIGHT)
    frames = ceil(SECONDS[Beat.JOIN] * pace * FRAMES_PER_SECOND)
    for frame in range(frames):
        share = frame / frames
        yield joins_at + share * (seconds - joins_at), StepMoment(before, after, Beat.JOIN, share)
    yield seconds, StepMoment.at_rest(after)


class BeatClock:
    """Tells steps with beats or without.

    A key never waits: a step that is made while another is told ends that at once.

    Args:
        show: called with each moment that is to be seen.
        call_in: a timer, of so many seconds.
        now: the time in seconds.

    Attributes:
        moment: what is shown; `None` as long as there is nothing.
        motion: whether there are beats at all.
        held: a beat stays until the next key.
    """

    def __init__(
        self,
        show: Callable[[StepMoment[Any]], object],
        call_in: Callable[[float, Callable[[], None]], object],
        now: Callable[[], float] = monotonic,
    ) -> None:
        self._show, self._call_in, self._now = show, call_in, now
        self.moment: StepMoment[Any] | None = None
        self.motion = True
        self.held = False
        self._holds_next = False
        self._pace = 1.0
        self._told = 0  # a timer set for an earlier step says nothing any more
        self._stepped_at = -ALL_BEATS

    @property
    def is_telling(self) -> bool:
        """Whether a step is told just now, or held."""
        return self.moment is not None and self.moment.beat is not Beat.REST

    def follow(self, frame: SteppableFrame, steps_a_second: float | None = None) -> None:
        """Show a state: beat by beat if it is the next one, and there is time for it.

        Args:
            frame: the state at the session's cursor.
            steps_a_second: how fast it is played; `None` if a key has led there.
        """
        moment = self.moment
        if moment is None or not _is_next(moment.after, frame):
            is_known = moment is not None and _is_same_step(moment.after, frame)
            if not (is_known and self.is_telling):  # the recording may just be longer
                self.rest(frame)
            return
        now = self._now()
        hurried = steps_a_second is None and now - self._stepped_at < ALL_BEATS
        self._stepped_at = now
        fast = steps_a_second is not None and steps_a_second > FASTEST_TOLD
        if self._holds_next:
            self._begin(moment.after, frame)
            self.held, self._holds_next = True, False
        elif hurried or fast or not self.motion:
            self.rest(frame)
        else:
            self._pace = PLAYED_SHARE / steps_a_second / ALL_BEATS if steps_a_second else 1.0
            self._begin(moment.after, frame)
            self._go_on_in(SECONDS[Beat.PICK])

    def hold_next(self) -> bool:
        """One beat, to stay; whether a step has to be made for it."""
        if not self.is_telling:
            self._holds_next = True
            return True
        self._told += 1  # whatever runs, stops
        self.held, self._pace = True, 1.0
        self._go_on()
        return False

    def release(self) -> bool:
        """Let a held beat go on to the result; whether there was one."""
        was_held, self.held = self.held and self.is_telling, False
        if was_held and self.motion:
            self._go_on()
        elif was_held:
            self.finish()
        return was_held

    def rest(self, frame: SteppableFrame) -> None:
        """Show a state at once."""
        self._told += 1
        self.held = self._holds_next = False
        self._set(StepMoment.at_rest(frame))

    def finish(self) -> None:
        """Show the result of the step that is told, at once."""
        if self.moment is not None and self.is_telling:
            self.rest(self.moment.after)

    # -- from beat to beat

    def _set(self, moment: StepMoment[Any]) -> None:
        self.moment = moment
        self._show(moment)

    def _begin(self, before: SteppableFrame, after: SteppableFrame) -> None:
        self._told += 1
        self.held = False
        self._set(StepMoment(before, after, Beat.PICK))

    def _go_on_in(self, seconds: float) -> None:
        told = self._told

        def call() -> None:
            if told == self._told:
                self._go_on()

        self._call_in(seconds * self._pace, call)

    def _go_on(self) -> None:
        """To the next beat, and unless that is held, later to the one after it."""
        moment = self.moment
        assert moment is not None
        if moment.beat is Beat.PICK:
            self._set(replace(moment, beat=Beat.LIGHT))
            if not self.held:
                self._go_on_in(SECONDS[Beat.LIGHT])
        elif moment.beat is Beat.LIGHT and self.motion:
            self._join(moment)
        else:
            self.rest(moment.after)

    def _join(self, moment: StepMoment[Any]) -> None:
        began, told = self._now(), self._told
        self._set(replace(moment, beat=Beat.JOIN, share=0.0))

        def move() -> None:
            if told != self._told:
                return
            share = (self._now() - began) / (SECONDS[Beat.JOIN] * self._pace)
            if share >= 1:
                self.rest(moment.after)
            else:
                self._set(replace(moment, beat=Beat.JOIN, share=share))
                self._call_in(1 / FRAMES_PER_SECOND, move)

        self._call_in(1 / FRAMES_PER_SECOND, move)


def _is_next(known: Any, frame: Any) -> bool:
    return known.run is frame.run and frame.step == known.step + 1


def _is_same_step(known: Any, frame: Any) -> bool:
    return known.run is frame.run and frame.step == known.step
