"""Helpers for the tests of Unigram's screens."""

from __future__ import annotations

from collections.abc import Sequence

from edges import edged
from opening import until
from textual.pilot import Pilot

from bpe_tui.views.slices import Slices
from bpe_tui.widgets.lines import Lines

TEXT = "the hugs of the thugs and the bugs; a pun, puns, a shrug and the hugger of bugs\n" * 4


def text_of(panel: Lines, rows: Sequence[int] | None = None) -> list[str]:
    places = range(panel.row_count) if rows is None else rows
    return [edged(panel.row(place).spans) for place in places]


async def settled(pilot: Pilot[int]) -> None:
    """Wait until the work that is done in slices is finished."""
    await pilot.pause()
    slices = [
        value
        for widget in pilot.app.screen.walk_children()
        for value in vars(widget).values()
        if isinstance(value, Slices)
    ]
    assert slices
    await until(pilot, lambda: all(each._timer is None for each in slices))
