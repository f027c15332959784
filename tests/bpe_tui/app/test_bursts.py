"""Bursts of keys and events: no harm is done, and all messages come to an end."""

import asyncio
import gc
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st
from opening import SAMPLE, IdleJob, burst, ended, opened, recorded_once, step, until
from program import HANDOUT
from textual import events
from textual.app import App
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.lessons.pane import LessonPane, LessonText
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.languages import languages
from bpe_tui.session.lessons import builtin_lessons
from bpe_tui.session.models import MODELS
from bpe_tui.shell.dialog import SaveFile
from engine import OutputError

NEVER = RunConfig(str(SAMPLE), vocab_size=301)


def recorded_but_for_one(config: Any, post: Any) -> OpeningJob:
    return IdleJob(config, post) if config == NEVER else recorded_once(config, post)


async def test_no_key_of_a_screen_does_harm_while_another_corpus_is_being_read() -> None:
    app = BpeTuiApp(replace(NEVER, vocab_size=300), recorded_but_for_one)
    app.makes_ahead = False
    async with app.run_test(size=(120, 40)) as pilot:
        await ended(app, pilot)
        app.open(NEVER)
        keys = [each.keys.split(",")[0] for each in COMMANDS if each.action.startswith("screen.")]
        burst(app, *(key for key in dict.fromkeys(keys) if key != "escape"))
        await pilot.pause()
        assert app.session.recording is None
        assert not app.screen.is_modal


@pytest.mark.slow
async def test_the_help_closes_opens_again_at_once_and_runs_a_command_only_once() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        below = app.screen
        await pilot.press("ctrl+p")
        burst(app, "escape", "ctrl+p", "s", "escape")
        await pilot.pause()
        await pilot.press("ctrl+p")
        burst(app, *"step", "escape", "escape", "escape", "ctrl+p", "escape")
        await until(pilot, lambda: app.screen is below)
        await pilot.press("end")
        last = step(app)
        await pilot.press("ctrl+p", *"one step back")
        await until(pilot, lambda: app.screen.query_one("#found").row_count)
        burst(app, "enter", "enter", "enter", "enter")
        await until(pilot, lambda: step(app) == last - 1)
        await pilot.pause()
        assert step(app) == last - 1
        assert app.screen.id == "training"


async def test_a_window_that_is_closed_while_it_saves_closes_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        async with opened(vocab_size=300) as (app, pilot):
            await save_and_close(app, pilot)
        gc.collect()
    assert [str(each.message) for each in given if "never awaited" in str(each.message)] == []


async def save_and_close(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    below = app.screen
    await pilot.press("s")
    await until(pilot, lambda: app.screen.is_modal)
    burst(app, "enter", "enter", "enter", "escape", "escape")
    await until(pilot, lambda: app.screen is below)
    await pilot.pause(0.1)
    assert app.screen is below


@pytest.mark.slow
async def test_a_lesson_opened_while_the_text_of_another_is_removed_has_its_text() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        first, second, *_ = builtin_lessons()
        app.guide.open(first.path)
        await until(pilot, lambda: app.screen.query(LessonText))
        app.guide.lesson = None
        app.guide.attend(app.screen)
        app.guide.open(second.path)
        await until(pilot, lambda: len(app.screen.query(LessonPane)) == 1)
        assert app.screen.query_one(LessonPane).display


@pytest.mark.slow
async def test_a_save_that_is_refused_once_its_window_is_closed_does_no_harm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(path: Path, overwrite: bool) -> None:
        raise OutputError("no space")

    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SaveFile))
        window = app.screen
        assert isinstance(window, SaveFile)
        await pilot.press("escape")
        await until(pilot, lambda: not window.is_attached)
        for write in (fail, lambda path, overwrite: None):
            monkeypatch.setattr(window, "write", write)
            window.answer("a file")
        assert app.screen.id == "training"


