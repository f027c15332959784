"""The commands of a screen: as key bindings, and in a window that explains all."""

from __future__ import annotations

import re
from functools import cache
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from bpe_tui.session.commands.command import Command
from bpe_tui.session.commands.table import COMMANDS
from bpe_tui.session.models import kind_and_model
from bpe_tui.views.glossary import glossary
from bpe_tui.widgets.rows import wrapped_text
from bpe_tui.widgets.visible import width

WIDEST_HELP = 92
"""Cells of the window with the keys, as the style sheet has it."""


@cache
def commands_on(screen: str) -> tuple[Command, ...]:
    """The commands of a screen, in their order."""
    return tuple(
        command for command in COMMANDS if _is_on(command, screen) and not _refused(command, screen)
    )


def bindings_on(screen: str) -> list[BindingType]:
    """The key bindings of a screen; each calls its `action_press` with the command's keys.

    A command that the screen's model refuses is bound, too, unless the model has another use for
    its key: pressing it says what it is for.

    All have priority: such a key is acted on when it is read. Others wait in the queue of the
    widget that had the focus then, and a key that moves the focus would be overtaken by the next.
    """
    return [
        Binding(command.keys, f"screen.press({command.keys!r})", command.label, priority=True)
        for command in _bound_on(screen).values()
    ]


def command_at(keys: str, screen: str) -> Command:
    """What the keys of a binding mean on a screen."""
    return _bound_on(screen)[keys]


@cache
def _bound_on(screen: str) -> dict[str, Command]:
    """Keys → the command that has them on a screen, be it only to be refused."""
    refused = {command.keys: command for command in COMMANDS if _is_on(command, screen)}
    return refused | {command.keys: command for command in commands_on(screen)}


def refusal(command: Command, screen: str) -> str | None:
    """What the command is for, if the model of the screen has no such thing."""
    _, model = kind_and_model(screen)
    return model.refused.get(command.action) if model is not None else None


def _is_on(command: Command, screen: str) -> bool:
    kind, _ = kind_and_model(screen)
    return screen in command.screens or kind in command.screens


def _refused(command: Command, screen: str) -> bool:
    return refusal(command, screen) is not None


# All keys of a screen, from the declarations of its commands.


class Help(ModalScreen[None]):
    """A window with all keys of a screen; any of its own keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss", "close")
    ]

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._screen, self._text = screen, help_text(screen)

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as window:
            window.border_title = Content(f"keys on the {name_of(self._screen)}")
            window.border_subtitle = Content("Esc closes")
            yield Static()

    def on_resize(self) -> None:
        window = self.query_one("#help")
        widest = min(WIDEST_HELP, self.size.width * 95 // 100)
        cells = widest - window.gutter.width - window.scrollbar_size_vertical
        self.query_one(Static).update(Content(hanging(self._text, cells)))


def hanging(text: str, cells: int) -> str:
    """Lines of at most so many cells; what goes on stands below what is said, not below the key.

    >>> print(hanging("Do\\n  e           Type text to encode; Esc leaves.", 34))
    Do
      e           Type text to encode;
                  Esc leaves.
    """
    lines = []
    for line in text.splitlines():
        key = _KEY.findall(line)[0]
        first, *rest = wrapped_text(line[len(key) :], max(cells - width(key), 12)) or [""]
        lines += [key + first, *(" " * width(key) + more for more in rest)]
    return "\n".join(lines)


_KEY = re.compile(r"^(?:  \S.*?  +)?")
"""What begins a line of help: a key, a sign or a word, and the blanks behind it; or nothing."""


def name_of(screen: str) -> str:
    """What a screen is called: `training screen`, `training screen of Unigram`."""
    kind, model = kind_and_model(screen)
    return f"{kind} screen of {model.title}" if model is not None else f"{kind} screen"


def help_text(screen: str) -> str:
    """The commands in groups, key before what it does; then signs and words."""

    def group(command: Command) -> str:
        return command.group

    parts = []
    for name, commands in groupby(sorted(commands_on(screen), key=group), key=group):
        lines = [f"  {command.shown:<12}{command.help}" for command in commands]
        parts.append("\n".join([name, *lines]))
    parts.append(
        "In a panel\n"
        "  ↑ ↓ k j     Row by row; PageUp and PageDown by screenfuls; the wheel scrolls.\n"
        "  Enter       Where the row leads: a merge, a word. Zoom where it leads nowhere.\n"
        "  Shift+→ ←   Point at a token, the next one, the one before; Enter tells about it.\n"
        "  mouse       Click what Enter would open; a token, or the border between two, "
        "to ask about it; drag the bar on top."
    )
    parts.append(glossary(kind_and_model(screen)[0]))
    return "\n\n".join(parts)
