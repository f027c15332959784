"""The keys of a screen: which of its commands work here and now, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from bpe_tui.session.declarations import Command
from bpe_tui.session.host import Notifier
from bpe_tui.shell.commands import bound_commands, commands_on
from bpe_tui.shell.screen_panels import ScreenPanels
from bpe_tui.widgets.controls import FooterKey
from engine.core.wording import Messages, text_of


class KeyedScreen(Protocol):
    """A screen as its keys see it.

    Attributes:
        id: the name in the table of commands.
        messages: the table of messages of the open lesson's language.
        is_ready: whether there is something to show.
        is_typing: whether a field has the focus, so that letters are typed into it.
        leaving: the label of Esc, outside a field; "" if it does nothing.
        in_table: whether a table has the focus, so that Home and End are its own.
        named_keys: the keys that the open lesson names, such as `→`; `None` without one.
        SHOWN_BY: panels that another action than `show` shows, too → that action.
        panels: its panels.
        notifier: the application, which refuses some actions.
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
    def leaving(self) -> str: ...

    @property
    def in_table(self) -> bool: ...

    @property
    def named_keys(self) -> Collection[str] | None: ...

    @property
    def SHOWN_BY(self) -> Mapping[str, str]: ...

    @property
    def panels(self) -> ScreenPanels: ...

    @property
    def notifier(self) -> Notifier: ...


MOST_KEYS = 7
"""Most keys in the footer; the help has all."""
LASTING = ("app.predict", "app.predict_cost", "app.what_if", "screen.save", "app.open", "app.help")
"""The actions whose keys are in each footer, if they do something, in this order."""

OF_TEXT = ("app.scene(-1)", "app.scene(0)", "app.scene(1)", "app.lessons")
"""The actions whose keys are below the text of a lesson."""


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
        """Whether keys act here.

        A field with the focus needs letters and ← for itself, a table Home and End.
        """
        if keys in ("home", "end") and self._screen.in_table:
            return False
        command = self.command(keys)
        return command is not None and (command.in_fields or not self._screen.is_typing)

    def shows(self, command: Command) -> bool:
        """Whether the footer shows a command; in a lesson, whether the scene names its key."""
        screen = self._screen
        if not screen.is_ready:
            return command.in_reading
        if screen.is_typing:
            return command.in_fields and not self._is_refused(command)
        if command.action == "screen.leave":
            return bool(screen.leaving)
        if screen.named_keys is not None and command.action != "app.help":
            is_shown = not command.menu and command.shown.split()[0] in screen.named_keys
            return is_shown and command.action not in OF_TEXT and not self._is_refused(command)
        is_shown = command.in_footer or command.action in LASTING or self._is_of_panel(command)
        return is_shown and not self._is_refused(command)

    def _is_of_panel(self, command: Command) -> bool:
        """Whether a command is about the focused panel."""
        return bool(command.panel) and command.panel == self._screen.panels.focused()

    def _is_refused(self, command: Command) -> bool:
        return self._screen.notifier.refusal_of(command.action) is not None

    def name_panels(self, names: Mapping[str, str]) -> str:
        """Name panels, each after the key that shows it: `Tab heap, merge`."""
        of_keys: dict[str, list[str]] = {}
        for panel, name in names.items():
            of_keys.setdefault(self.of_panel(panel), []).append(name)
        return "  ".join(f"{key} {', '.join(named)}" for key, named in of_keys.items())

    def of_panel(self, panel: str) -> str:
        """Return the key that shows a panel that has no room.

        Esc shows the first one of those that share a place, Tab one without a key.
        """
        if panel == self._screen.panels.first:
            return "Esc"
        action = self._screen.SHOWN_BY.get(panel, f"screen.show('{panel}')")
        commands = commands_on(self._screen.id or "")
        return next((each.shown.split()[0] for each in commands if each.action == action), "Tab")

    def footer(self) -> list[FooterKey]:
        """Return the keys that work now: at most `MOST_KEYS`, the lasting ones after the own."""
        offered = [
            each
            for each in commands_on(self._screen.id or "")
            if self._is_for_now(each) and self.shows(each)
        ]
        # One key of several with the same label, such as Tab and Shift+Tab, is enough.
        different = {each.label: each for each in reversed(offered)}.values()
        commands = sorted(different, key=offered.index)
        lasting = [each for each in commands if each.action in LASTING]
        lasting.sort(key=lambda command: LASTING.index(command.action))
        own = self._useful_first([each for each in commands if each not in lasting])
        keys = [
            self._footer_key(command, is_lasting=command in lasting)
            for command in (*own[: MOST_KEYS - len(lasting)], *lasting)
        ]
        if self._screen.is_typing:
            keys.insert(1, FooterKey("Ctrl+U", text_of(self._screen.messages, "clear"), ""))
        return keys[:MOST_KEYS]

    def _useful_first(self, own: list[Command]) -> list[Command]:
        """Return the commands with Esc first, then the focused table's, then Home."""
        in_table = self._screen.in_table

        def place(command: Command) -> int:
            if command.action == "screen.leave":
                return 0
            if command.keys == "home":
                return 2
            return 1 if in_table and self._is_of_panel(command) else 3

        own.sort(key=place)
        at = next((at for at, command in enumerate(own) if place(command) == 3), None)
        if at and place(own[at - 1]) == 2 and (not in_table or place(own[0])):
            own.insert(at - 1, own.pop(at))  # the screen's first key is worth more
        return own

    def _footer_key(self, command: Command, *, is_lasting: bool) -> FooterKey:
        key = FooterKey(command.shown.split()[0], command.label, command.action, is_lasting)
        if command.action == "screen.leave" and not self._screen.is_typing:
            key = key._replace(label=self._screen.leaving or key.label)
        elif command.keys == "home" and self._screen.in_table:
            key = key._replace(label="first row", action="focused.end(False)")
        return key._replace(label=text_of(self._screen.messages, key.label))
