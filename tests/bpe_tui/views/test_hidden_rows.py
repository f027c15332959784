"""A panel has its rows whenever it is visible, however short it was hidden."""

from __future__ import annotations

import pytest
from opening import opened, until

from bpe_tui.bpe.heap_panel import PairsPanel


@pytest.mark.usefixtures("painted_at_each_wait")  # which asks for the rows
async def test_a_panel_hidden_and_shown_between_two_layouts_has_its_rows() -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(PairsPanel)
        assert panel.row_count
        panel.display = False
        panel.rebuild()  # as a new run does
        assert not panel.row_count
        panel.display = True  # no event says so: to the layout it was visible all the time
        await until(pilot, lambda: panel.row_count, 2)
