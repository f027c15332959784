"""Fields to type in, which draw any text in the cells that Textual counts for it.

Some terminals draw a flag or a family emoji wider than Textual counts. That would push the border
of the field and everything beside it. So fields draw the result of `typed_text`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.events import Paste
from textual.screen import ScreenResultType
from textual.strip import Strip
from textual.widgets import Input

from bpe_tui.widgets.language import tr
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.visible import shorten, typed_text
from bpe_tui.widgets.window import Window

LONGEST_TEXT = 20_000
"""Most characters of a text with a paste: Textual wraps a whole line at each key, in 20 ms."""


class Field(Input):
    """A line to type in. A placeholder that is too long ends in `…`.

    The focus selects what is there: typing replaces it, an arrow or End keeps it.
    """

    LONGEST: ClassVar[int] = 1_000
    """Most characters after a paste: what searches at each change takes time for each."""

    def __init__(self, value: str | None = None, placeholder: str = "", **settings: Any) -> None:
        # Any text is valid; the classes that say so would cost new styles.
        self.whole_placeholder = tr(placeholder)
        super().__init__(value, self.whole_placeholder, validate_on=[], **settings)

    def on_paste(self, event: Paste) -> None:  # Textual inserts its first line after this
        room = max(self.LONGEST - len(self.value) + len(self.selected_text), 0)
        if len(event.text) > room:
            event.text = event.text[:room]
            self._tell_cut()

    def _tell_cut(self) -> None:
        template = "A paste is cut where the line has {longest} characters."
        self.app.notify(tr(template, longest=self.LONGEST))

    def on_resize(self) -> None:
        self.placeholder = shorten(self.whole_placeholder, self.content_size.width)

    def render_line(self, y: int) -> Strip:
        return settled(super().render_line(y))

    def update_node_styles(self, animate: bool = True) -> None:
        """Compute the styles, but not before it is part of a screen, nor in a window that closes.

        Textual does both, and a field has styles for four parts of it.
        """
        if not self.is_attached:
            return
        if not (isinstance(self.screen, Window) and self.screen.is_closed):
            super().update_node_styles(animate)


LONGEST_LINE = 1_000
"""Most characters of a text that a line shows."""


class TextLine(Field):
    """A line for a longer text: it shows the first line that is not blank.

    Typing in the line replaces the whole text; a paste of several lines is kept whole.

    Attributes:
        whole: the text that was shown last.
    """

    LONGEST = LONGEST_TEXT

    def __init__(self, **settings: Any) -> None:
        super().__init__(compact=True, **settings)
        self.whole = ""

    def show_text(self, text: str) -> None:
        """Set the whole text."""
        self.whole = text
        if self.value != (line := _first_line(text)):
            self.value = line

    def on_paste(self, event: Paste) -> None:
        """Take all lines of a paste; Textual would insert the first one only."""
        text = "\n".join(event.text.splitlines())
        if "\n" not in text:
            return
        event.prevent_default()  # also the base's handler, which cuts what is too long
        start, end = sorted(self.selection)
        whole = f"{self.value[:start]}{text}{self.value[end:]}"
        if len(whole) > self.LONGEST:
            self._tell_cut()
        self.show_text(whole[: self.LONGEST])
        self.cursor_position = len(self.value)
        self.post_message(self.Changed(self, self.value))  # its first line may be as before

    @property
    def text(self) -> str:
        """The whole text, or the typed line that replaces it."""
        return self.value if self.is_all else self.whole

    @property
    def is_all(self) -> bool:
        """Whether the line shows all of the text."""
        return self.value == self.whole or self.value != _first_line(self.whole)


def _first_line(text: str) -> str:
    lines = text.replace("\r", "\n").split("\n")
    return next(filter(str.strip, lines), lines[0])[:LONGEST_LINE]


def settled(strip: Strip) -> Strip:
    """Return the strip with its text made safe, in the same number of cells."""
    if strip.text.isascii() and strip.text.isprintable():
        return strip
    segments = [Segment(typed_text(text), style, control) for text, style, control in strip]
    return Strip(segments).adjust_cell_length(strip.cell_length)


class FieldOverRows(Window[ScreenResultType]):
    """A window with a field to type in; the keys go through the rows below it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "up", priority=True),
        Binding("down", "move(1)", "down", priority=True),
        Binding("pageup", "page(-1)", "page up", priority=True),
        Binding("pagedown", "page(1)", "page down", priority=True),
    ]

    @property
    def found_rows(self) -> Lines:
        return self.query_one(Lines)

    def action_move(self, by: int) -> None:
        self.found_rows.action_move(by)

    def action_page(self, direction: int) -> None:
        self.found_rows.action_page(direction)

    def action_choose(self) -> None:
        self.found_rows.action_choose()
