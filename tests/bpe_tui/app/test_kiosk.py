"""A kiosk saves nothing and opens no other file; a web server's driver counts as a screen."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from opening import opened, until
from program import HANDOUT, run
from textual.pilot import Pilot

from bpe_tui.app import terminal
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.cli.console import has_screen
from bpe_tui.dialogs.open_other import OpenOther
from bpe_tui.lessons.guide import LessonList
from bpe_tui.session import state
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.declarations import TABS
from bpe_tui.session.kiosk import REFUSED, KioskError, for_kiosk
from bpe_tui.session.state import preferences, save_preferences
from bpe_tui.studies.comparison import CompareWith
from bpe_tui.views.commands import commands_on
from bpe_tui.views.dialog import SaveFile
from bpe_tui.widgets.controls import KeyBar
from engine import CorpusError

REACHING_FILES = (SaveFile, OpenOther, CompareWith, LessonList)
"""The windows that write files or open others."""
ENDING = ("app.quit", "app.command_palette")


async def close_windows(app: BpeTuiApp, pilot: Pilot[int]) -> None:
    while app.screen.is_modal:
        app.pop_screen()
        await pilot.pause()


async def windows_of_commands(app: BpeTuiApp, pilot: Pilot[int]) -> dict[str, bool]:
    """Run every command of BPE once; return whether each leads to files."""
    reaches: dict[str, bool] = {}
    for kind in TABS:
        await app.run_action(f"app.show({kind!r})")
        await until(pilot, lambda: app.screen.id == kind)  # noqa: B023
        for command in commands_on(kind):
            if command.action in ENDING or command.action in reaches:
                continue
            if app.screen.id != kind:
                app.switch_screen(kind)
                await until(pilot, lambda: app.screen.id == kind)  # noqa: B023
            await app.screen.run_action(command.action)
            await pilot.pause()
            reaches[command.action] = isinstance(app.screen, REACHING_FILES)
            await close_windows(app, pilot)
    return reaches


@pytest.mark.nightly  # runs all commands, trainings among them
async def test_the_commands_that_lead_to_files_are_those_declared_so() -> None:
    declared = {command.action: command.reaches_files for command in COMMANDS}
    async with opened(Path(HANDOUT), vocab_size=268) as (app, pilot):
        for action, reaches in (await windows_of_commands(app, pilot)).items():
            assert reaches == declared[action], action


@pytest.mark.nightly  # runs all commands, trainings among them
async def test_no_command_of_a_kiosk_leads_to_files_or_writes_one() -> None:
    written: list[str] = []
    is_watching = True

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if not is_watching:
            return
        if event == "open" and isinstance(flags := arguments[2], int):
            name = str(arguments[0])
            if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and name != os.devnull:
                written.append(name)
        elif event in ("socket.connect", "os.rename", "os.remove", "os.mkdir"):
            written.append(f"{event} {arguments}")

    async with opened(Path(HANDOUT), vocab_size=268) as (app, pilot):
        app.is_kiosk = True
        with state.without_state():
            sys.addaudithook(watch)  # it stays until the process ends
            try:
                assert not any((await windows_of_commands(app, pilot)).values())
            finally:
                is_watching = False
    assert written == []


async def test_each_command_that_reaches_files_is_refused_by_any_way() -> None:
    refused = [command for command in COMMANDS if command.reaches_files]
    async with opened(Path(HANDOUT), vocab_size=268) as (app, pilot):
        app.is_kiosk = True
        for command in refused:  # as from the palette, or a click on the footer
            await app.screen.run_action(command.action)
            assert app.notices.now == REFUSED
            app.notices.now = ""
        for key in ("s", "S", "x", "o", "L", "ctrl+o"):
            await pilot.press(key)
            await until(pilot, lambda: app.notices.now == REFUSED)
            assert not app.screen.is_modal
        await pilot.press("e")  # into the field, whose footer has keys of its own
        await until(pilot, lambda: app.screen.query_one(KeyBar).keys[0].label == "leave")
        assert "open" not in [key.label for key in app.screen.query_one(KeyBar).keys]
        await pilot.press("escape", "right")
        assert app.notices.now == ""
        app.is_kiosk = False
        await pilot.press("s")
        await until(pilot, lambda: isinstance(app.screen, SaveFile))


def test_a_kiosk_opens_local_files_only_and_keeps_no_counts(tmp_path: Path) -> None:
    with pytest.raises(KioskError, match="no network"):
        for_kiosk(RunConfig("https://example.org/a.txt"))
    with pytest.raises(KioskError, match="gpt2 is none"):
        for_kiosk(TokenizerConfig(("gpt2",)))
    with pytest.raises(KioskError, match="no network"):
        for_kiosk(TokenizerConfig((str(tmp_path),), corpus="s3://bucket/a"))
    assert not for_kiosk(RunConfig(HANDOUT)).cache
    assert not for_kiosk(TokenizerConfig((str(tmp_path),), corpus=HANDOUT)).cache


def test_nothing_is_kept_of_a_failure_in_a_kiosk() -> None:
    with state.without_state():
        assert state.report(ValueError("odd")) is None
        assert state.describe_failure(ValueError("odd")).endswith("no report could be written.")


def test_a_kiosk_holds_preferences_while_it_runs_and_keeps_none() -> None:
    before = preferences()
    with state.without_state():
        save_preferences(is_light=True)
        assert preferences().is_light != before.is_light
    assert preferences() == before


def test_a_kiosk_is_for_the_screen() -> None:
    done = run("open", HANDOUT, "--kiosk", "--plain")
    assert done.returncode == 2
    assert b"--plain has none" in done.stderr


# -- the check for a terminal


def test_a_driver_that_draws_elsewhere_counts_as_a_screen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    assert not has_screen()
    assert terminal.lasting_driver() is not None
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    assert has_screen()
    assert terminal.lasting_driver() is None


def test_a_corpus_on_standard_input_is_refused_where_keys_come_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEXTUAL_DRIVER", "textual.drivers.web_driver:WebDriver")
    with pytest.raises(CorpusError, match="keys of a web page"):
        terminal.keys_from_terminal()
