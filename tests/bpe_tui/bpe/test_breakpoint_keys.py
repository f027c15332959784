"""Breakpoints by keys: add, run, play up to one, delete."""

from __future__ import annotations

import pytest
from opening import frame_of, opened, step, until
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp


async def added(app: BpeTuiApp, pilot: Pilot[int], *lines: str) -> None:
    await pilot.press("t", "b")
    for line in lines:
        app.screen.query_one(Input).value = line
        await pilot.press("enter")
    await pilot.press("escape")


def lengths(app: BpeTuiApp, least: int) -> list[int]:
    assert app.session.timeline is not None
    record = app.session.timeline.record
    return [k + 1 for k in range(len(record)) if len(record[k].token) >= least]


async def test_playing_stops_at_a_breakpoint_and_goes_on_from_there() -> None:
    async with opened() as (app, pilot):
        await added(app, pilot, "step 30", "step 60")
        await pilot.press(*["plus"] * 7, "space")
        await until(pilot, lambda: not app.session.playing)
        assert (step(app), app.session.playing) == (30, False)
        await pilot.press("space")
        await until(pilot, lambda: not app.session.playing)
        assert (step(app), app.session.playing) == (60, False)


@pytest.mark.slow
async def test_n_runs_from_stop_to_stop_or_stays_and_says_that_a_breakpoint_never_occurs() -> None:
    async with opened() as (app, pilot):
        await pilot.press("n")
        border = app.screen.query_one("#merge")
        assert "n next tie" in str(border.border_subtitle)
        frame = frame_of(app)
        assert len(frame.at(frame.step - 1).queue.tied) > 1  # without a breakpoint, to a tie
        await added(app, pilot, 'token "zzz"')
        assert "n next breakpoint" in str(border.border_subtitle)
        await pilot.press("right", "n")
        await until(pilot, lambda: app.notices.everything)
        assert app.notices.everything == ['No later merge makes it: token "zzz"']
        assert step(app) == frame.step + 1
        app.seek(0)
        await added(app, pilot, "len>=6")
        expected = lengths(app, 6)
        await pilot.press("n")
        assert step(app) == expected[0]
        shown_text = str(app.screen.query_one("#narration", Static).render())
        assert shown_text.startswith("Stopped at len>=6.")
        await pilot.press("n")
        assert step(app) == expected[1]
        await pilot.press("left")
        assert "Stopped" not in str(app.screen.query_one("#narration", Static).render())
