"""An empty application of Textual, to compare ours with: its first frame, and a repaint.

It shows one text that fills the screen. At any key all words of it get other colours, in the
ordinary way of Textual: a `Static` is updated.
"""

from __future__ import annotations

from itertools import cycle, islice

from textual.app import App, ComposeResult
from textual.content import Content
from textual.events import Key
from textual.widgets import Static

FIRST_FRAME = "empty"
WORD = "empty "
INKS = ("$primary", "$secondary", "$success", "$warning", "$foreground")


class Empty(App[None]):
    """The application; a key repaints all of its cells."""

    repaints = 0

    def compose(self) -> ComposeResult:
        yield Static(self.words())

    def on_key(self, _: Key) -> None:
        self.repaints += 1
        self.query_one(Static).update(self.words(), layout=False)

    def words(self) -> Content:
        """Return as many coloured words as fill the screen."""
        inks = islice(cycle(INKS), self.repaints % len(INKS), None)
        lines = [[(WORD, next(inks)) for _ in range(self.size.width // len(WORD))]]
        lines += [[(WORD, next(inks)) for _ in lines[0]] for _ in range(self.size.height - 1)]
        return Content("\n").join(Content.assemble(*line) for line in lines)


if __name__ == "__main__":
    Empty().run()
