"""Fields to type in. What is typed or pasted may hold anything; they draw what `typed_text` leaves.

A terminal that draws a flag or a family wider than Textual counts would push the border of the
field, and all that stands beside it.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import Input, TextArea

from bpe_tui.widgets.visible import typed_text


class Field(Input):
    """A line to type in."""

    def render_line(self, y: int) -> Strip:
        return _settled(super().render_line(y))


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
