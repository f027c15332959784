"""Helpers for the tests of Unigram's screens."""

from pathlib import Path

import pytest
from opening import until
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.shell.slices import Slices
from engine.unigram.frame import UnigramFrame

TEXT = "the hugs of the thugs and the bugs; a pun, puns, a shrug and the hugger of bugs\n" * 4


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "hugs.txt"
    place.write_text(TEXT)
    return place


def frame_of(app: BpeTuiApp) -> UnigramFrame:
    frame = app.session.shown
    assert isinstance(frame, UnigramFrame)
    return frame


async def settled(pilot: Pilot[int]) -> None:
    """Wait until the work that is done in slices is finished."""
    await pilot.pause()
    slices = [
        value
        for screen in pilot.app.screen_stack
        for widget in screen.walk_children()
        for value in vars(widget).values()
        if isinstance(value, Slices)
    ]
    await until(pilot, lambda: all(each._timer is None for each in slices))
