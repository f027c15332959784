"""A run of several phases on the screen: the border is marked on the slider."""

from __future__ import annotations

from inside.bpe_tui.widgets import Scrubber
from inside.engine.recording import PhaseStart
from opening import opened, until


async def test_the_slider_marks_where_a_phase_begins() -> None:
    async with opened(vocab_size=301) as (app, pilot):  # a run of its own, to write in its record
        assert app.session.merges is not None
        start = PhaseStart(20, "pattern none")
        app.session.merges.record.phase_starts.append(start)
        app.seek(20)
        frame = app.session.merges.frame
        assert (frame.phase_starts, frame.phase_start) == ((start,), start)
        assert frame.at(19).phase_start is None
        app.seek(5)
        await until(pilot, lambda: "┃" in app.screen.query_one(Scrubber).render_line(0).text)
