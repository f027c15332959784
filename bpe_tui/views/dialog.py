"""A small window with one line to fill in."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static


class Dialog(ModalScreen[str | None]):
    """Asks for a line; gives it back, or `None` for Esc. `refuse` keeps it open with a reason."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "cancel")]

    def __init__(self, title: str, hint: str, value: str = "") -> None:
        super().__init__()
        self._title, self._hint, self._value = title, hint, value

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as window:
            window.border_title = Content(self._title)
            window.border_subtitle = Content("Enter · Esc cancels")
            yield Input(self._value, id="dialog-input", compact=True)
            yield from self.compose_more()
            yield Static(Content(self._hint), id="dialog-hint")

    def compose_more(self) -> ComposeResult:
        """What stands under the line."""
        yield from ()

    def on_mount(self) -> None:
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.answer(event.value.strip())

    def answer(self, value: str) -> None:
        """What Enter does with the line."""
        self.dismiss(value)

    def say(self, hint: str) -> None:
        """Change the hint."""
        line = self.query_one("#dialog-hint", Static)
        line.update(Content(hint))
        line.remove_class("-refused")

    def refuse(self, reason: str) -> None:
        """Say why the line will not do."""
        self.say(reason)
        self.query_one("#dialog-hint").add_class("-refused")
