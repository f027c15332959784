"""Exports of the screen."""

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from opening import opened, until
from program import HANDOUT
from textual.pilot import Pilot
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import BaseApp
from bpe_tui.dialogs.export import CommandWindow, Export, GoTo
from bpe_tui.session.config import Claimed, RunConfig, Viewpoint
from bpe_tui.session.session import ForkedFrom, Session
from bpe_tui.shell.exports import screen_text


async def export(app: BpeTuiApp, pilot: Pilot[int], path: Path | str) -> str:
    """Press `x`, name the file, press Enter; return the message."""
    await pilot.press("x")
    app.screen.query_one("#dialog-input", Input).value = str(path)
    await pilot.press("enter")
    await pilot.pause()
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
        assert "Merge 1 of 443: “h” and “e” occurred together" in "\n".join(lines)
        assert "export" not in "\n".join(lines[:-1])
        assert "┊«he»┊n│" in "\n".join(lines), "a text has no grounds"
        assert "┊" not in screen_text(app.screen)
        await export(app, pilot, tmp_path / "new" / "screen.svg")
        assert ElementTree.parse(tmp_path / "new" / "screen.svg").getroot().tag.endswith("svg")
        drawn = (tmp_path / "new" / "screen.svg").read_text("utf-8")
        assert "Merge&#160;1&#160;of&#160;443:&#160;“h”&#160;and&#160;“e”" in drawn
        assert "@font-face" not in drawn, "a font on a network learns who looks at the picture"
        await pilot.press("4")
        for name in ("charts", "v1.2"):  # a picture gets its suffix if the name lacks one
            await export(app, pilot, tmp_path / "pictures" / name)
        names = sorted(path.name for path in (tmp_path / "pictures").iterdir())
        assert names == ["charts.svg", "v1.2"]


@pytest.mark.slow
async def test_files_are_overwritten_only_on_request_and_the_window_shows_why_others_are_refused(
    tmp_path: Path,
) -> None:
    taken, under = tmp_path / "screen.txt", tmp_path / "screen.txt" / "below.txt"
    taken.write_text("mine")
    async with opened() as (app, pilot):
        again = f"{taken} is there already. Enter again overwrites it."
        assert await export(app, pilot, taken) == again
        assert taken.read_text() == "mine"
        await pilot.press("enter")
        await until(pilot, lambda: "Step" in taken.read_text("utf-8"))
        assert "cannot be written" in await export(app, pilot, under)
        await pilot.press("escape")
        assert "Name a file" in await export(app, pilot, " ")


def test_the_command_is_shown_with_what_it_leaves_out() -> None:
    config, copied = RunConfig(HANDOUT), "It is copied, if your terminal lets programs copy."
    for session, viewpoint, remarks in (
        (Session(config), Viewpoint(3, "encoding", "low"), []),
        (Session(RunConfig("-")), Viewpoint(), ["The corpus came from standard input: pipe it in"]),
        (Session(config), Viewpoint(text="a\0"), ["Without the text, which has a NUL, which no"]),
        (Session(config), Viewpoint(text="a" * 2001), ["Without the text, which has more than 2,"]),
        (Session(config), Viewpoint(text="a" * 2000), []),
    ):
        window = CommandWindow(session, viewpoint)
        assert [each[:40] for each in window._remarks] == [copied[:40], *(r[:40] for r in remarks)]
    session = Session(config)
    session.breakpoints.add("step 5")
    assert CommandWindow(session, Viewpoint())._remarks == [
        copied,
        "Without the breakpoints.",
    ]
    checking = Session(replace(config, claimed=Claimed(("merges.txt",))))
    assert CommandWindow(checking, Viewpoint())._remarks == [
        copied,
        "Without the merges that are checked; o opens them again.",
    ]
    origin = ForkedFrom(2, "otherwise", None, None, config, None)  # type: ignore[arg-type]
    session.forked_from = ForkedFrom(4, "again", None, None, RunConfig("x"), origin)  # type: ignore[arg-type]
    session.config = RunConfig("y")
    window = CommandWindow(session, Viewpoint(7, "training"))
    assert window._command == f"bpe-tui open {HANDOUT} --min-count 2 --step 2 --view training"
    assert window._remarks[1] == "It opens the run that was forked, at the fork."


async def test_numbers_that_cannot_be_are_refused_and_others_returned() -> None:
    app = BaseApp()
    async with app.run_test() as pilot:
        returned: list[object] = []
        window = GoTo(3, 1200)
        await app.push_screen(window, returned.append)
        shown = window.query_one("#dialog-hint", Static)
        assert window.query_one(Input).value == ""
        assert str(shown.render()) == "0 to 1,200, or like 50%, +10, -10; now 3"
        for typed in ("", "1201"):
            window.query_one(Input).value = typed
            await pilot.press("enter")
            assert shown.has_class("-refused")
            refused = "Give a number from 0 to 1,200, or like 50%, +10, -10."
            assert (returned, str(shown.render())) == ([], refused)
            window.say("Again.")
            assert not shown.has_class("-refused")
        window.query_one(Input).value = "1,024"
        await pilot.press("enter")
        assert returned == ["1024"]
