"""The languages of `--parity` on the training screen, and the lesson view that asks about turns."""

from __future__ import annotations

import pytest
from opening import SAMPLE, each_size, opened, opened_as, step, until
from screen_text import shown
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.languages_panel import LanguagesPanel
from bpe_tui.bpe.training_screen import TrainingScreen
from bpe_tui.session.config import RunConfig
from engine.text.corpus import Reading

PARITY = RunConfig(
    str(SAMPLE), 420, parity=True, reading=Reading((str(SAMPLE.with_name("code.txt")),))
)


async def test_the_panel_is_in_front_and_shows_turns_bars_and_plain_bpe() -> None:
    async with opened_as(PARITY) as (app, pilot):
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, TrainingScreen))
        panel = app.screen.query_one(LanguagesPanel)
        await until(pilot, lambda: panel.row_count > 2)
        frame = app.session.frame
        assert frame is not None
        languages = frame.languages
        assert languages is not None
        for at in (0, 60):
            app.seek(at)
            await until(pilot, lambda at=at: f"{languages.rate(0, at):.2f}" in shown(panel))
            rows = shown(panel).splitlines()
            for place, name in enumerate(languages.names):
                assert name.removesuffix(".txt")[:8] in rows[place]  # which both end in
                assert f"{languages.rate(place, at, plain=True):.2f}" in rows[place]
                assert rows[place].startswith("❯") == (languages.served_at(at) == place)
            assert f"{languages.turns[:at].count(1)}" == rows[1].split()[-1]
        heading = str(app.screen.query_one("#heading", Static).content)
        assert heading.startswith("tinystories_valid.txt and 1 more · ")
        async for _ in each_size(pilot):
            await pilot.press("G")
            await until(pilot, lambda: languages.names[0][:6] in shown(panel))


@pytest.mark.slow
async def test_turns_are_said_and_asked_in_the_lesson_view() -> None:
    async with opened_as(PARITY) as (app, pilot):
        app.seek(1)  # at step 0 both have a token a character
        await pilot.press("0", "P")
        await until(pilot, lambda: "served" in painted(app))
        assert "8,081 characters" in painted(app)
        await pilot.press("right")
        await until(pilot, lambda: step(app) > 1)
        await until(pilot, lambda: "worst off" in painted(app))


def painted(app: BpeTuiApp) -> str:
    return " ".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_one_text_is_one_language() -> None:
    async with opened() as (app, pilot):
        await pilot.press("1", "G")
        await until(pilot, lambda: "one language" in shown(app.screen.query_one(LanguagesPanel)))
