"""A field of several lines. It is apart from `fields`, as few screens wait for the import."""

from __future__ import annotations

from textual.events import Focus, Paste
from textual.strip import Strip
from textual.widgets import TextArea

from bpe_tui.widgets.fields import LONGEST_TEXT, settled
from bpe_tui.widgets.language import tr


class TextField(TextArea):
    """Lines to type in; the focus selects them all, as in a line. A long paste is cut."""

    def on_focus(self, event: Focus) -> None:
        if not event.from_app_focus:
            self.select_all()

    def on_blur(self) -> None:
        """Select nothing any more, unless a part was chosen."""
        if self.selected_text == self.text:
            self.move_cursor(self.document.end)

    def on_paste(self, event: Paste) -> None:  # Textual inserts the text after this
        kept = len(self.text) - len(self.selected_text)
        if kept + len(event.text) > LONGEST_TEXT:
            event.text = event.text[: max(LONGEST_TEXT - kept, 0)]
            template = (
                "A paste is cut where the text has {longest_text} characters. Save a longer "
                "text as a file: Esc, then o opens it."
            )
            self.app.notify(tr(template, longest_text=LONGEST_TEXT))

    def render_line(self, y: int) -> Strip:
        return settled(super().render_line(y))
