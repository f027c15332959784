"""Exports of the screen."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from opening import opened, until
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.dialogs.export import Export


async def export(app: BpeTuiApp, pilot: Pilot[int], path: Path | str) -> str:
    """Press `x`, name the file, press Enter; return the message."""
    await pilot.press("x")
    await pilot.pause()
    app.screen.query_one("#dialog-input", Input).value = str(path)
    await pilot.press("enter")
    await pilot.pause(0.1)
    if not isinstance(app.screen, Export):
        return "closed"
    return str(app.screen.query_one("#dialog-hint", Static).render())


async def test_the_screen_below_the_window_is_exported_as_text_or_as_a_well_formed_picture(
    tmp_path: Path,
) -> None:
    async with opened() as (app, pilot):
        await pilot.press("right")
        assert await export(app, pilot, tmp_path / "screen.txt") == "closed"
        lines = (tmp_path / "screen.txt").read_text("utf-8").splitlines()
        assert len(lines) == 40
        assert "Merge 1 of 443: h and e occurred together" in "\n".join(lines)
        assert "export" not in "\n".join(lines[:-1])
        await export(app, pilot, tmp_path / "new" / "screen.svg")
        assert ElementTree.parse(tmp_path / "new" / "screen.svg").getroot().tag.endswith("svg")
        drawn = (tmp_path / "new" / "screen.svg").read_text("utf-8")
        assert "@font-face" not in drawn, "a font on a network learns who looks at the picture"


async def test_files_are_overwritten_only_on_request_and_the_window_shows_why_others_are_refused(
    tmp_path: Path,
) -> None:
    taken = tmp_path / "screen.txt"
    taken.write_text("mine")
    async with opened() as (app, pilot):
        assert "Enter again overwrites it" in await export(app, pilot, taken)
        assert taken.read_text() == "mine"
        await pilot.press("enter")
        await until(pilot, lambda: taken.read_text("utf-8") != "mine")
        assert "Merge" in taken.read_text("utf-8") or "Step" in taken.read_text("utf-8")
        (tmp_path / "file").write_text("")
        said = await export(app, pilot, tmp_path / "file" / "screen.txt")
        assert "cannot be written" in said
        await pilot.press("escape")
        assert "Name a file" in await export(app, pilot, " ")


async def test_a_picture_gets_its_suffix_if_the_name_lacks_one(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        for name in ("charts", "v1.2"):
            await export(app, pilot, tmp_path / name)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["charts.svg", "v1.2"]
