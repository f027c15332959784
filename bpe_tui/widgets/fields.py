"""Fields to type in. What is typed or pasted may hold anything; they draw what `typed_text` leaves.

A terminal that draws a flag or a family wider than Textual counts would push the border of the
field, and all that stands beside it.
"""

from __future__ import annotations

from typing import Any

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import Input, TextArea

from bpe_tui.widgets.visible import typed_text


def draw_settled(field: Input) -> None:
    """Let a field that is none of ours draw as they do."""
    draw = field.render_line
    setattr(field, "render_line", lambda y: _settled(draw(y)))  # noqa: B010


class Field(Input):
    """A line to type in."""

    def render_line(self, y: int) -> Strip:
        return _settled(super().render_line(y))


LONGEST_LINE = 1_000
"""Characters of a text that a line shows."""


class TextLine(Field):
    """A line for a text that may be longer: it shows the text's first line that is not blank.

    What is typed in the line takes the place of the whole text.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(compact=True, **settings)
        self._whole = ""

    def show_text(self, text: str) -> None:
        """Let this be the text."""
        self._whole = text
        if self.value != (line := _first_line(text)):
            self.value = line

    @property
    def text(self) -> str:
        """The whole text, or what was typed in its place."""
        return self.value if self.is_all else self._whole

    @property
    def is_all(self) -> bool:
        """Whether the line is all of the text."""
        return self.value == self._whole or self.value != _first_line(self._whole)


def _first_line(text: str) -> str:
    lines = text.replace("\r", "\n").split("\n")
    return next(filter(str.strip, lines), lines[0])[:LONGEST_LINE]


class TextField(TextArea):
    """Lines to type in."""

    def render_line(self, y: int) -> Strip:
        return _settled(super().render_line(y))


def _settled(strip: Strip) -> Strip:
    """The strip in as many cells, whichever terminal draws it."""
    if strip.text.isascii() and strip.text.isprintable():
        return strip
    segments = [Segment(typed_text(text), style, control) for text, style, control in strip]
    return Strip(segments).adjust_cell_length(strip.cell_length)
