"""Breakpoints by keys: add, run, play up to one, delete."""

from __future__ import annotations

import pytest
from opening import opened, step, until
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.widgets.controls import Marks, Scrubber


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


async def test_n_runs_from_stop_to_stop_or_stays_and_says_that_a_breakpoint_never_occurs() -> None:
    async with opened() as (app, pilot):
        await pilot.press("n")
        frame = app.session.frame
        assert frame is not None
        assert len(frame.at(frame.step - 1).queue.tied) > 1  # without a breakpoint, to a tie
        await added(app, pilot, 'token "zzz"')
        await pilot.press("right", "n")
        await pilot.pause(0.1)
        assert step(app) == frame.step + 1
        assert app.notices.everything == ['No later merge makes it: token "zzz"']
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


@pytest.mark.slow
async def test_the_scrubber_marks_every_merge_of_breakpoints_and_ties_only_if_they_are_few() -> (
    None
):
    async with opened() as (app, pilot):
        scrubber = app.screen.query_one(Scrubber)
        assert "┊" not in scrubber.render_line(0).text
        frame = app.session.frame
        assert frame is not None
        tied = f"{len(frame.tied_steps)} of {frame.recorded_steps} merges tied"
        assert tied in str(app.screen.query_one("#heading", Static).render())
        few = range(10, 443, 100)
        marked = list(scrubber._marked_cells(Marks(few, "┊", "tie", only_few=True)))
        assert len(marked) == len(few)
        many = Marks(range(1, 444), "┊", "tie", only_few=True)
        assert not list(scrubber._marked_cells(many))
        assert list(scrubber._marked_cells(Marks([], "┊", "tie"))) == []
        assert list(scrubber._marked_cells(Marks([443], "┊", "tie"))) == [scrubber.size.width - 1]
        await added(app, pilot, "step 443")
        await pilot.pause(0.1)
        strip = app.screen.query_one(Scrubber).render_line(0).text
        assert (strip[0], strip[-1]) == ("●", "◆")
        await added(app, pilot, "len>=1")
        await pilot.press("home")
        scrubber = app.screen.query_one(Scrubber)
        await until(pilot, lambda: set(scrubber.render_line(0).text[1:]) == {"◆"})
