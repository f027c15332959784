"""Keys that come at once, before the first of them is dealt with."""

from __future__ import annotations

import gc
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from opening import SAMPLE, IdleJob, burst, ended, opened, recorded_once, step, until
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.lessons.pane import LessonPane, LessonText
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import RunConfig
from bpe_tui.session.jobs import OpeningJob
from bpe_tui.session.lessons import builtin_lessons
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
async def test_a_save_that_is_refused_once_its_window_is_closed_does_no_harm() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SaveFile))
        window = app.screen
        assert isinstance(window, SaveFile)
        await pilot.press("escape")
        await until(pilot, lambda: not window.is_attached)
        with window.writing("a file", asked=None):
            raise OutputError("no space")
        with window.writing("a file", asked=None):
            pass
        assert app.screen.id == "training"
