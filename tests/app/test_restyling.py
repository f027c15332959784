"""What makes a key slow: working out the styles of all widgets anew."""

from __future__ import annotations

import pytest
from opening import opened

from bpe_tui.bpe.screens.training import TrainingScreen


async def test_a_panel_that_has_its_place_already_costs_no_new_styles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (app, pilot):
        await pilot.press("right", "v")
        worked_out = []
        update = TrainingScreen.update_node_styles
        monkeypatch.setattr(
            TrainingScreen,
            "update_node_styles",
            lambda screen: (worked_out.append(1), update(screen)),
        )
        await pilot.press("v", "v", "v")
        assert not worked_out
        await pilot.press("m")
        assert not worked_out  # only the two panels that change places are styled anew
        assert app.screen.query_one("#merges").has_class("-in-slot")
        assert not app.screen.query_one("#pairs").has_class("-in-slot")
