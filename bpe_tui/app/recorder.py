"""Recordings of the screen, made by an application without a terminal."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from rich.color import ColorSystem
from textual.pilot import Pilot
from textual.strip import Strip

from bpe_tui.app.session_app import SessionApp
from bpe_tui.explain.beats import FASTEST_SHOWN
from bpe_tui.explain.screen import ExplainScreen
from bpe_tui.styles import DARK
from bpe_tui.widgets.language import current_table, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.textual_private import is_laid_out, painted_lines
from bpe_tui.widgets.visible import still_visible, visible_text
from engine.core.errors import QuestionError, TimelineError
from engine.learning.questions import ask
from engine.learning.questions.question import Question

# The format is asciicast, version 2, which asciinema and agg play: a line of JSON for the header,
# and one for each output, with its time. https://docs.asciinema.org/manual/asciicast/v2/


CLEAR = "\x1b[?25l\x1b[2J"
"""Hides the cursor and empties the screen."""


def header(width: int, height: int, title: str) -> str:
    """Return the first line. It has no date, so the same steps make the same file.

    >>> print(header(80, 24, "low"), end="")
    {"version": 2, "width": 80, "height": 24, "title": "low", "env": {"TERM": "xterm-256color"}}
    """
    fields = {
        "version": 2,
        "width": width,
        "height": height,
        "title": visible_text(title, spaces=False),
        "env": {"TERM": "xterm-256color"},
    }
    return f"{json.dumps(fields)}\n"


OUTPUT, MARKER = "o", "m"
"""Codes of events; players stop at markers, or jump to them."""


def event(seconds: float, text: str, code: str = OUTPUT) -> str:
    """Return the line of an event, `seconds` after the beginning.

    >>> print(event(1.5, "hello"), event(2, "step 3", MARKER), sep="", end="")
    [1.5, "o", "hello"]
    [2, "m", "step 3"]
    """
    return f"{json.dumps([round(seconds, 6), code, text], ensure_ascii=False)}\n"


def drawn(screen: Sequence[Strip], before: Sequence[Strip] = ()) -> str:
    """Return the output that turns the screen `before` into `screen`: the changed lines."""
    parts = [] if before else [CLEAR]
    for row, strip in enumerate(screen, 1):
        if row <= len(before) and strip == before[row - 1]:
            continue
        parts.append(f"\x1b[{row};1H")
        for text, style, _ in strip.simplify():
            # No control character of any text may reach a terminal.
            shown = text if text.isprintable() else visible_text(text, spaces=False)
            colours = ColorSystem.TRUECOLOR
            parts.append(style.render(shown, color_system=colours) if style else shown)
    return "".join(parts)


@dataclass(frozen=True)
class Shot:
    """A screen in a film.

    Attributes:
        screen: the painted lines.
        seconds: time for which it stays.
        mark: the label of the step that begins here; "" in the middle of one.
        narration: sentences about it, visible text.
        question: is asked while it is shown, so its screen must not tell the answer.
    """

    screen: Sequence[Strip]
    seconds: float
    mark: str = ""
    narration: tuple[str, ...] = ()
    question: Question | None = None


class Film(Protocol):
    """A recording under way.

    Attributes:
        theme: the theme to paint in.
        has_text: whether it takes narrations and questions.
        frames_a_second: number of shots a second while something moves.
    """

    theme: str
    has_text: bool
    frames_a_second: int

    def begin(self, size: tuple[int, int], title: str) -> None:
        """Begin, with the size in columns and rows."""

    def take(self, shot: Shot) -> None:
        """Add a shot."""

    def end(self) -> None:
        """End after the last shot."""


class CastFilm:
    """An asciicast: a marker at each step, and the changes from screen to screen."""

    theme = DARK.name
    has_text = False
    frames_a_second = 12

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._before: Sequence[Strip] = ()
        self._seconds = 0.0

    def begin(self, size: tuple[int, int], title: str) -> None:
        self._write(header(*size, title))

    def take(self, shot: Shot) -> None:
        if shot.mark:
            self._write(event(self._seconds, shot.mark, MARKER))
        self._write(event(self._seconds, drawn(shot.screen, self._before)))
        self._before = shot.screen
        self._seconds += shot.seconds

    def end(self) -> None:
        self._write(event(self._seconds, ""))


class Camera:
    """A camera on the screen in front of an application."""

    def __init__(self, app: SessionApp, pilot: Pilot[Any], film: Film) -> None:
        self.app, self.pilot, self.film = app, pilot, film

    async def settle(self) -> None:
        """Wait until nothing in front is left to lay out; Textual waits up to 33 ms before it."""
        await self.pilot.pause()
        while not is_laid_out(self.app.screen):
            await self.pilot.pause(WAIT_SECONDS)

    async def take(self, seconds: float, **about: Any) -> None:
        """Take a shot; `about` are further attributes of a `Shot`."""
        await self.settle()
        self.film.take(Shot(painted_lines(self.app.screen), seconds, **about))

    async def take_step(
        self, seconds: float, is_new: bool, is_last: bool = False, **about: Any
    ) -> None:
        """Take the present step, on the explain screen beat by beat if there is time.

        A film with text asks there before it shows the new counts, which tell the next step.

        Args:
            seconds: time for the step; its beats take a share of it.
            is_new: whether the step is shown as being made.
            is_last: whether no step of the film follows.
            about: further attributes of the first shot.
        """
        await self.settle()
        asks = self.film.has_text
        screen = self.app.screen
        if isinstance(screen, ExplainScreen):
            screen.clock.motion = False  # the recording has its own time
            screen.clock.finish()  # the cut of step 0
            screen.work_out(screen.frame_of(self.app.session))
            if is_new:
                beats = min(seconds * BEATS_SHARE, LONGEST_BEATS)
                at, painted = 0.0, None
                for begins in screen.retell(beats, self.film.frames_a_second, not asks):
                    await self.pilot.pause(0)  # no timers run that it must wait for
                    if painted is not None:
                        self.film.take(Shot(painted, begins - at, **about))
                        about = {}
                    at, painted = begins, painted_lines(self.app.screen)
                if painted is not None:
                    until = beats if asks else seconds
                    self.film.take(Shot(painted, until - at, **about))
                    if not asks:
                        return
                    seconds, about = seconds - beats, {}
            if asks and await self._ask(screen, is_last, about):
                about = {}
        await self.take(seconds, **about)

    async def _ask(self, screen: ExplainScreen, is_last: bool, about: dict[str, Any]) -> bool:
        """Take a shot of the corpus with a question; return whether one can be asked.

        It is about the next step; at the end of the film about encoding a word, where it can be.
        """
        screen.toggle_predictions()
        asked = screen.predictor.waiting
        question = None if asked is None else asked.attempt.question
        frame = screen.frame_of(self.app.session)
        if question is not None and question.frame.step != frame.step:
            question = None  # it is about a later step, since nothing can be asked about this one
        if is_last:
            with suppress(QuestionError):
                question = ask("encode-by-hand", frame).translated(current_table())
        if question is not None:
            await self.settle()
            top = screen.sections["corpus"].region.y
            self.film.take(Shot(painted_lines(screen)[top:], 0, question=question, **about))
        if asked is not None:
            screen.toggle_predictions()
        self.app.clear_notices()  # which say that nothing can be asked
        return question is not None

    def narrate(self) -> tuple[str, ...]:
        """Return the sentences of `--plain` about the present step; () if the film needs none."""
        session = self.app.session
        if not self.film.has_text or session.recording is None or session.stop_reason is None:
            return ()
        recording = copy.copy(session.recording)  # a cursor of its own
        transcript = session.model.part("transcript")(recording, session.stop_reason)
        return tuple(map(still_visible, transcript.answer(f"go {session.recording.cursor}")))


WAIT_SECONDS = 0.01
USUAL_SPEED, LESSON_SPEED = 2.0, 0.2
"""Steps a second, and on the explain screen, where each beat stays long enough to be read."""
BEATS_SHARE, LONGEST_BEATS = 0.7, 3.5
"""Share of a step's time that its beats take, and their longest time in seconds."""
LAST_SECONDS = 2.0
"""Time for which the last step stays on the screen."""


