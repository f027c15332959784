"""Opening the application for a test.

Most tests ask what a key does in a finished run. For them a run is trained once in each test
process and handed to every application that opens it (`RecordedJob`), with the messages of the
training job. A run never changes once it is complete, so all of them share it; the timeline, which
is a run and a cursor, is each application's own.
"""

import copy
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from textual import events
from textual.app import App
from textual.keys import key_to_character
from textual.message import Message
from textual.pilot import Pilot

from bpe_tui.app import lesson_author
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import Config, RunConfig
from bpe_tui.session.jobs import (
    OpeningJob,
    StepsRecorded,
    TokenizerOpened,
    TrainingEnded,
    TrainingStarted,
)
from bpe_tui.session.session import Session
from bpe_tui.session.state import remember_opened
from engine.bpe.frame import Frame

SIZES = ((60, 20), (64, 20), (72, 24), (80, 24), (100, 30), (120, 40), (200, 60))
"""Sizes of the terminal, in columns and rows, at which all that a screen shows fits."""
SAMPLE = Path(__file__).parents[2] / "samples" / "tinystories_valid.txt"


@asynccontextmanager
async def opened(
    corpus: Path = SAMPLE,
    size: tuple[int, int] = (120, 40),
    vocab_size: int = 700,
    tie_rule: str = "lexicographic",
    trainer: str = RunConfig.trainer,
    model: str = "bpe",
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """Open the application with its training finished."""
    config = RunConfig(
        str(corpus), vocab_size=vocab_size, tie_rule=tie_rule, trainer=trainer, model=model
    )
    async with opened_as(config, size) as there:
        yield there


@asynccontextmanager
async def opened_as(
    config: Config, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """Open the application with all steps of the run in `config`."""
    app = BpeTuiApp(config, recorded_once)
    app.makes_ahead = False  # most tests look at one screen
    async with app.run_test(size=size) as pilot:
        await ended(app, pilot)
        yield app, pilot


async def ended(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    """Wait until all steps of the session are recorded."""
    await until(pilot, lambda: app.session.stop_reason is not None)
    await pilot.pause()


async def until(pilot: Pilot[int], holds: Callable[[], object], seconds: float = 60) -> None:
    """Wait until a condition is true, and fail if it is not so in time (a busy machine is slow)."""
    deadline = monotonic() + seconds
    while monotonic() < deadline:
        await pilot.pause()
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError(f"still not so after {seconds} s")


def waiting_ends_with(monkeypatch: pytest.MonkeyPatch, missing: Sequence[str]) -> None:
    """Let the time of a lesson's check pass once only these texts are missing: it counts looks."""
    missing_of, clock = lesson_author._missing, 0.0

    def look(app: BpeTuiApp, see: Sequence[str]) -> Sequence[str]:
        nonlocal clock
        found = missing_of(app, see)
        clock += 60 if found == missing else 0.01
        return found

    monkeypatch.setattr(lesson_author, "_missing", look)
    monkeypatch.setattr(lesson_author, "monotonic", lambda: clock)


async def ended_by_failure(config: Config) -> BpeTuiApp:
    """Run an app until what it was to open ends it; a pilot would wait for its screen."""
    app = BpeTuiApp(config)
    await app.run_async(headless=True)
    return app


async def each_size(
    pilot: Pilot[int], sizes: Sequence[tuple[int, int]] = ((120, 40), (80, 24), (60, 20))
) -> AsyncIterator[tuple[int, int]]:
    """Give the terminal one size after the other; the open screen stays open."""
    for size in sizes:
        await pilot.resize_terminal(*size)
        await until(pilot, lambda: pilot.app.screen.outer_size == size)  # noqa: B023
        await pilot.pause()
        yield size


def burst(app: App[Any], *keys: str) -> None:
    """Press keys at once, before any of them is dealt with."""
    assert app._driver is not None
    for key in keys:
        pressed = events.Key(key, key_to_character(key))
        pressed.set_sender(app)
        app._driver.send_message(pressed)


def step(app: BpeTuiApp) -> int:
    assert app.session.recording is not None
    return app.session.recording.cursor


def frame_of(app: BpeTuiApp) -> Frame:
    """Return the frame at the cursor of a run of BPE."""
    assert app.session.frame is not None
    return app.session.frame


def session_of(config: Config) -> Session:
    """Return a session that has recorded all its steps, without an application."""
    news: list[Message] = []
    job, session = OpeningJob(config, news.append), Session(config)
    job.go_on()  # there is no screen to wait for
    job.work()
    for each in news:
        match each:
            case TokenizerOpened(opened):
                session.opened = opened
            case TrainingStarted():
                session.start(each)
            case StepsRecorded(steps):
                session.extend_to(steps)
            case TrainingEnded(reason):
                session.end(reason)
    return session


# --- runs that are trained once ---------------------------------------------------------------


def recorded_once(config: Config, post: Callable[[Message], object]) -> OpeningJob:
    """Return a job that posts a finished run, if the run is trained on a corpus."""
    if not isinstance(config, RunConfig) or not Path(config.corpus).is_file():
        return OpeningJob(config, post)
    return RecordedJob(config, post)


class IdleJob(OpeningJob):
    """A job that posts nothing of its own."""

    def start(self) -> None:
        """Do nothing."""


class RecordedJob(OpeningJob):
    """A job that posts the messages of a finished training, on the application's own thread."""

    def start(self) -> None:
        self._run()  # an error is posted, too

    def work(self) -> None:
        assert isinstance(self.config, RunConfig)
        begun, ended = _trained(self.config)
        own = copy.copy(begun.timeline)  # the cursor is its own, the run is everybody's
        self.post(replace(begun, timeline=own))
        remember_opened(self.config)
        self.post(TrainingEnded(ended.reason))


Told = tuple[TrainingStarted, TrainingEnded]
"""The messages of a training job: at its beginning, with the whole record, and at its end."""

_RUNS: dict[tuple[RunConfig, bytes], Told] = {}
"""Keyed by the options, with the bytes of the corpus instead of its name."""


def _trained(config: RunConfig) -> Told:
    key = replace(config, corpus=""), Path(config.corpus).read_bytes()
    if key not in _RUNS:
        news: list[Message] = []
        job = OpeningJob(config, news.append)
        job.go_on()  # there is no screen to wait for
        job.work()
        (begun,) = (each for each in news if isinstance(each, TrainingStarted))
        (ended,) = (each for each in news if isinstance(each, TrainingEnded))
        recorded = [each.steps for each in news if isinstance(each, StepsRecorded)]
        begun.timeline.extend_to(max(recorded, default=0))
        begun.timeline.complete()
        _RUNS[key] = begun, ended
    return _RUNS[key]
