"""A hidden screen costs nothing at a key, and holds nothing of a run that is no longer shown."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from generated import first_quick
from opening import SAMPLE, ended, opened, until
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot

import bpe_tui
import engine
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.session_app import mount_ahead
from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import Session
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.styles import LIGHT

HANDOUT = str(SAMPLE.with_name("handout.txt"))
SCREENS = "02345781"
"""The keys of all screens that each model has, the training screen last."""
MOST_FILES = 45
"""Most files of ours that a step on the training screen passes."""
ROOTS = tuple(str(Path(str(package.__file__)).parent) for package in (bpe_tui, engine))


async def _visit(app: BpeTuiApp, pilot: Pilot[int], keys: str) -> None:
    for key in keys:
        before = app.screen
        await pilot.press(key)
        await until(pilot, lambda before=before: app.screen is not before)


async def test_only_the_screen_in_front_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened() as (app, pilot):
        await _visit(app, pilot, "201")
        told = []
        for screen in (app.get_screen(name) for name in ("explain", "encoding", "training")):
            assert isinstance(screen, SessionScreen)

            def show(session: Session, screen: Any = screen) -> None:
                told.append(screen.id)

            monkeypatch.setattr(screen, "show_session", show)
        await pilot.press("right")
        assert set(told) == {"training"}


@pytest.mark.slow
async def test_a_step_passes_few_files() -> None:
    async with opened() as (app, pilot):
        await _visit(app, pilot, "201")
        # The pretokens of the steps are encoded before.
        await pilot.press("home", *["right"] * 7, *["left"] * 6, "right")
        passed: set[str] = set()
        steps = []

        def note(frame: FrameType, event: str, argument: object) -> None:
            if event == "call" and frame.f_code.co_filename.startswith(ROOTS):
                passed.add(frame.f_code.co_filename)

        for _ in range(3):
            passed.clear()
            sys.setprofile(note)
            try:
                await pilot.press("right")
            finally:
                sys.setprofile(None)
            steps.append(sorted(passed))
        fewest = min(steps, key=len)  # without what a timer does just then
        assert len(fewest) <= MOST_FILES, fewest


@pytest.mark.slow
async def test_a_first_visit_parses_no_sheet_again(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(vocab_size=300) as (app, pilot):
        app.action_light()  # new variables forget what was parsed
        sheets: list[object] = []
        monkeypatch.setattr(Stylesheet, "__init__", lambda sheet, **_: sheets.append(sheet))
        await pilot.press("3")
        assert app.screen.styles.background.hex.lower() == LIGHT.background
        assert not sheets


@pytest.mark.parametrize(
    ("model", "keys"),
    first_quick([("wordpiece", "231"), ("bpe", f"69{SCREENS}"), ("unigram", SCREENS)]),
)
async def test_nothing_holds_the_run_before(model: str, keys: str) -> None:
    app = BpeTuiApp(RunConfig(HANDOUT, vocab_size=300, model=model))
    app.makes_ahead = False
    async with app.run_test(size=(120, 40)) as pilot:
        await ended(app, pilot)
        await _visit(app, pilot, keys)
        assert app.session.recording is not None
        before = weakref.ref(app.session.recording.run)
        app.open(RunConfig(HANDOUT, vocab_size=290, model=model))
        await ended(app, pilot)
        await pilot.press("right")
        gc.unfreeze()
        await until(pilot, lambda: (gc.collect(), before() is None)[1])


async def test_a_screen_that_is_made_again_has_its_table_sorted_as_before() -> None:
    async with opened(HANDOUT, vocab_size=270) as (app, pilot):
        await pilot.press("3", "c", "C")
        before: Any = app.screen
        order = before.table.rows.sorting, before.table.rows.descending
        assert order != ("id", False)
        await pilot.press("1")
        app.forget_run()
        await until(pilot, lambda: not before.is_running)
        await pilot.press("3")
        await until(pilot, lambda: app.screen.id == "vocabulary" and app.screen.is_mounted)
        again: Any = app.screen
        assert again is not before
        assert (again.table.rows.sorting, again.table.rows.descending) == order


async def test_a_screen_is_not_made_ahead_while_the_one_before_is_being_removed() -> None:
    async with opened(HANDOUT, vocab_size=270) as (app, pilot):
        await pilot.press("2", "1")
        app.forget_run()
        for _ in range(20):
            mount_ahead(app, "encoding")
            await asyncio.sleep(0)
        await until(pilot, lambda: app.is_screen_installed("encoding"))
        mount_ahead(app, "encoding")
        await until(pilot, lambda: app.get_screen("encoding").is_mounted)
