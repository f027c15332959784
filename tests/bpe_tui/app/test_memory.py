"""Closed windows are freed, and nothing ticks while nothing moves."""

import gc
from collections import Counter
from functools import partial

import pytest
from opening import opened, until
from textual._styles_cache import StylesCache
from textual.dom import DOMNode
from textual.pilot import Pilot

from bpe_tui.app import memory
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.memory import Collector
from bpe_tui.session.jobs import FarJumpsPrepared, ScreenImported

WINDOWS = ("question_mark", "ctrl+p", "s", "x", "t", "M")


async def open_and_close(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    """Open and close each window once."""
    below = app.screen
    for key in WINDOWS:
        await pilot.press(key)
        await until(pilot, lambda: app.screen is not below)
        await pilot.press("escape")
        await until(pilot, lambda: app.screen is below)


def live() -> Counter[str]:
    """Count the widgets, and the caches of painted lines, that something keeps."""
    gc.collect()
    kinds = (type(each) for each in gc.get_objects() if isinstance(each, DOMNode | StylesCache))
    return Counter(kind.__name__ for kind in kinds)


@pytest.mark.slow
async def test_a_closed_window_leaves_no_widgets_and_no_painted_lines() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await open_and_close(app, pilot)
        before = live()
        await open_and_close(app, pilot)
        await until(pilot, lambda: live() <= before)  # what a window held is freed later


def test_nothing_is_kept_until_the_session_before_is_collected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[object] = []
    begun = ["freeze", memory.COLLECTOR_THRESHOLDS, "enable"]
    for name in ("freeze", "unfreeze", "collect", "enable"):
        monkeypatch.setattr(f"gc.{name}", partial(made.append, name))
    monkeypatch.setattr("gc.set_threshold", lambda *numbers: made.append(numbers))
    collector, rested = Collector(), memory.REST_SECONDS + 1
    collector.begin()
    collector.rest(rested)
    collector.forget()
    collector.rest(rested)  # while the next one is read the screen may still show this one
    collector.begin()
    collector.keep()
    assert made == [*begun, "collect", "freeze", "unfreeze", "collect", *begun[1:]]
    collector.rest(rested)
    collector.keep()
    assert made[9:] == ["collect", "freeze", "freeze"]


def test_only_after_some_rest_garbage_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    monkeypatch.setattr("gc.collect", lambda generation=2: made.append(generation))
    monkeypatch.setattr(memory, "REST_SECONDS", 1.5)
    collector = Collector()
    for young, seconds, collected in (
        (memory.YOUNG_OBJECTS + 1, memory.QUIET_SECONDS, []),
        (memory.YOUNG_OBJECTS, 0.4, []),
        (memory.YOUNG_OBJECTS + 1, 0.4, [1]),
        (0, memory.REST_SECONDS, []),
        (0, 1.6, [2]),
    ):
        monkeypatch.setattr("gc.get_count", lambda young=young: (young, 0, 0))
        made.clear()
        collector.keep_after_search()
        assert (collector.rest(seconds), made) == (collected == [2], collected)
    made.clear()
    assert (collector.rest(9), made) == (True, [])  # it has been searched


async def test_what_far_jumps_need_is_not_searched_for_garbage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In prose that is millions of references: a search would stall the screen after each key."""
    async with opened(vocab_size=300) as (app, pilot):
        kept = list[str]()
        monkeypatch.setattr("gc.freeze", lambda: kept.append("all objects so far"))
        app.post_message(FarJumpsPrepared())
        await until(pilot, lambda: kept)
        app._collector.is_searched = True
        app.on_screen_imported(ScreenImported("race"))
        assert not app._collector.is_searched  # what it needs is kept after the next search
