"""The keys of a screen: which of its commands work here and now, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from bpe_tui.session.declarations import Command
from bpe_tui.shell.commands import bound_commands, commands_on
from bpe_tui.widgets.controls import FooterKey
from bpe_tui.widgets.language import tr

MOST_KEYS = 7
"""Most keys in the footer; the help has all."""
LASTING = (
    *("app.predict", "screen.predict_cost", "app.what_if"),
    *("screen.save", "app.open", "app.help"),
)
"""The actions whose keys are in each footer, if they do something, in this order."""
OF_TEXT = ("app.scene(-1)", "app.scene(0)", "app.scene(1)", "app.lessons")
"""The actions whose keys are below the text of a lesson."""


class KeyState(NamedTuple):
    """The state of a screen on which it depends which of its keys work.

    Attributes:
        is_ready: whether there is something to show.
        is_typing: whether a field has the focus, so that letters are typed into it.
        in_table: whether a table has the focus, so that Home and End are its own.
        panel: the panel with the focus.
        leaving: the label of Esc, outside a field; "" if it does nothing.
        named_keys: the keys that the open lesson names, such as `→`; `None` without one.
    """

    is_ready: bool
    is_typing: bool
    in_table: bool
    panel: str | None
    leaving: str
    named_keys: Collection[str] | None


class ScreenKeys:
    """The keys of a screen.

    Args:
        name: the screen's name in the table of commands.
        offers: tells whether the screen offers a command at present.
    """

    def __init__(self, name: str, offers: Callable[[Command], bool]) -> None:
        self._name, self._offers = name, offers

    def command(self, keys: str) -> Command | None:
        """Return the command of these keys; `None` if the screen has none."""
        return bound_commands(self._name).get(keys)

    def shows(self, command: Command, now: KeyState) -> bool:
        """Whether the footer shows a command; in a lesson, whether the scene names its key."""
        if not command.keys or not self._offers(command):
            return False
        if not now.is_ready:
            return command.in_reading
        if now.is_typing:
            return command.in_fields
        if command.action == "screen.leave":
            return bool(now.leaving)
        if now.named_keys is not None and command.action != "app.help":
            is_named = not command.menu and command.shown.split()[0] in now.named_keys
            return is_named and command.action not in OF_TEXT
        return command.in_footer or command.action in LASTING or _is_of_panel(command, now)

    def name_panels(self, names: Mapping[str, str], first: str) -> str:
        """Name panels, each after the key that shows it: `Tab heap, merge`.

        Esc shows the first one of those that share a place, Tab one without a key.
        """
        of_keys: dict[str, list[str]] = {}
        for panel, name in names.items():
            key = "Esc" if panel == first else self.leading_to(panel) or "Tab"
            of_keys.setdefault(key, []).append(name)
        return "  ".join(f"{key} {', '.join(named)}" for key, named in of_keys.items())

    def leading_to(self, panel: str) -> str:
        """Return the key that shows a panel; "" if none does."""
        actions = f"screen.show('{panel}')", f"screen.turn('{panel}')"
        commands = commands_on(self._name)
        return next((each.shown.split()[0] for each in commands if each.action in actions), "")

    def footer(self, now: KeyState) -> list[FooterKey]:
        """Return the keys that work now: at most `MOST_KEYS`, the lasting ones after the own."""
        offered = [each for each in commands_on(self._name) if self.shows(each, now)]
        # One key of several with the same label, such as Tab and Shift+Tab, is enough.
        different = {each.label: each for each in reversed(offered)}.values()
        commands = sorted(different, key=offered.index)
        lasting = [each for each in commands if each.action in LASTING]
        lasting.sort(key=lambda command: LASTING.index(command.action))
        own = _useful_first([each for each in commands if each not in lasting], now)
        keys = [
            _footer_key(command, now, is_lasting=command in lasting)
            for command in (*own[: MOST_KEYS - len(lasting)], *lasting)
        ]
        if now.is_typing:
            keys.insert(1, FooterKey("Ctrl+U", tr("clear"), ""))
        return keys[:MOST_KEYS]


def _is_of_panel(command: Command, now: KeyState) -> bool:
    """Whether a command is about the focused panel."""
    return bool(command.panel) and command.panel == now.panel


def _useful_first(own: list[Command], now: KeyState) -> list[Command]:
    """Return the commands with Esc first, then the focused table's, then Home."""

    def place(command: Command) -> int:
        if command.action == "screen.leave":
            return 0
        if command.keys == "home":
            return 2
        return 1 if now.in_table and _is_of_panel(command, now) else 3

    own.sort(key=place)
    at = next((at for at, command in enumerate(own) if place(command) == 3), None)
    if at and place(own[at - 1]) == 2 and (not now.in_table or place(own[0])):
        own.insert(at - 1, own.pop(at))  # the screen's first key is worth more
    return own


def _footer_key(command: Command, now: KeyState, *, is_lasting: bool) -> FooterKey:
    key = FooterKey(command.shown.split()[0], command.label, command.action, is_lasting)
    if command.action == "screen.leave" and not now.is_typing:
        key = key._replace(label=now.leaving or key.label)
    elif command.keys == "home" and now.in_table:
        key = key._replace(label="first row", action="focused.end(False)")
    return key._replace(label=tr(key.label))
