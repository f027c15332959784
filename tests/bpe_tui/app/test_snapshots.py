"""Snapshots: five screens as pictures that are kept, so that no look changes unseen.

A picture is Textual's own SVG, compared as text.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import pytest
from kept import check_kept, is_drawing
from opening import opened
from textual.pilot import Pilot

PICTURES = Path(__file__).parent / "snapshots"
DRAWN_WITH = PICTURES / "drawn-with.txt"
"""The versions of the libraries that drew the pictures; others may write SVG in another way."""
VERSIONS = "\n".join(f"{name} {version(name)}" for name in ("textual", "rich")) + "\n"

SCREENS = {"lesson": "0", "training": "1", "encoding": "2", "vocabulary": "3", "charts": "4"}
STEP = 12


async def picture(pilot: Pilot[int]) -> str:
    """Return the SVG of the screen without its random names, once nothing moves."""
    shown = ""
    while shown != (now := pilot.app.export_screenshot()):
        shown = now
        await pilot.pause(0.5)
    return re.sub(r"terminal-\d+", "terminal", shown)


@pytest.mark.parametrize("screen", SCREENS)
async def test_the_screen_looks_as_in_its_picture(screen: str) -> None:
    if not is_drawing() and DRAWN_WITH.read_text("utf-8") != VERSIONS:
        pytest.skip("the pictures were drawn with other versions of Textual or Rich")
    async with opened(size=(100, 30)) as (app, pilot):
        app.seek(STEP)
        await pilot.press(SCREENS[screen])
        app.clear_notices()
        now = await picture(pilot)
    if is_drawing():
        DRAWN_WITH.write_text(VERSIONS, "utf-8")
    check_kept(PICTURES / f"{screen}.svg", now)
