"""The base of all applications: colours, the palette of commands, messages, how they end."""

from __future__ import annotations

import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import Any, ClassVar, cast

from textual import events, on
from textual.actions import ActionParseResult
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.command import CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.containers import VerticalScroll
from textual.content import Content
from textual.dom import DOMNode
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input, OptionList, Static

from bpe_tui.app import terminal
from bpe_tui.app.memory import free_painted_lines
from bpe_tui.session.commands import COMMANDS
from bpe_tui.session.declarations import Command, Model
from bpe_tui.session.host import Host, Notices, Notifier
from bpe_tui.session.kiosk import refusal_of
from bpe_tui.styles import DARK, LIGHT, THEMES, frame_looks, sheet
from bpe_tui.views.commands import commands_on, key_of_screen, kinds_with, other_models_with
from bpe_tui.views.panel_screen import PanelScreen
from bpe_tui.widgets.fields import draw_settled
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import OverScreen, Window
from engine.core.interrupts import Interrupts
from engine.core.light_dataclass import dataclass
from engine.core.systems import ending_signals, on_signal


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


MOST_OF_A_SCREEN = 4
"""Most kinds of screens on which a command is still one of theirs, not of all."""


def useful_first(screen: Screen[Any]) -> list[Command]:
    """Return the commands of a screen, those that say most about it first.

    First come those of the focused panel, then the screen's own, those on the fewest screens first,
    then others in the footer. Last come refused commands, and second keys of the same command.
    """
    panel = screen.focused_panel() if isinstance(screen, PanelScreen) else None
    seen: set[str] = set()

    def place(command: Command) -> tuple[int, int]:
        is_again = command.action in seen
        seen.add(command.action)
        if is_again or (isinstance(screen, PanelScreen) and screen.refusal_of(command)):
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

    async def search(self, query: str) -> Hits:
        matcher, screen = self.matcher(query), self.screen
        model = screen.model if isinstance(screen, PanelScreen) else None
        for found in all_commands(screen.id or "", model):
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
            there.call_later(there.action_press, found.command.keys)  # after the screen has changed
        else:
            assert isinstance(self.screen, PanelScreen), "a window has no commands"
            await self.screen.action_press(found.command.keys)


class Messages(Window[None]):
    """A window with every message, the latest first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+l,q,enter", "dismiss", "close")]

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="messages", classes="window") as window:
            window.border_title = Content("messages, the newest first")
            window.border_subtitle = Content("Esc closes")
            text = "\n\n".join(reversed(cast("Notifier", self.app).notices.everything))
            yield Static(Content(text or "There are no messages so far."))


class Palette(CommandPalette, OverScreen[Any]):
    """Textual's palette; keys typed fast come before its list has lines, or behind its end."""

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

    def _action_command_list(self, action: str) -> None:
        with suppress(LookupError):
            super()._action_command_list(action)


class BaseApp(App[int]):
    """An application without a screen of its own.

    Attributes:
        is_kiosk: whether actions that reach files are refused.
    """

    is_kiosk = False
    TITLE = "bpe-tui"
    CSS_PATH = sheet("app.tcss")
    COMMANDS: ClassVar = {CommandProvider}
    ENABLE_COMMAND_PALETTE = True

    def __init__(self) -> None:
        super().__init__(driver_class=terminal.lasting_driver())
        free_painted_lines()
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = DARK.name
        self._sheet_colours = self.get_css_variables()
        self.stylesheet.set_variables(self._sheet_colours)
        self.notices = Notices()
        self._survives = False
        self._leaves = False
        self._interrupts = Interrupts(signal.SIGINT)
        self._pressed = monotonic()

    def run(self, *arguments: Any, **settings: Any) -> int | None:
        """Run at a terminal; a failure is reported, and the application goes on."""
        self._survives = True
        terminal.survive_messages(self.survive)
        threading.excepthook = self._thread_failed
        warnings.showwarning = self._warned
        with self._interrupts.held():
            return super().run(*arguments, **settings)

    async def run_async(self, *arguments: Any, **settings: Any) -> int | None:
        """Handle signals before the terminal is changed, so that none leaves it changed."""
        for number in ending_signals():
            on_signal(number, self.end_on_signal)
        self._interrupts.deliver()
        return await super().run_async(*arguments, **settings)

    def survive(self, error: Exception) -> str:
        """Report a failure and show a message; without a terminal, as in tests, raise it."""
        if not self._survives:
            raise error
        from bpe_tui.session.state import describe_failure

        message = visible_text(describe_failure(error), spaces=False)
        self.tell(message, stays=True)
        return message

    def _handle_exception(self, error: Exception) -> None:
        """Survive an exception that Textual would end the application for."""
        if self._survives and self.is_running and self.screen_stack:
            self.survive(error)
        else:
            super()._handle_exception(error)

    def _thread_failed(self, failed: threading.ExceptHookArgs) -> None:
        if isinstance(failed.exc_value, Exception):
            self.call_later(self.survive, failed.exc_value)

    def _warned(self, message: Warning | str, *where: Any, **more: Any) -> None:
        """Show a warning, of any thread, as a message: Python would write over the screen."""
        text = visible_text(str(message), spaces=False)
        self.call_later(self.tell, f"{text[:1].upper()}{text[1:]}.", stays=True)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return frame_looks(self.current_theme, has_colours=not self.no_color)

    def end_on_signal(self, number: int) -> None:
        self.exit(128 + number, return_code=128 + number)

    def refresh_css(self, animate: bool = True) -> None:
        """Read the style sheets again only if the colours have changed since the last time."""
        colours = self.get_css_variables()
        if colours == self._sheet_colours:
            self.stylesheet.update(self, animate=animate)
        else:
            self._sheet_colours = colours
            super().refresh_css(animate)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action of any key, click or entry of the palette, unless a kiosk refuses it."""
        if self.is_kiosk and isinstance(action, str) and (refused := refusal_of(action)):
            self.tell(refused)
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def action_light(self) -> None:
        self.theme = DARK.name if self.theme == LIGHT.name else LIGHT.name

    # -- messages

    def tell(self, message: str, *, stays: bool = False) -> None:
        """Show a message, of visible text, until the next key or, if it stays, until closed."""
        self.notices.add(message, stays=stays)
        self._show_notices()

    def notify(self, message: str, **settings: Any) -> None:
        """Show Textual's own messages in the same line, not over the panels."""
        self.tell(message)

    def close_note(self) -> None:
        """Close the message that stays."""
        self.notices.note = ""
        self._show_notices()

    def clear_notices(self) -> None:
        """Remove all messages: a recording shows none."""
        self.notices.now = ""
        self.close_note()

    def exit(self, *arguments: Any, **settings: Any) -> None:
        self._leaves = True
        super().exit(*arguments, **settings)

    async def on_event(self, event: events.Event) -> None:
        """Clear the message at the next key; ignore keys after the one that quits."""
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
        self.push_screen(Messages())

    def action_command_palette(self) -> None:
        if self.use_command_palette and not isinstance(self.screen, CommandPalette):
            self.push_screen(Palette())  # without an id: a closed one may not be removed yet

    def action_help(self) -> None:
        from bpe_tui.views.commands import Help

        screen = self.screen.id or ""
        if commands_on(screen):  # a window may have opened since the key was pressed
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
