"""Recordings of the screen, made by an application without a terminal."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.color import ColorSystem
from textual.app import App
from textual.message import Message
from textual.strip import Strip

from bpe_tui.app.session_app import SessionApp
from bpe_tui.lessons.beats import FASTEST_SHOWN, PLAYED_SHARE
from bpe_tui.lessons.screen import LessonScreen
from bpe_tui.session import jobs
from bpe_tui.session.config import Config
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.session import Session
from bpe_tui.views.exports import painted_lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import TimelineError

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


def event(seconds: float, output: str) -> str:
    """Return the line of an output, `seconds` after the beginning.

    >>> print(event(1.5, "hello"), end="")
    [1.5, "o", "hello"]
    """
    return f"{json.dumps([round(seconds, 6), 'o', output], ensure_ascii=False)}\n"


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


@dataclass
class ScreenWriter:
    """A writer of the screen in front, as events with the changes since the one before.

    Attributes:
        app: the application with the screen.
        write: takes the lines of the file.
        before: the screen as it was written last.
    """

    app: App[Any]
    write: Callable[[str], object]
    before: Sequence[Strip] = ()

    def take(self, seconds: float) -> None:
        """Write the screen, `seconds` after the beginning."""
        screen = painted_lines(self.app.screen)
        self.write(event(seconds, drawn(screen, self.before)))
        self.before = screen


WAIT_SECONDS = 0.01
USUAL_SPEED = 2.0
"""Steps a second."""
LAST_SECONDS = 2.0
"""Time for which the last step stays on the screen."""


class FinishedJob(OpeningJob):
    """A job that posts the messages of a finished training, with a cursor of its own."""

    def __init__(self, session: Session, config: Config, post: Callable[[Message], object]) -> None:
        super().__init__(config, post)
        self._session = session

    def start(self) -> None:
        session = self._session
        assert session.recording is not None
        assert session.stop_reason is not None
        if session.opened is not None:
            self.post(jobs.TokenizerOpened(session.opened))
        own = copy.copy(session.recording)  # a cursor of its own on the shared run
        self.post(
            jobs.TrainingStarted(
                *(own, session.documents, session.bytes_read, session.obstacle),
                *(session.chunks, session.origin),
            )
        )
        self.post(jobs.TrainingEnded(session.stop_reason))


async def record(
    app: SessionApp,
    steps: tuple[int, int],
    write: Callable[[str], object],
    *,
    size: tuple[int, int],
    steps_a_second: float | None,
) -> None:
    """Run an application without a terminal, and write its screen as an asciicast.

    The lesson view shows each step beat by beat if the speed allows.

    Args:
        app: the application, not running yet.
        steps: the first and the last step; 0 is the state before any step.
        write: takes the lines of the file.
        size: of the screen, in columns and rows.
        steps_a_second: `None` for 2, in the lesson view for 1, which leaves time for the beats.

    Raises:
        TimelineError: the run has fewer steps.
        BpeError: the config cannot be opened.
    """
    first, last = steps
    async with app.run_test(size=size) as pilot:
        while not app.is_settled:
            if app.failure is not None:
                raise app.failure
            await asyncio.sleep(WAIT_SECONDS)
        app.close_note()
        recorded = app.session.shown.recorded_steps if app.session.shown else 0
        if last > recorded:
            raise TimelineError(
                f"there is no step {number(last)}; the run has {number(recorded)} steps"
            )
        write(header(*size, app.session.config.name))
        writer = ScreenWriter(app, write)
        lesson = app.screen if isinstance(app.screen, LessonScreen) else None
        if lesson is not None:
            lesson.clock.motion = False  # the recording has its own time
        speed = steps_a_second or (FASTEST_SHOWN if lesson is not None else USUAL_SPEED)
        for step in range(first, last + 1):
            app.seek(step)
            app.notices.now = ""
            if lesson is not None:
                await pilot.pause()
                lesson.work_out(lesson.frame_of(app.session))
            at = ended = (step - first) / speed
            moments: Iterable[float] = (0.0,)
            if lesson is not None and step > first and speed <= FASTEST_SHOWN:
                moments = lesson.retell(PLAYED_SHARE / speed)  # draws each when asked for its time
            for seconds in moments:
                ended = at + seconds
                await pilot.pause()
                writer.take(ended)
        write(event(ended + LAST_SECONDS, ""))
