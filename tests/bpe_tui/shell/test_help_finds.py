"""Finding commands by words in the help, wherever they work."""

from __future__ import annotations

import pytest
from opening import opened, until
from textual.widgets import Input

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import PlacedCommand, commands_elsewhere, commands_on
from bpe_tui.shell.help_window import Help
from bpe_tui.widgets.lines import Lines

NAMES = {
    "unreachable": "never encoded",
    "convert": "save",
    "lazy deletion": "heap view",
    "zipf": "charts",
    "bytes per token": "charts",
    "decode ids": "encode",
    "dark mode": "light",
    "benchmark": "race",
    "emoji": "characters",
    "forbid": "what if",
    "screenshot": "export",
    "homework": "check",
    "nfkc": "pipeline",
    "viterbi": "model",
    "glossary": "help",
    "seldom": "seldom",
}
"""What people call it, if it is no word of the screen → the label of the command."""


async def test_a_command_is_found_by_what_people_call_it() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("ctrl+p")
        assert isinstance(app.screen, Help)
        for words, label in NAMES.items():
            app.screen.query_one(Input).value = words
            await pilot.pause()
            found = app.screen.query_one("#found", Lines).target
            assert isinstance(found, PlacedCommand)
            assert (words, found.command.label) == (words, label)


@pytest.mark.parametrize("model", MODELS)
def test_every_command_is_found_from_every_model(model: str) -> None:
    # On screens of no session: the comparison, the start page.
    alone = {"screen.difference(1)", "screen.difference(-1)", "app.open('CHECK')"}
    for kind in ("training", "vocabulary", "encoding"):
        screen = MODELS[model].screen(kind)
        found = list(commands_elsewhere(screen, MODELS[model]))
        actions = {each.command.action for each in found}
        actions |= {command.action for command in commands_on(screen)}
        assert {command.action for command in COMMANDS} - alone <= actions
        elsewhere = [(each.command.action, each.command.label) for each in found]
        assert len(elsewhere) == len({*elsewhere})  # each once


@pytest.mark.slow
async def test_a_page_key_before_the_list_has_lines_does_not_fail_nor_tab_without_room() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("ctrl+p", "pagedown", "pageup", "escape")
        await pilot.press("ctrl+p", *"zzz", "pagedown", "escape")  # a line that leads nowhere
        await pilot.resize_terminal(1, 1)
        await pilot.press("tab", "shift+tab")  # no panel has room
        await until(pilot, lambda: app.screen.id == "training")


async def test_a_command_of_another_screen_runs_there() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        await pilot.press("question_mark", *"single reason", "enter")
        await until(pilot, lambda: app.screen.id == "encoding")
        await until(pilot, lambda: app.screen.query_one("#why-not-rows", Lines).row_count > 0)
