"""The moving picture of a recording: each shot is the screen of its step; nothing is fetched."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from opening import opened_as
from program import HANDOUT, run

from bpe_tui.session.config import RunConfig, Viewpoint
from bpe_tui.views.exports import screen_text

CELL, ROW, LINES = 8.4, 18, 30
SVG = "{http://www.w3.org/2000/svg}"


def shots(picture: str) -> list[str]:
    """Return the text of each shot of a picture: its letters at the cells where they stand."""
    root = ElementTree.fromstring(picture)  # fails unless all text is escaped
    rows = {}
    for group in root.iter(f"{SVG}g"):
        line = ""
        for text in group.iterfind(f"{SVG}text"):
            line = line.ljust(round(float(text.attrib["x"]) / CELL)) + (text.text or "")
        rows[f"#{group.get('id')}"] = f"{line.rstrip()}\n"
    lines = [rows[use.attrib["href"]] for use in root.iter(f"{SVG}use")]
    return ["".join(lines[at : at + LINES]) for at in range(0, len(lines), LINES)]


async def test_a_moving_picture_shows_each_step_for_its_time(tmp_path: Path) -> None:
    out = tmp_path / "low.svg"
    options = ("--pattern", "whitespace", "--text", "lowest", "--size", f"100x{LINES}")
    result = await asyncio.to_thread(
        run, "record", HANDOUT, *options, "--steps", "2-4", "--speed", "4", "--out", out
    )
    assert result.returncode == 0, result.stderr
    picture = out.read_text("utf-8")
    viewpoint = Viewpoint(view="training", text="lowest")
    config = RunConfig(HANDOUT, pattern="whitespace", viewpoint=viewpoint)
    drawn = shots(picture)
    async with opened_as(config, (100, LINES)) as (app, pilot):
        for step, screen in zip(range(2, 5), drawn, strict=True):
            app.seek(step)
            await pilot.pause()
            assert screen == screen_text(app.screen)
    moves = re.findall(r"([\d.]+)%\{transform:translateY\((-?\d+)px\)", picture)
    high = LINES * ROW
    assert moves == [("0.000", "0"), ("10.000", f"-{high}"), ("20.000", f"-{2 * high}")]
    assert ".film{animation:film 2.50s step-end infinite}" in picture
    assert "prefers-reduced-motion" in picture


@pytest.mark.slow
def test_a_picture_of_one_step_stands_still(tmp_path: Path) -> None:
    out = tmp_path / "one.svg"
    run("record", HANDOUT, "--pattern", "whitespace", "--steps", "3", "--out", out)
    assert len(shots(out.read_text("utf-8"))) == 1
    assert "animation" not in out.read_text("utf-8")


def test_markup_of_a_corpus_is_text_in_a_picture(tmp_path: Path) -> None:
    corpus, out = tmp_path / "a&b<c>.txt", tmp_path / "out.svg"
    corpus.write_text("<script>x</script> &amp; \x1b[31m ]]> \u202e\n" * 3)
    result = run("record", corpus, "--steps", "0-2", "--size", "100x30", "--out", out)
    assert result.returncode == 0, result.stderr
    picture = out.read_text("utf-8")
    assert len(shots(picture)) == 3
    assert "<script" not in picture
    assert "\x1b" not in picture
    assert "\u202e" not in picture
    assert re.findall(r"https?:[^\"']*", picture) == ["http://www.w3.org/2000/svg"]
