"""What all applications here share: colours, the palette of commands, messages, how they end."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, ClassVar, cast

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input, Static

from bpe_tui.app import terminal
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import Command, Model
from bpe_tui.session.host import Host, Notices
from bpe_tui.styles import DARK, LIGHT, THEMES, sheet
from bpe_tui.views.commands import commands_on, key_of_screen, kinds_with, other_models_with
from bpe_tui.views.panel_screen import PanelScreen
from bpe_tui.widgets.fields import draw_settled
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import OverScreen, Window


@dataclass(frozen=True)
class FoundCommand:
    """A command, and where it works: here, on a kind of screen, or with another model."""

    command: Command
    kind: str = ""
    model: Model | None = None

    @property
    def where(self) -> str:
        """How to do the same without the palette."""
        if self.model is not None:
            return f"with {self.model.title}: key M trains it"
        on = f" on {key_of_screen(self.kind)}, the {self.kind} screen" if self.kind else ""
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


def all_commands(screen: str, model: Model | None) -> Iterator[FoundCommand]:
    """Every command once: those of the screen, those of others, those of other models."""
    here = commands_on(screen)
    yield from map(FoundCommand, here)
    known = {command.action for command in here}
    for command in COMMANDS if model is not None else ():
        assert model is not None
        if command.action in known:
            continue
        if kinds := kinds_with(command, model):
            known.add(command.action)
            yield FoundCommand(command, kinds[0])
        elif others := other_models_with(command, model):
            known.add(command.action)
            yield FoundCommand(command, model=others[0])


class CommandProvider(Provider):
    """Puts the commands into the command palette."""

    async def discover(self) -> Hits:
        for found in map(FoundCommand, commands_on(self.screen.id or "")):
            yield DiscoveryHit(found.command.help, self._doing(found), help=found.where)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for found in self._all():
            if score := found.score(query):
                shown = matcher.highlight(found.command.help)
                yield Hit(score, shown, self._doing(found), help=found.where)

    def _all(self) -> Iterator[FoundCommand]:
        screen = self.screen
        model = screen.model if isinstance(screen, PanelScreen) else None
        return all_commands(screen.id or "", model)

    def _doing(self, found: FoundCommand) -> Callable[[], Coroutine[Any, Any, None]]:
        return partial(self._do, found)

    async def _do(self, found: FoundCommand) -> None:
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


class Messages(Window[None]):
    """A window with every message, the newest at the top; any of its own keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+l,q,enter", "dismiss", "close")]

    def __init__(self, told: Sequence[str]) -> None:
        super().__init__()
        self._told = told

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="messages", classes="window") as window:
            window.border_title = Content("messages, the newest first")
            window.border_subtitle = Content("Esc closes")
            said = "\n\n".join(reversed(self._told))
            yield Static(Content(said or "Nothing has been said so far."))


QUIET_SECONDS = 0.3


class Palette(CommandPalette, OverScreen[Any]):
    """Textual's palette of commands, which a page key may reach before its list has any lines."""

    def on_mount(self) -> None:
        draw_settled(self.query_one(Input))

    def _action_command_list(self, action: str) -> None:
        with suppress(LookupError):
            super()._action_command_list(action)


