"""A panel has its rows whenever it is visible, however short it was hidden or slow they are."""

from __future__ import annotations

from copy import copy

import pytest
from opening import opened, until

from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.panels import training_panels
from bpe_tui.panels.training_panels import ChangedPretokensPanel


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


@pytest.mark.parametrize("height", ["1fr", 3])  # with room for more rows, and with none
async def test_a_slow_search_ends_though_a_frame_that_looks_the_same_has_come(
    height: str | int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(ChangedPretokensPanel)
        panel.styles.height = height
        await pilot.pause()
        monkeypatch.setattr(training_panels, "SLICE_SECONDS", 1e-9)  # one pretoken at a time
        panel.rebuild()
        assert panel.row_count == 2, "a pretoken, and how many more there are"
        monkeypatch.setattr(training_panels, "SLICE_SECONDS", 60)
        panel.frame = copy(panel.frame)  # as more recorded steps give one
        await until(pilot, lambda: panel.row_count > 2, 2)
