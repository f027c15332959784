"""Steps of a run as a recording of the screen, made by an application without a terminal."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable, Sequence
from typing import Any

from rich.color import ColorSystem
from textual.app import App
from textual.message import Message
from textual.strip import Strip

from bpe_tui.app.session_app import SessionApp
from bpe_tui.lessons.beats import FASTEST_TOLD, PLAYED_SHARE
from bpe_tui.lessons.screen import LessonScreen
from bpe_tui.session import jobs
from bpe_tui.session.config import Config
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.session import Session
from bpe_tui.views.exports import painted_lines
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.visible import visible_text
from engine.core.errors import TimelineError

# Screens as a recording that asciinema and agg play: asciicast, version 2.
#
# A file is lines of JSON: a header, then what is written to the terminal, each with its time. The
# format: https://docs.asciinema.org/manual/asciicast/v2/


CLEAR = "\x1b[?25l\x1b[2J"
"""Hides the cursor and empties the screen."""


def header(width: int, height: int, title: str) -> str:
    """The first line. It has no date: the same steps always make the same file.

    >>> print(header(80, 24, "low"), end="")
    {"version": 2, "width": 80, "height": 24, "title": "low", "env": {"TERM": "xterm-256color"}}
    """
    said = {
        "version": 2,
        "width": width,
        "height": height,
        "title": visible_text(title, spaces=False),
        "env": {"TERM": "xterm-256color"},
    }
    return f"{json.dumps(said)}\n"


def event(seconds: float, output: str) -> str:
    """A line that says what is written, so many seconds after the beginning.

    >>> print(event(1.5, "hello"), end="")
    [1.5, "o", "hello"]
    """
    return f"{json.dumps([round(seconds, 6), 'o', output], ensure_ascii=False)}\n"


def drawn(screen: Sequence[Strip], before: Sequence[Strip] = ()) -> str:
    """What turns the screen `before` into `screen`: each line that is another, as a whole."""
    changed = [
        f"\x1b[{row};1H{_line(strip)}"
        for row, strip in enumerate(screen, 1)
        if row > len(before) or strip != before[row - 1]
    ]
    return "".join(changed if before else [CLEAR, *changed])


def _line(strip: Strip) -> str:
    """A line of a screen with its colours."""
    parts = []
    for text, style, _ in strip.simplify():
        # Whatever the screen was made of, no control character goes on to a terminal.
        shown = text if text.isprintable() else visible_text(text, spaces=False)
        parts.append(style.render(shown, color_system=ColorSystem.TRUECOLOR) if style else shown)
    return "".join(parts)


class ScreenWriter:
    """Writes the screen in front as events, each with what has changed since the one before."""

    def __init__(self, app: App[Any], write: Callable[[str], object]) -> None:
        self._app, self._write = app, write
        self._before: list[Strip] = []

    def take(self, seconds: float) -> None:
        """Write what the screen shows so many seconds after the beginning."""
        screen = painted_lines(self._app.screen)
        self._write(event(seconds, drawn(screen, self._before)))
        self._before = screen


WAIT_SECONDS = 0.01
USUAL_SPEED = 2.0
"""Steps a second."""
LAST_SECONDS = 2.0
"""How long the last step stays on the screen."""


class FinishedJob(OpeningJob):
    """Posts the news of a training that has been made, with a cursor of its own."""

    def __init__(self, session: Session, config: Config, post: Callable[[Message], object]) -> None:
        super().__init__(config, post)
        self._session = session

    def start(self) -> None:
        session = self._session
        assert session.recording is not None
        assert session.stop_reason is not None
        if session.opened is not None:
            self.post(jobs.TokenizerOpened(session.opened))
        own = copy.copy(session.recording)  # the cursor is its own, the run is everybody's
        self.post(
            jobs.TrainingStarted(own, session.documents, session.bytes_read, session.obstacle)
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
    """Run an application without a terminal, and write what it shows as an asciicast.

    The lesson view tells each step beat by beat, as it does where steps are played so slowly.

    Args:
        app: opens something; it is not running yet.
        steps: the first and the last; 0 is the state before any step.
        write: takes a line of the file at a time.
        size: of the screen, in columns and rows.
        steps_a_second: `None` is 2; in the lesson view 1, so that each step has its beats.

    Raises:
        TimelineError: the run has fewer steps.
        BpeError: it cannot be opened.
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

        async def show(seconds: float) -> None:
            await pilot.pause()
            writer.take(seconds)

        lesson = app.screen if isinstance(app.screen, LessonScreen) else None
        if lesson is not None:
            lesson.clock.motion = False  # the time is the recording's
        speed = steps_a_second or (FASTEST_TOLD if lesson is not None else USUAL_SPEED)
        for step in range(first, last + 1):
            app.seek(step)
            app.notices.now = ""
            if lesson is not None:
                await pilot.pause()
                lesson.work_out(lesson.frame_of(app.session))
            at = ended = (step - first) / speed
            if lesson is not None and step > first and speed <= FASTEST_TOLD:
                for seconds in lesson.retell(PLAYED_SHARE / speed):
                    ended = at + seconds
                    await show(ended)
            else:
                await show(at)
        write(event(ended + LAST_SECONDS, ""))
