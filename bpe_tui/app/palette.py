"""The palette: it finds commands by words, also those of other screens and models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

from textual import on
from textual.app import ComposeResult
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.geometry import Size
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, OptionList

from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import Command, Model
from bpe_tui.session.host import Host
from bpe_tui.views.commands import commands_on, key_of_screen, kinds_with, other_models_with
from bpe_tui.views.panel_screen import PanelScreen
from bpe_tui.widgets.fields import draw_settled
from bpe_tui.widgets.window import Window


@dataclass(frozen=True)
class FoundCommand:
    """A command, and the kind of screen or the model that has it, if it is not here."""

    command: Command
    kind: str = ""
    model: Model | None = None

    @property
    def where(self) -> str:
        """The key that does the same."""
        if self.model is not None:
            return f"with {self.model.title}: key M trains it"
        on = f" on {key_of_screen(self.kind)}, the {self.kind} screen" if self.kind else ""
        return f"key {self.command.shown}{on}"

    def score(self, query: str) -> float:
        """Return how well it answers; 0 if a word of the query is not in the command's words."""
        command, words = self.command, query.lower().split()
        label = command.label.lower()
        known = f"{label} {command.words.lower()}"
        text = f"{known} {command.help} {self.kind}".lower()
        if not words or not all(word in text for word in words):
            return 0
        is_named = any(label.startswith(word) for word in words)
        is_known = all(f" {word}" in f" {known}" for word in words)
        starts = all(f" {word}" in f" {text}" for word in words)
        stays = not self.kind and not command.action.startswith("app.show(")
        name = max(2 * is_named, 1.75 * is_known)
        return 1 + name + starts + 0.5 * stays - 0.8 * (self.model is not None)


def all_commands(screen: str, model: Model | None) -> Iterator[FoundCommand]:
    """Yield every command once: of the screen, of other screens, of other models."""
    here = commands_on(screen)
    yield from map(FoundCommand, here)
    known = {(command.action, command.label) for command in here}
    for command in COMMANDS if model is not None else ():
        assert model is not None
        if (command.action, command.label) in known:
            continue
        if kinds := kinds_with(command, model):
            known.add((command.action, command.label))
            yield FoundCommand(command, kinds[0])
        elif others := other_models_with(command, model):
            known.add((command.action, command.label))
            yield FoundCommand(command, model=others[0])


MOST_OF_A_SCREEN = 4
"""Most kinds of screens on which a command is still one of theirs, not of all."""


def useful_first(screen: Screen[Any]) -> list[Command]:
    """Return the commands of a screen, those that say most about it first.

    First come those of the focused panel, then the screen's own, those on the fewest screens first,
    then others in the footer. Last come refused commands, and second keys of the same command.
    """
    panel = screen.panels.focused() if isinstance(screen, PanelScreen) else None
    seen: set[str] = set()

    def place(command: Command) -> tuple[int, int]:
        is_again = command.action in seen
        seen.add(command.action)
        if is_again or cast("Host", screen.app).refusal_of(command.action):
            return 4, 0
        if command.panel and command.panel == panel:
            return 0, 0
        if len(command.screens) <= MOST_OF_A_SCREEN:
            return 1, len(command.screens)
        return (2 if command.in_footer else 3), 0

    return sorted(commands_on(screen.id or ""), key=place)


class CommandProvider(Provider):
    """The provider of commands for Textual's palette."""

    async def discover(self) -> Hits:
        for found in map(FoundCommand, useful_first(self.screen)):
            yield DiscoveryHit(
                found.command.help, partial(self._run_command, found), help=found.where
            )

    @cached_property
    def _everywhere(self) -> list[FoundCommand]:
        """All commands, of other screens too; to look for their screens takes long."""
        model = self.screen.model if isinstance(self.screen, PanelScreen) else None
        return list(all_commands(self.screen.id or "", model))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for found in self._everywhere:
            if score := found.score(query):
                shown = matcher.highlight(found.command.help)
                yield Hit(score, shown, partial(self._run_command, found), help=found.where)

    async def _run_command(self, found: FoundCommand) -> None:
        """Run a command as its key does, on the screen that has it."""
        if found.model is not None:
            await self.screen.run_action("app.model")
        elif found.kind:
            host = cast("Host", self.app)
            host.action_show(found.kind)
            there = self.app.get_screen(host.session.model.screen(found.kind))
            assert isinstance(there, PanelScreen)
            there.call_later(there.run_command, found.command)  # after the screen has changed
        else:
            assert isinstance(self.screen, PanelScreen), "a window has no commands"
            await self.screen.run_command(found.command)


ROWS_OF_A_COMMAND = 2
"""Least number of rows of a command in the palette: what it does, and its key."""


class FoundCommands(CommandList):
    """Textual's list of commands, which measures them only if they may have less than a screen."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        if ROWS_OF_A_COMMAND * self.option_count >= viewport.height:
            return viewport.height
        return super().get_content_height(container, viewport, width)

    def action_page_down(self) -> None:
        with suppress(LookupError):  # the list has no lines yet
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_page_up(self) -> None:
        with suppress(LookupError):
            super().action_page_up()  # type: ignore[no-untyped-call]


class Palette(CommandPalette, Window[Any]):
    """Textual's palette, drawn like the fields here."""

    def compose(self) -> ComposeResult:
        for widget in super().compose():
            yield FoundCommands() if isinstance(widget, CommandList) else widget

    def on_mount(self) -> None:
        draw_settled(self.query_one(Input))

    @on(Input.Changed)
    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _ignore_if_closed(self, event: Message) -> None:
        """Keep a closed palette from running its command again, and from another search."""
        if not self.is_on_top:
            event.stop()
            event.prevent_default()
