"""Small windows with a line to fill in; one of them writes a file."""

from __future__ import annotations

import os
from abc import abstractmethod
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.language import tr, visible_message
from bpe_tui.widgets.visible import visible_text
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError, OutputExistsError


class Dialog(Window[str | None]):
    """A window that asks for a line and returns it, or `None` for Esc.

    `refuse` keeps the window open and shows a reason.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "cancel")]

    def __init__(self, title: str, hint: str, value: str = "") -> None:
        super().__init__()
        self._title, self._hint, self._value = title, hint, value

    def compose(self) -> ComposeResult:
        with Vertical(id="dialog") as window:
            window.border_title = Content(tr(self._title))
            window.border_subtitle = Content(tr("Enter │ Esc cancels"))
            yield Field(self._value, id="dialog-input", compact=True)
            yield from self.compose_more()
            yield Static(Content(tr(self._hint)), id="dialog-hint")

    def compose_more(self) -> ComposeResult:
        """Yield the widgets under the line."""
        yield from ()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.answer(event.value.strip())

    @abstractmethod
    def answer(self, value: str) -> None:
        """Handle Enter: close the window with the line, or refuse it."""

    def say(self, hint: str) -> None:
        """Change the hint, unless the window is closed."""
        if self not in self.app.screen_stack:
            return
        line = self.query_one("#dialog-hint", Static)
        line.update(Content(tr(hint)))
        line.remove_class("-refused")

    def refuse(self, reason: str) -> None:
        """Show why the line is not accepted."""
        self.say(reason)
        self.query("#dialog-hint").add_class("-refused")


class SaveFile(Dialog):
    """A window that asks for a file name, writes the file and returns the name.

    A file is overwritten only if Enter is pressed again, with the same choices.
    """

    NAMELESS: ClassVar[str] = "Name a file."
    """Shown for an empty name."""
    chosen: object = None
    """The choices besides the name."""
    _confirmed: object = None

    @abstractmethod
    def write(self, path: Path, overwrite: bool) -> None:
        """Write the file.

        Raises:
            BpeError: the file cannot be written.
        """

    def answer(self, value: str) -> None:
        if not value:
            self.refuse(self.NAMELESS)
            return
        asked = value, self.chosen
        try:
            self.write(Path(os.path.expanduser(value)), overwrite=asked == self._confirmed)
        except OutputExistsError as error:
            self._confirmed = asked
            taken = visible_text(str(error).split(": ")[0], spaces=False)
            self.refuse(tr("{taken} is there already. Enter again overwrites it.", taken=taken))
        except BpeError as error:
            self.refuse(visible_message(error))
        else:
            self.dismiss(value)
