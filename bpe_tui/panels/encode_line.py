"""How does what I type encode with the merges of this step?"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.columns import left
from bpe_tui.narration import told_unknown
from bpe_tui.panels.panel import Panel
from bpe_tui.pieces import PRETOKEN_BORDER, TOKEN_BORDER, TokenPainter
from bpe_tui.visible import number, width
from bpe_tui.widgets.lines import Row, Span
from engine.frame import Frame
from engine.pretokenize import to_bytes
from engine.typed_text import EncodedPretoken


class EncodedText(Panel):
    """The pieces of a text, each over its id."""

    WIDEST = 1000

    text: reactive[str] = reactive("", repaint=False)

    def watch_text(self) -> None:
        self.rebuild()

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        if not self.text:
            return [Row([("Nothing typed yet: press e and type.", "dim")])]
        rows = encoded_rows(self.painter(frame), frame.encode(self.text), width)
        lost = textwrap.wrap(told_unknown(frame, self.text), max(width, 10))
        return [*rows, *(Row([(line, "loss")]) for line in lost)]


class EncodeLine(Vertical):
    """A line to type in, and under it the encoding."""

    frame: reactive[Frame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="encode")
        self.border_title = Content("type to encode, with the merges of this step")

    def compose(self) -> ComposeResult:
        yield Input(placeholder="type here (e)", id="encode-input", compact=True)
        yield EncodedText("", id="encoded").data_bind(frame=EncodeLine.frame)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(EncodedText).text = event.value
        self._say_size()

    def watch_frame(self) -> None:
        self._say_size()

    def _say_size(self) -> None:
        text = self.query_one(Input).value if self.is_mounted else ""
        if self.frame is None or not text:
            self.border_subtitle = Content("")
            return
        tokens = sum(len(piece.ids) for piece in self.frame.encode(text))
        unknown = self.frame.unknown_in(text)
        lost = f"{number(unknown)} × <unk>, in bytes none · " if unknown else ""
        self.border_subtitle = Content(
            f"{lost}{number(tokens)} tokens · {number(len(to_bytes(text)))} bytes · "
            f"step {number(self.frame.step)}"
        )


def encoded_rows(painter: TokenPainter, pieces: Sequence[EncodedPretoken], room: int) -> list[Row]:
    """Pieces over ids, in as many pairs of rows as needed.

    A row is broken at a border; a token wider than the room is cut.
    """
    rows: list[Row] = []
    upper: list[Span] = []
    lower: list[Span] = []
    used = 0
    for piece in pieces:
        for place, token_id in enumerate(piece.ids):
            text, role = painter.token(token_id)
            label = str(token_id)
            cells = min(max(width(text), len(label)), room - 1)
            if used and used + cells + 1 > room:
                rows += [Row(upper), Row(lower)]
                upper, lower, used = [], [], 0
            border = PRETOKEN_BORDER if place == len(piece.ids) - 1 else TOKEN_BORDER
            upper += [*left([(text, role)], cells), border]
            lower += [*left([(label, "dim")], cells), (" ", "")]
            used += cells + 1
    return [*rows, Row(upper), Row(lower)]
