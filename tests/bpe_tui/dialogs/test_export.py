"""Exports: the screen, steps."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from opening import opened, until
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.summary_screens import EXPORTS
from bpe_tui.dialogs.export import Export
from bpe_tui.views.typed import parse_steps


async def export(
    app: BpeTuiApp, pilot: Pilot[int], suffix: str, path: Path, steps: str | None = None
) -> str:
    """Press `x`, choose the first kind with this suffix, press Enter; return the message."""
    await pilot.press("x")
    await pilot.pause()
    down = [kind.suffix for kind in EXPORTS].index(suffix)
    await pilot.press(*["down"] * down)
    app.screen.query_one("#dialog-input", Input).value = str(path)
    if steps is not None:
        app.screen.query_one("#export-steps", Input).value = steps
    await pilot.press("enter")
    await pilot.pause(0.1)
    if not isinstance(app.screen, Export):
        return "closed"
    return str(app.screen.query_one("#dialog-hint", Static).render())


async def test_the_exported_text_is_the_screen_below_the_window(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        await pilot.press("right")
        assert await export(app, pilot, ".txt", tmp_path / "screen.txt") == "closed"
        lines = (tmp_path / "screen.txt").read_text("utf-8").splitlines()
        assert len(lines) == 40
        assert "Merge 1 of 443: h and e occurred together" in "\n".join(lines)
        assert "export" not in "\n".join(lines[:-1])


async def test_the_screen_as_a_picture_is_well_formed(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        await export(app, pilot, ".svg", tmp_path / "new" / "screen.svg")
        assert ElementTree.parse(tmp_path / "new" / "screen.svg").getroot().tag.endswith("svg")
        drawn = (tmp_path / "new" / "screen.svg").read_text("utf-8")
        assert "@font-face" not in drawn, "a font on a network learns who looks at the picture"


async def test_a_range_of_steps_is_written_as_json_and_as_markdown(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        await export(app, pilot, ".jsonl", tmp_path / "steps.jsonl", "2-20")
        await export(app, pilot, ".md", tmp_path / "steps.md", "7")
        assert app.session.timeline is not None
        record = app.session.timeline.record
        lines = (tmp_path / "steps.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line) for line in lines] == [
            record[index].as_dict() for index in range(1, 20)
        ]
        assert "## Merge 7:" in (tmp_path / "steps.md").read_text("utf-8")


async def test_files_are_overwritten_only_on_request(tmp_path: Path) -> None:
    taken = tmp_path / "screen.txt"
    taken.write_text("mine")
    async with opened() as (app, pilot):
        assert "Enter again overwrites it" in await export(app, pilot, ".txt", taken)
        assert taken.read_text() == "mine"
        await pilot.press("enter")
        await until(pilot, lambda: taken.read_text("utf-8") != "mine")
        assert "Merge" in taken.read_text("utf-8") or "Step" in taken.read_text("utf-8")


@pytest.mark.slow
async def test_the_window_shows_why_an_export_is_refused(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        said = await export(app, pilot, ".md", tmp_path / "steps.md", "0-9")
        assert "from 1 to 443" in said
        await pilot.press("escape")
        (tmp_path / "file").write_text("")
        said = await export(app, pilot, ".txt", tmp_path / "file" / "screen.txt")
        assert "cannot be written" in said
        await pilot.press("escape")
        assert "Name a file" in await export(app, pilot, ".txt", Path(" "))


@pytest.mark.slow
async def test_a_typed_file_name_keeps_all_but_its_suffix() -> None:
    async with opened() as (app, pilot):
        await pilot.press("x", "down")
        await pilot.pause()
        field = app.screen.query_one("#dialog-input", Input)
        assert field.value == "tinystories_valid-screen-0.txt"
        field.value = "mine.txt"
        await pilot.press("down")
        assert field.value == "mine.md"


@pytest.mark.parametrize(
    ("text", "steps"),
    [("1,024", (1024, 1024)), ("1 – 20", (1, 20)), ("3-", (3, 3)), ("0", None), ("x", None)],
)
def test_steps_can_be_named_in_several_ways(text: str, steps: tuple[int, int] | None) -> None:
    assert parse_steps(text, 2000) == steps


@pytest.mark.slow
async def test_a_unigram_training_exports_its_own_steps(tmp_path: Path) -> None:
    corpus = tmp_path / "hugs.txt"
    corpus.write_text("the hugs of the thugs and the bugs\n" * 4)
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await export(app, pilot, ".jsonl", tmp_path / "steps.jsonl", "1-2")
        await export(app, pilot, ".md", tmp_path / "steps.md", "1")
        lines = (tmp_path / "steps.jsonl").read_text("utf-8").splitlines()
        assert [json.loads(line)["kind"] for line in lines] == ["em", "em"]
        assert "## Step 1: EM 1 of round 1" in (tmp_path / "steps.md").read_text("utf-8")


async def test_a_picture_gets_its_suffix_if_the_name_lacks_one(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        for name in ("charts", "v1.2"):
            await export(app, pilot, ".svg", tmp_path / name)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["charts.svg", "v1.2"]