class BaseApp(App[int]):
    """An application without anything to show yet."""

    TITLE = "bpe-tui"
    CSS_PATH = sheet("app.tcss")
    COMMANDS: ClassVar = {CommandProvider}
    ENABLE_COMMAND_PALETTE = True

    def __init__(self) -> None:
        super().__init__(driver_class=terminal.lasting_driver())
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name
        self._sheet_colours = self.get_css_variables()
        self.stylesheet.set_variables(self._sheet_colours)
        self.notices = Notices()
        self._survives = False
        self._leaves = False
        self._interrupts = terminal.Interrupts()
        self._pressed = monotonic()

    @property
    def is_quiet(self) -> bool:
        """Whether no key has been pressed for a while, so that there is time for other things."""
        return monotonic() - self._pressed > QUIET_SECONDS

    def run(self, *arguments: Any, **settings: Any) -> int | None:
        """Run at a terminal. What fails there is reported, and the rest goes on."""
        self._survives = True
        terminal.survive_messages(self.survive)
        threading.excepthook = self._thread_failed
        warnings.showwarning = self._warned
        with self._interrupts.held():
            return super().run(*arguments, **settings)

    async def run_async(self, *arguments: Any, **settings: Any) -> int | None:
        """Heed signals before the terminal is changed: later, one could leave it so."""
        terminal.on_ending_signals(self.end_on_signal)
        self._interrupts.heed()
        return await super().run_async(*arguments, **settings)

    def survive(self, error: Exception) -> str:
        """Report what failed, and say so; without a terminal, as in a test, it is raised."""
        if not self._survives:
            raise error
        from bpe_tui.session.state import describe_failure

        said = visible_text(describe_failure(error), spaces=False)
        self.tell(said, stays=True)
        return said

    def _handle_exception(self, error: Exception) -> None:
        """What Textual would end the application for."""
        if self._survives and self.is_running and self.screen_stack:
            self.survive(error)
        else:
            super()._handle_exception(error)

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        if isinstance(failed.exc_value, Exception):
            self.call_later(self.survive, failed.exc_value)

    def _warned(self, message: Warning | str, *where: Any, **more: Any) -> None:
        """Called in any thread; written to the terminal, it would lie over the screen."""
        said = visible_text(str(message), spaces=False)
        self.call_later(self.tell, f"{said[:1].upper()}{said[1:]}.", stays=True)

    def end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    def refresh_css(self, animate: bool = True) -> None:
        """Read the style sheets anew for other colours: not those of the first theme once more."""
        colours = self.get_css_variables()
        if colours == self._sheet_colours:
            self.stylesheet.update(self, animate=animate)
        else:
            self._sheet_colours = colours
            super().refresh_css(animate)

    def action_light(self) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    # -- messages

    def tell(self, said: str, *, stays: bool = False) -> None:
        """Say something, visible already, on the screen: until the next key, or until closed."""
        self.notices.keep(said) if stays else self.notices.tell(said)
        self._show_notices()

    def notify(self, message: str, **settings: Any) -> None:
        """What Textual itself has to say goes the same way: nothing lies over the panels."""
        self.tell(message)

    def close_note(self) -> None:
        """Take away what was to stay until now."""
        self.notices.note = ""
        self._show_notices()

    def exit(self, *arguments: Any, **settings: Any) -> None:
        self._leaves = True
        super().exit(*arguments, **settings)

    async def on_event(self, event: events.Event) -> None:
        """A message is over with the next key, whatever that does. After the last, none counts."""
        if self._leaves and isinstance(event, events.InputEvent):
            return
        if isinstance(event, events.Key | events.MouseDown):
            self._pressed = monotonic()
            if self.notices.now:
                self.notices.now = ""
                self._show_notices()
        await super().on_event(event)

    def _show_notices(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, PanelScreen):
                screen.show_notices()

    def action_messages(self) -> None:

        self.push_screen(Messages(tuple(self.notices.everything)))

    def action_command_palette(self) -> None:
        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette(id="--command-palette"))

    def action_help(self) -> None:
        from bpe_tui.views.commands import Help, commands_on

        screen = self.screen.id or ""
        if commands_on(screen):  # a window may have come in front since the key was pressed
            self.push_screen(Help(screen))


class SingleScreenApp(BaseApp):
    """An application of one screen, which `make` makes: a quiz, a comparison of tokenizers."""

    def __init__(self, make: Callable[[], Screen[Any]]) -> None:
        super().__init__()
        self._make = make

    def on_mount(self) -> None:
        self.push_screen(self._make())


def run_screen(make: Callable[[], Screen[Any]]) -> int:
    """Run an application of one screen until the user leaves; return the exit code."""
    terminal.tolerate_bad_bytes()
    app = SingleScreenApp(make)
    app.run()
    return app.return_code or 0