async def record(
    app: SessionApp,
    steps: tuple[int, int],
    film: Film,
    *,
    size: tuple[int, int],
    steps_a_second: float | None,
) -> None:
    """Run an application without a terminal, and film its screen step by step.

    The explain screen shows each step beat by beat if the speed allows.

    Args:
        app: the application, not running yet.
        steps: the first and the last step; 0 is the state before any step.
        film: takes the shots.
        size: of the screen, in columns and rows.
        steps_a_second: `None` for 2, on the explain screen for a step in 5 seconds.

    Raises:
        TimelineError: the run has fewer steps.
        BpeError: the config cannot be opened.
    """
    first, last = steps
    app.set_class(film.has_text, "-page")  # its keys do nothing there
    async with app.run_test(size=size) as pilot:
        while app.session.stop_reason is None:
            if app.failure is not None:
                raise app.failure
            await asyncio.sleep(WAIT_SECONDS)
        recorded = len(app.session.recording or ())
        if last > recorded:
            raise TimelineError(
                f"there is no step {number(last)}; the run has {number(recorded)} steps"
            )
        film.begin(size, app.session.config.name)
        camera = Camera(app, pilot, film)
        await camera.settle()  # a list scrolls to the step by the height that it has
        is_lesson = isinstance(app.screen, ExplainScreen)
        speed = steps_a_second or (LESSON_SPEED if is_lesson else USUAL_SPEED)
        if isinstance(app.screen, ExplainScreen):
            app.screen.clock.motion = False
        for step in range(first, last + 1):
            app.seek(step)
            app.clear_notices()
            seconds = 1 / speed if step < last else max(1 / speed, LAST_SECONDS)
            await camera.take_step(
                seconds,
                step > first and speed <= FASTEST_SHOWN,
                step == last,
                mark=tr("step {n}", n=step),
                narration=camera.narrate(),
            )
        film.end()
