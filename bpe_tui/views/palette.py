"""The command palette: finds commands of all screens by words, and goes where they work."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from bpe_tui.session.commands.command import Command
from bpe_tui.session.commands.table import COMMANDS
from bpe_tui.session.host import Host
from bpe_tui.session.model import Model
from bpe_tui.views.commands import commands_on, key_of, kinds_with, other_models_with
from bpe_tui.views.panel_screen import PanelScreen


@dataclass(frozen=True)
class Found:
    """A command, and where it works: here, on a kind of screen, or with another model."""

    command: Command
    kind: str = ""
    model: Model | None = None

    @property
    def where(self) -> str:
        """How to do the same without the palette."""
        if self.model is not None:
            return f"with {self.model.title}: key M trains it"
        on = f" on {key_of(self.kind)}, the {self.kind} screen" if self.kind else ""
        return f"key {self.command.shown}{on}"

    def score(self, query: str) -> float:
        """How well it answers; 0 if a word of the query is not in what is said of the command."""
        command, words = self.command, query.lower().split()
        label = command.label.lower()
        said = f"{label} {command.help} {command.words} {self.kind}".lower()
        if not words or not all(word in said for word in words):
            return 0
        named = any(label.startswith(word) for word in words)
        starts = all(f" {word}" in f" {said}" for word in words)
        return 1 + 2 * named + starts + 0.5 * (not self.kind) - 0.8 * (self.model is not None)


def all_commands(screen: str, model: Model | None) -> Iterator[Found]:
    """Every command once: those of the screen, those of others, those of other models."""
    here = commands_on(screen)
    yield from map(Found, here)
    known = {command.action for command in here}
    for command in COMMANDS if model is not None else ():
        assert model is not None
        if command.action in known:
            continue
        if kinds := kinds_with(command, model):
            known.add(command.action)
            yield Found(command, kinds[0])
        elif others := other_models_with(command, model):
            known.add(command.action)
            yield Found(command, model=others[0])


class CommandProvider(Provider):
    """Puts the commands into the command palette."""

    async def discover(self) -> Hits:
        for found in self._all():
            if not found.kind and found.model is None:
                yield DiscoveryHit(found.command.help, self._doing(found), help=found.where)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for found in self._all():
            if score := found.score(query):
                shown = matcher.highlight(found.command.help)
                yield Hit(score, shown, self._doing(found), help=found.where)

    def _all(self) -> Iterator[Found]:
        screen = self.screen
        model = screen.model if isinstance(screen, PanelScreen) else None
        return all_commands(screen.id or "", model)

    def _doing(self, found: Found) -> Callable[[], Coroutine[Any, Any, None]]:
        return partial(self._do, found)

    async def _do(self, found: Found) -> None:
        """Do it here, or go where it works first."""
        if found.model is not None:
            await self.screen.run_action("app.model")
        elif found.kind:
            host = cast("Host", self.app)
            host.action_show(found.kind)
            there = self.app.get_screen(host.session.model.screen(found.kind))
            assert isinstance(there, PanelScreen)
            there.call_later(there.action_press, found.command.keys)  # once it is there
        else:
            await self.screen.run_action(found.command.action)
