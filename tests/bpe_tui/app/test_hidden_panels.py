"""Panels that a size hides are named on the screen, with the key that shows them."""

from __future__ import annotations

import pytest
from opening import each_size, opened
from textual.widgets import Static

from bpe_tui.session.models import MODELS
from bpe_tui.views.session_screen import SessionScreen

IN_PLACE_OF_ANOTHER = {
    *("lanes", "lattice", "why-not"),
    *("pseudocode", "text"),
}
"""Views that a key shows in place of another at every size: they are never hidden by a size."""


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
async def test_a_hidden_panel_is_named_with_its_key(model: str) -> None:
    async with opened(model=model, vocab_size=300) as (app, pilot):
        async for size in each_size(pilot, [(120, 40), (80, 24), (60, 20)]):
            for key in "12345":
                await pilot.press(key)
                await pilot.pause()
                await pilot.pause()
                screen = app.screen
                assert isinstance(screen, SessionScreen)
                lines = [
                    str(line.content)
                    for name in ("#hidden-panels", "#panel-names")
                    for line in screen.query(name)
                    if isinstance(line, Static) and line.display
                ]
                named = "  ".join(lines)
                for panel in screen.PANEL_ORDER:
                    if panel in IN_PLACE_OF_ANOTHER:
                        continue
                    if not screen.query_one(f"#{panel}").display:
                        name = screen.HIDDEN.get(panel, panel)
                        assert name in named, (size, key, panel, named)
                assert "…" not in named


async def test_the_line_for_ids_is_no_longer_named_while_it_is_shown() -> None:
    async with opened(vocab_size=300, size=(60, 20)) as (app, pilot):
        await pilot.press("2")
        await pilot.pause()
        await pilot.pause()
        line = app.screen.query_one("#hidden-panels", Static)
        assert str(line.content) == "Tab ids → text"
        await pilot.press("shift+tab")
        await pilot.pause()
        await pilot.pause()
        assert str(line.content) == "Tab tokens"
