"""Long work in slices: other work of the same panel ends it."""

from __future__ import annotations

from collections.abc import Iterator
from time import sleep

import pytest
from opening import until
from textual.app import App

from bpe_tui.shell import slices
from bpe_tui.widgets.lines import RowList


async def test_work_goes_on_slice_by_slice_until_other_work_begins_or_it_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(slices, "REST_SECONDS", 0.01)
    done: list[object] = []

    def work(name: str) -> Iterator[None]:
        for place in range(2):
            done.append((name, place))
            sleep(slices.SLICE_SECONDS)
            yield

    async with (app := App[None]()).run_test() as pilot:
        await app.mount(panel := RowList("rows"))
        of_panel = slices.Slices(panel, done.append)
        for name in ("first", "second", "third"):
            of_panel.start(work(name))
        of_panel.stop()
        of_panel.start(work("last"))
        await until(pilot, lambda: True in done)
        await pilot.pause(0.02)
        assert done == [("last", 0), False, ("last", 1), False, True]