MOST_AT_FIRST, MOST_OF_EACH = 1_500, 400
"""Most messages that are handled for no event at all, and for each one more."""
MOST_PAUSES = 100
"""Most waits for messages of threads and timers."""
MODEL, TURNS, OTHER = "bpe", "turns", "other message"
OPENED = [
    *MODELS,
    *(f"{language} {each.number}" for language in languages() for each in builtin_lessons()),
]
"""Models of a training, and lessons by language and number."""
KEYS = sorted({key for each in COMMANDS for key in each.keys.split(",")})
HANDS = ("escape", "enter", "tab", "up", "down", "pagedown", "backspace", "ctrl+p", *"abst? ")
SIZES = ("120x40", "100x30", "80x24", "60x20", "59x19", "160x60", "1x1", "0x0")
HAPPENINGS = st.one_of(
    *map(st.sampled_from, (SIZES, SIZES, "0123456789", HANDS, KEYS)),
    st.integers(1, 12).map(lambda turns: f"{turns} {TURNS}"),
    st.just(OTHER),
)
"""A key, a size of the terminal, turns of the event loop, or a message to the screen in front."""


class Endless(AssertionError):
    """More messages than so few events may lead to."""


@pytest.fixture(autouse=True)
def unprinted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise what fails without Textual's picture of it, which takes seconds."""
    monkeypatch.setattr(App, "_print_error_renderables", lambda _: None)


async def happen(app: BpeTuiApp, happening: str) -> None:
    if happening.endswith(TURNS):
        for _ in range(int(happening.split()[0])):
            await asyncio.sleep(0)
    elif happening == OTHER:
        app.screen.call_later(lambda: None)
    elif re.fullmatch(r"\d+x\d+", happening):
        size = Size(*map(int, happening.split("x")))
        app._driver._size = app._size = size  # type: ignore[union-attr]
        app._resize_event = events.Resize(size, size)
        app._check_resize()  # Textual waits 8 ms for another size
    else:
        burst(app, happening)


def is_alive(app: BpeTuiApp) -> bool:
    """Whether no key has ended the application, and no failure."""
    return app.is_running and bool(app.screen_stack) and app._exception is None


def waiting(app: BpeTuiApp) -> Iterator[MessagePump]:
    """Yield what has a message that is not handled, of all that is on the screens."""
    pumps: list[MessagePump] = [app]
    for screen in app.screen_stack:
        pumps += screen.walk_children(with_self=True)
    return (each for each in pumps if not each._message_queue.empty())


async def play(opened: str, happenings: Sequence[str]) -> None:
    """Open something, let things happen at once, and wait until all queues are empty.

    The screen in front must have the size of the terminal then.
    """
    dispatch, handled = MessagePump._dispatch_message, 0
    most = MOST_AT_FIRST + MOST_OF_EACH * len(happenings)

    async def counted(pump: MessagePump, message: Message) -> None:
        nonlocal handled
        handled += 1
        if handled == most:  # a queue that is never empty gives the loop no turn: end it here
            raise Endless(f"{pump} still has {message}")
        await dispatch(pump, message)

    language, _, number = opened.partition(" ")
    lesson = builtin_lessons(language)[int(number) - 1].path if number else None
    config = None if number else RunConfig(HANDOUT, vocab_size=268, model=opened)
    app = BpeTuiApp(config, recorded_once, lesson=lesson)
    app.makes_ahead = False
    with patch.object(MessagePump, "_dispatch_message", counted):
        async with app.run_test(size=(120, 40)) as pilot:
            await ended(app, pilot)
            for each in happenings:
                if is_alive(app):
                    await happen(app, each)
            for _ in range(MOST_PAUSES):
                await pilot.pause()
                if not is_alive(app):
                    return
                if not any(waiting(app)):
                    break
            assert list(waiting(app)) == []
            assert app.screen.outer_size == app.size or not app.size


async def test_a_size_that_comes_before_the_last_one_is_done_with_ends() -> None:
    await play(MODEL, ("100x30", OTHER, "80x24"))


@pytest.mark.slow  # each example opens an application
@given(st.sampled_from(OPENED), st.lists(HAPPENINGS, max_size=30))
@examples(200)
async def test_whatever_comes_at_once_leads_to_an_end(opened: str, happenings: list[str]) -> None:
    await play(opened, happenings)
