"""The keys of a screen: which of its commands work here and now, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from bpe_tui.session.declarations import ANY, FIELD, PLAY, READING, SECOND_LINE, Command
from bpe_tui.session.models import kind_and_model
from bpe_tui.shell.commands import bound_commands, commands_on
from bpe_tui.widgets.controls import FooterKey
from bpe_tui.widgets.language import tr

MOST_KEYS = 7
"""Most keys in the first line of the footer, besides the ways back; the help has all."""
WAYS_BACK = "screen.leave", "app.jump_back"
LASTING = (*WAYS_BACK, "screen.forward(1)", "app.help")
"""The actions whose keys stay where there is little room."""
OF_TEXT = ("app.scene(-1)", "app.jump_back", "app.scene(1)", "app.lessons")
"""The actions whose keys are below the text of a lesson."""
LEAST_NAMED = 98
"""Rank of a key that the text of a lesson names, if it has no higher one."""
OTHERS_LATER = 50
"""Distance in rank of the other keys from those of the player, while something plays."""
CHOOSE = "focused.choose"
"""The action of Enter in a row."""


class KeyState(NamedTuple):
    """The state of a screen on which it depends which keys its footer shows.

    Attributes:
        is_ready: whether there is something to show.
        is_typing: whether a field has the focus, so that letters are typed into it.
        panel: the panel with the focus.
        enters: the label of Enter in the focused row; "" if it leads nowhere.
        labels: action → its label now; "" if it does nothing.
        playing: the steps a second while something plays; "" at rest.
        named_keys: the keys that the open lesson names, such as `→`; `None` without one.
    """

    is_ready: bool
    is_typing: bool
    panel: str | None
    enters: str
    labels: Mapping[str, str]
    playing: str
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

    def name_panels(self, names: Mapping[str, str], first: str) -> str:
        """Name panels, each after the key that shows it: `Tab heap, merge`.

        Esc shows the first one of those that share a place, Tab one without a key.
        """
        of_keys: dict[str, list[str]] = {}
        for panel, name in names.items():
            key = "Esc" if panel == first else self.leading_to(panel) or "Tab"
            of_keys.setdefault(key, []).append(tr(name))
        return "  ".join(f"{key} {', '.join(named)}" for key, named in of_keys.items())

    def leading_to(self, panel: str) -> str:
        """Return the key that shows a panel; "" if none does."""
        actions = f"screen.show('{panel}')", f"screen.turn('{panel}')"
        commands = commands_on(self._name)
        return next((each.shown.split()[0] for each in commands if each.action in actions), "")

    def footer(self, now: KeyState) -> tuple[list[FooterKey], list[FooterKey]]:
        """Return the two lines of keys that work now, by their ranks for the focused panel."""
        ranked = [(self._rank(each, now), each) for each in commands_on(self._name)]
        shown = [(rank, each) for rank, each in ranked if rank is not None and self._offers(each)]
        shown.sort(key=lambda each: each[0])
        first = [each for rank, each in shown if rank < SECOND_LINE]
        counted = [each for each in first if each.action not in WAYS_BACK]
        enters = "" if now.playing else now.enters
        cut = MOST_KEYS - bool(enters) - 1
        if len({each.label for each in counted[cut - 1 : cut + 1]}) == 1:
            cut -= 1  # two keys of one label stay together
        left_out = counted[cut:-1]  # the last one is the help
        keys = _footer_keys([each for each in first if each not in left_out], now)
        if enters:
            keys.insert(0, FooterKey("↵", tr(enters), CHOOSE))
        if now.is_typing:
            keys.insert(1, FooterKey("Ctrl+U", tr("clear"), ""))
        return keys, _footer_keys([each for rank, each in shown if rank >= SECOND_LINE], now)

    def _rank(self, command: Command, now: KeyState) -> int | None:
        """Return the rank of a command in the footer; `None` if it is not there.

        In a lesson only the keys are there that the text names, while something plays only those
        that steer it.
        """
        if not now.is_ready:
            return command.rank(READING)
        if now.is_typing:
            return command.rank(FIELD)
        rank = command.rank(now.panel, kind_and_model(self._name)[0], ANY)
        if now.labels.get(command.action) == "":
            return None
        if now.named_keys is not None and command.action not in ("screen.leave", "app.help"):
            is_other = command.menu or command.action in OF_TEXT or not command.keys
            is_named = not is_other and command.shown.split()[0] in now.named_keys
            return min(rank or LEAST_NAMED, LEAST_NAMED) if is_named else None
        if now.playing and rank is not None and rank < SECOND_LINE:
            steers = command.playing or command.action in WAYS_BACK
            return rank + OTHERS_LATER * (command.group != PLAY) if steers else None
        return rank


def _footer_keys(commands: Sequence[Command], now: KeyState) -> list[FooterKey]:
    """Return the keys of commands; of neighbours with one label only the last one has it."""
    keys = []
    for command, following in zip_longest(commands, commands[1:]):
        label = _label(command, now)
        if following is not None and label == _label(following, now):
            label = ""
        shown, is_lasting = command.shown.split()[0], command.action in LASTING
        keys.append(FooterKey(shown, label, command.action, is_lasting))
    return keys


def _label(command: Command, now: KeyState) -> str:
    """Return the label of a command in the present state."""
    if not now.is_ready or now.is_typing:
        return tr(command.label)
    if now.playing and command.playing:
        return tr(command.playing, speed=now.playing)
    return tr(now.labels.get(command.action, command.label))
