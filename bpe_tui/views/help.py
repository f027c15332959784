"""All keys of a screen, from the declarations of its commands."""

from __future__ import annotations

from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from bpe_tui.session.commands.command import Command
from bpe_tui.session.models import kind_and_model
from bpe_tui.views.commands import commands_on


class Help(ModalScreen[None]):
    """Closes on any of its keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss", "close")
    ]

    def __init__(self, screen: str) -> None:
        super().__init__()
        self._screen = screen

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="help") as window:
            window.border_title = Content(f"keys on the {name_of(self._screen)}")
            window.border_subtitle = Content("Esc closes")
            yield Static(Content(help_text(self._screen)))


def name_of(screen: str) -> str:
    """What a screen is called: `training screen`, `training screen of Unigram`."""
    kind, model = kind_and_model(screen)
    return f"{kind} screen of {model.title}" if model is not None else f"{kind} screen"


def help_text(screen: str) -> str:
    """The commands in groups, key before what it does."""

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
        "  mouse       Click what Enter would open; drag the bar on top."
    )
    return "\n\n".join(parts)
