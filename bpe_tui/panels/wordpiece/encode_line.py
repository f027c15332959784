"""How does what I type encode with the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.columns import left
from bpe_tui.panels.wordpiece.piece_panel import PiecePainter, PiecePanel
from bpe_tui.pieces import PRETOKEN_BORDER, TOKEN_BORDER, spans_width
from bpe_tui.visible import number, plural
from bpe_tui.widgets.lines import Row, Span
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame

LONGEST = 2_000
"""Characters of the line that are encoded."""


class PiecesOfText(PiecePanel):
    """The pieces of a text, each over its id."""

    WIDEST = 1000

    text: reactive[str] = reactive("", repaint=False)

    def watch_text(self) -> None:
        self.rebuild()

    def rows_of(self, frame: WordPieceFrame, width: int) -> list[Row]:
        if not self.text:
            return [Row([("Nothing typed yet: press e and type.", "dim")])]
        return encoded_rows(self.painter(frame), frame.tokenizer.explain(self.text), width)


class PieceEncodeLine(Vertical):
    """A line to type in, and under it the pieces."""

    frame: reactive[WordPieceFrame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="encode")
        self.border_title = Content("type to encode, with the pieces of this step")

    def compose(self) -> ComposeResult:
        yield Input(placeholder="type here (e)", id="encode-input", compact=True)
        yield PiecesOfText("", id="encoded").data_bind(frame=PieceEncodeLine.frame)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(PiecesOfText).text = event.value[:LONGEST]
        self._say_size()

    def watch_frame(self) -> None:
        self._say_size()

    def _say_size(self) -> None:
        text = self.query_one(Input).value[:LONGEST] if self.is_mounted else ""
        if self.frame is None or not text:
            self.border_subtitle = Content("")
            return
        tokens = plural(len(self.frame.tokenizer.encode(text)), "token")
        self.border_subtitle = Content(f"{tokens} · longest match · step {number(self.frame.step)}")


def encoded_rows(painter: PiecePainter, words: Iterable[EncodedWord], room: int) -> list[Row]:
    """Pieces over ids, in as many pairs of rows as needed; a row is broken at a border."""
    rows: list[Row] = []
    upper: list[Span] = []
    lower: list[Span] = []
    used = 0
    for word in words:
        for place, token_id in enumerate(word.ids):
            piece, label = painter.piece(token_id), str(token_id)
            cells = min(max(spans_width(piece), len(label)), room - 1)
            if used and used + cells + 1 > room:
                rows += [Row(upper), Row(lower)]
                upper, lower, used = [], [], 0
            border = PRETOKEN_BORDER if place == len(word.ids) - 1 else TOKEN_BORDER
            upper += [*left(piece, cells), border]
            lower += [*left([(label, "dim")], cells), (" ", "")]
            used += cells + 1
    return [*rows, Row(upper), Row(lower)]
