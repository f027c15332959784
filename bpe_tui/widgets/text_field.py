"""A field of several lines. It is apart from `fields`, as few screens wait for the import."""

from __future__ import annotations

from textual.events import Focus, Paste
from textual.strip import Strip
from textual.widgets import TextArea

from bpe_tui.widgets.fields import settled
from bpe_tui.widgets.numbers import number

LONGEST_PASTE = 20_000
"""Most characters of a paste: Textual wraps the whole line at each key, here in 20 ms."""


class TextField(TextArea):
    """Lines to type in, with the cursor at the end at first. A longer paste is cut."""

    def on_focus(self, event: Focus) -> None:
        if not event.from_app_focus:
            self.move_cursor(self.document.end)

    def on_paste(self, event: Paste) -> None:  # Textual inserts the text after this
        if len(event.text) > LONGEST_PASTE:
            event.text = event.text[:LONGEST_PASTE]
            self.app.notify(
                f"The paste is cut after {number(LONGEST_PASTE)} characters. "
                "Save a longer text as a file: Esc, then o opens it."
            )

    def render_line(self, y: int) -> Strip:
        return settled(super().render_line(y))
