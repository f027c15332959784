"""The keys of a screen: which of its commands work here and now, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from bpe_tui.session.declarations import Command
from bpe_tui.session.host import Notifier
from bpe_tui.views.commands import bound_commands, commands_on
from bpe_tui.views.screen_panels import ScreenPanels
from bpe_tui.widgets.controls import FooterKey
from engine.core.wording import Messages, text_of


class KeyedScreen(Protocol):
    """A screen as its keys see it.

    Attributes:
        id: the name in the table of commands.
        messages: the table of messages of the open lesson's language.
        is_ready: whether there is something to show.
        is_typing: whether a field has the focus, so that letters are typed into it.
        can_leave: whether Esc does something, outside a field.
        panels: its panels.
        notifier: the application, which refuses some actions.
        has_note: whether a message stays until it is closed.
    """

    @property
    def id(self) -> str | None: ...

    @property
    def messages(self) -> Messages: ...

    @property
    def is_ready(self) -> bool: ...

    @property
    def is_typing(self) -> bool: ...

    @property
    def can_leave(self) -> bool: ...

    @property
    def has_note(self) -> bool: ...

    @property
    def panels(self) -> ScreenPanels: ...

    @property
    def notifier(self) -> Notifier: ...


class ScreenKeys:
    """The keys of a screen.

    Args:
        screen: the screen.
        is_for_now: whether the screen offers a command at present.
    """

    def __init__(self, screen: KeyedScreen, is_for_now: Callable[[Command], bool]) -> None:
        self._screen, self._is_for_now = screen, is_for_now

    def command(self, keys: str) -> Command | None:
        """Return the command of these keys; `None` if the screen has none."""
        return bound_commands(self._screen.id or "").get(keys)

    def acts(self, keys: str) -> bool:
        """Whether keys act here; a field with the focus needs letters and ← for itself."""
        command = self.command(keys)
        return command is not None and (command.in_fields or not self._screen.is_typing)

    def shows(self, command: Command) -> bool:
        """Whether the footer shows a command."""
        screen = self._screen
        if not screen.is_ready:
            return command.in_reading
        if screen.is_typing:
            return command.in_fields and not self._is_refused(command)
        if command.action == "screen.leave":
            return screen.can_leave or screen.has_note
        is_here = bool(command.panel) and command.panel == screen.panels.focused()
        return (command.in_footer or is_here) and not self._is_refused(command)

    def _is_refused(self, command: Command) -> bool:
        return self._screen.notifier.refusal_of(command.action) is not None

    def name_panels(self, names: Mapping[str, str]) -> str:
        """Name panels, each behind the key that shows it: `Tab heap, merge`."""
        keys = {each.action: each.shown.split()[0] for each in commands_on(self._screen.id or "")}
        of_keys: dict[str, list[str]] = {}
        for panel, name in names.items():
            of_keys.setdefault(keys.get(f"screen.show('{panel}')", "Tab"), []).append(name)
        return "  ".join(f"{key} {', '.join(named)}" for key, named in of_keys.items())

    def footer(self) -> list[FooterKey]:
        """Return the keys that work now, those of the focused panel first."""
        here = self._screen.panels.focused()
        commands = [
            each
            for each in commands_on(self._screen.id or "")
            if self._is_for_now(each) and self.shows(each)
        ]
        commands.sort(key=lambda command: not command.panel or command.panel != here)
        keys = [
            FooterKey(command.shown.split()[0], command.label, command.action)
            for command in commands
        ]
        # One key of several with the same label, such as Tab and Shift+Tab, is enough.
        different = list({key.label: key for key in reversed(keys)}.values())[::-1]
        messages = self._screen.messages
        return [key._replace(label=text_of(messages, key.label)) for key in different]
