"""All that the user has been told, to be read again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static


class Messages(ModalScreen[None]):
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
