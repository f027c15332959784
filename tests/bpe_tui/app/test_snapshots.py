"""Snapshots: five screens as pictures that are kept, so that no look changes unseen.

A picture is Textual's own SVG, compared as text. After a change that is meant, draw them again and
look at them: `BPE_TUI_SNAPSHOTS=draw pytest -n 0 tests/bpe_tui/app/test_snapshots.py`.
"""

from __future__ import annotations

import os
import re
from importlib.metadata import version
from pathlib import Path

import pytest
from opening import opened
from textual.pilot import Pilot

PICTURES = Path(__file__).parent / "snapshots"
DRAWN_WITH = PICTURES / "drawn-with.txt"
"""The versions of the libraries that drew the pictures; others may write SVG in another way."""
VERSIONS = "\n".join(f"{name} {version(name)}" for name in ("textual", "rich")) + "\n"
DRAWS = os.environ.get("BPE_TUI_SNAPSHOTS") == "draw"

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
async def test_the_screen_looks_as_in_its_picture(screen: str, tmp_path: Path) -> None:
    file = PICTURES / f"{screen}.svg"
    if not DRAWS and DRAWN_WITH.read_text("utf-8") != VERSIONS:
        pytest.skip("the pictures were drawn with other versions of Textual or Rich")
    async with opened(size=(100, 30)) as (app, pilot):
        app.seek(STEP)
        await pilot.press(SCREENS[screen])
        app.clear_notices()
        now = await picture(pilot)
    if DRAWS:
        PICTURES.mkdir(exist_ok=True)
        file.write_text(now, "utf-8")
        DRAWN_WITH.write_text(VERSIONS, "utf-8")
        return
    other = tmp_path / file.name
    other.write_text(now, "utf-8")
    assert now == file.read_text("utf-8"), f"compare {file} with {other}"
