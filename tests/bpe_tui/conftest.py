"""Fixtures for all tests of the application: its own state directory, and faster idle times."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator
from math import inf
from pathlib import Path
from tempfile import mkdtemp
from time import thread_time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from textual._wait import wait_for_idle
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.pilot import Pilot
from textual.screen import Screen

from bpe_tui.widgets import language
from engine.core.wording import ENGLISH

if TYPE_CHECKING:
    from drawing import Drawing


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test its own state directory and English, and let its application be collected.

    It is that of somebody who has opened a training before.
    """
    place = Path(mkdtemp(dir=tmp_path_factory.getbasetemp()))  # `mktemp` lists all others
    (place / "bpe-tui").mkdir(mode=0o700)
    (place / "bpe-tui" / "preferences.json").write_text('{"welcomed": true}')
    monkeypatch.setenv("XDG_STATE_HOME", str(place))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setattr(language, "_name", language.DEFAULT_LANGUAGE)  # and as before afterwards
    monkeypatch.setattr(language, "_table", ENGLISH)
    monkeypatch.setattr(language, "_read_finished", dict)
    monkeypatch.setattr("gc.freeze", lambda: None)  # it would keep each application for ever
    monkeypatch.setattr("gc.unfreeze", lambda: None)  # each collection would search all tests
    monkeypatch.setattr("bpe_tui.app.memory.COLLECTOR_THRESHOLDS", gc.get_threshold())
    # A full collection searches what all tests have made, 0.1 s each time.
    monkeypatch.setattr("bpe_tui.app.memory.REST_SECONDS", 3600.0)
    monkeypatch.setattr("bpe_tui.app.memory.YOUNG_OBJECTS", gc.get_threshold()[0])
    monkeypatch.setattr("os.fsync", lambda file: None)  # no test pulls the plug
    # In a thread that waits for rest between all keys, so `idle` would wait for it at each key.
    monkeypatch.setattr("bpe_tui.app.app._prepare", lambda *given: None)
    return place


@pytest.fixture
def drawing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Drawing]:
    """Yield a drawing without a screen; tests without one do not wait for its imports."""
    from drawing import drawings

    yield from drawings(monkeypatch)


@pytest.fixture(autouse=True, scope="session")
def style_sheets_parsed_once() -> Iterator[None]:
    """Parse each style sheet once for all tests; an application parses them three times."""
    parsed: dict[object, list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, css: str, *where: Any, **how: Any) -> list[RuleSet]:
        key = css, where, tuple(how.items()), tuple(sheet._variables.items())
        if key not in parsed:
            parsed[key] = parse(sheet, css, *where, **how)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        # As Textual's, but not a function of Python, which each styling calls for each rule.
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield


class Painting:
    """When the screen in front is painted: not sixty times a second, which no test looks at.

    A quick run paints when the application closes, so that what cannot be drawn fails. A thorough
    run paints each time that a test waits for the screen.
    """

    def __init__(self) -> None:
        self.at_each_wait = settings().max_examples >= 50
        self.refresh = Screen._compositor_refresh

    def paint(self, screen: Screen[object]) -> None:
        """Paint what has changed since the screen was painted."""
        if screen._compositor._dirty_regions:
            self.refresh(screen)


@pytest.fixture(autouse=True, scope="session")
def painting() -> Iterator[Painting]:
    """Paint a frame when `Painting` says so."""
    painting = Painting()
    pause, close = Pilot.pause, App._shutdown

    def refresh(screen: Screen[object]) -> None:
        if screen is screen.app.screen:
            screen._dirty_widgets.clear()  # their regions stay in the compositor
        else:
            painting.refresh(screen)

    async def pause_and_paint(pilot: Pilot[object], delay: float | None = None) -> None:
        await pause(pilot, delay)
        if painting.at_each_wait:
            painting.paint(pilot.app.screen)

    async def paint_and_close(app: App[object]) -> None:
        try:
            if app._screen_stack and app._exception is None:
                painting.paint(app.screen)
        finally:
            await close(app)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Screen, "_compositor_refresh", refresh)
        patch.setattr(Pilot, "pause", pause_and_paint)
        patch.setattr(App, "_shutdown", paint_and_close)
        yield painting


@pytest.fixture
def painted_at_each_wait(painting: Painting, monkeypatch: pytest.MonkeyPatch) -> None:
    """Paint each time that the test waits, in a quick run, too."""
    monkeypatch.setattr(painting, "at_each_wait", True)


@pytest.fixture(autouse=True)
def slow_tests_are_painted_at_each_wait(request: pytest.FixtureRequest) -> None:
    """Paint each time that a slow test waits: that is some of what it has the time for."""
    if any(request.node.get_closest_marker(name) for name in ("slow", "nightly")):
        request.getfixturevalue("painted_at_each_wait")


@pytest.fixture(autouse=True, scope="session")
def laid_out_soon() -> Iterator[None]:
    """Lay a screen out within 2 ms: Textual may wait 33 ms, longer than `idle` looks ahead."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.screen.UPDATE_PERIOD", 0.001)
        yield


SOON = 0.01
"""Seconds: panels that work in slices go on after fewer."""


async def at_rest(max_sleep: float = 1) -> None:
    """Wait until no task of the event loop is ready and no timer is due soon.

    Only the loop's own work ends it earlier: other programs may slow the machine down.
    """
    loop: Any = asyncio.get_running_loop()
    end = thread_time() + max_sleep
    turns_at_rest = 0
    while turns_at_rest < 2 and thread_time() < end:
        await asyncio.sleep(0)  # twice, as timers and files are looked at between two turns
        turns_at_rest = 0 if loop._ready else turns_at_rest + 1
        due = [timer.when() for timer in loop._scheduled if not timer.cancelled()]
        if turns_at_rest == 2 and (wait := min(due, default=inf) - loop.time()) < SOON:
            await asyncio.sleep(max(wait, 0))
            turns_at_rest = 0


async def idle(min_sleep: float = SOON, max_sleep: float = 1) -> None:
    """Wait until nothing is left to do, and give another thread that may be at work some time."""
    await at_rest(max_sleep)
    if threading.active_count() > 1:
        await wait_for_idle(min_sleep, max_sleep)
        await at_rest(max_sleep)


@pytest.fixture(autouse=True, scope="session")
def idle_when_nothing_is_left_to_do() -> Iterator[None]:
    """Wait until nothing is left to do. Textual waits for 20 ms of sleep, twice for each key.

    Textual's pilot then asks each widget whether its messages are done: they are, if no task of
    the loop is ready. To ask them takes a fifth of the time of a key, and one that has ended by an
    error would never answer.
    """

    async def wait_for_screen(pilot: Pilot[object], timeout: float = 30) -> bool:
        await at_rest()
        if pilot.app._screen_stack:
            pilot.app.screen._on_timer_update()  # as after a pause, so a key needs none
        return pilot.app._exception is None

    with pytest.MonkeyPatch.context() as patch:
        for module in ("app", "pilot"):
            patch.setattr(f"textual.{module}.wait_for_idle", idle)
        patch.setattr(Pilot, "_wait_for_screen", wait_for_screen)
        yield
