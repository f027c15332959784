"""How does what I type encode with the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterator

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.columns import left
from bpe_tui.panels.unigram.piece_panel import PiecePainter, PiecePanel, score_text
from bpe_tui.pieces import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.visible import number, plural, visible_text, width
from bpe_tui.widgets.lines import Row, Span
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled
from engine.unigram.pieces import Edge

LONGEST = 2000
"""Characters of the line that are encoded."""


class PiecesOfText(PiecePanel):
    """The pieces of a text, each over its score."""

    WIDEST = 1000

    text: reactive[str] = reactive("", repaint=False)

    def watch_text(self) -> None:
        self.rebuild()

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        if not self.text:
            return [Row([("Nothing typed yet: press e and type.", "dim")])]
        return text_rows(frame, self.text, width)


class UnigramEncodeLine(Vertical):
    """A line to type in, and under it the pieces."""

    frame: reactive[UnigramFrame | None] = reactive(None)

    def __init__(self) -> None:
        super().__init__(id="encode")
        self.border_title = Content("type to encode, with the pieces of this step")

    def compose(self) -> ComposeResult:
        yield Input(placeholder="type here (e)", id="encode-input", compact=True)
        yield PiecesOfText("", id="encoded").data_bind(frame=UnigramEncodeLine.frame)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one(PiecesOfText).text = event.value[:LONGEST]
        self._say_size()

    def watch_frame(self) -> None:
        self._say_size()

    def _say_size(self) -> None:
        text = self.query_one(Input).value if self.is_mounted else ""
        if self.frame is None or not text:
            self.border_subtitle = Content("")
            return
        edges = [edge for _, edge in edges_of(self.frame, text[:LONGEST]) if edge is not None]
        shortened = f" of the first {number(LONGEST)} characters" if len(text) > LONGEST else ""
        self.border_subtitle = Content(
            f"{plural(len(edges), 'piece')}{shortened} · "
            f"score {score_text(sum(edge.score for edge in edges))} · step {self.frame.step}"
        )


def edges_of(frame: UnigramFrame, text: str) -> Iterator[tuple[str, Edge | None]]:
    """The pieces of a text in turn: what each is for, and its edge; a special token has none."""
    for pretoken in frame.cut(text):
        if pretoken.special:
            yield pretoken.text, None
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            yield word[edge.start : edge.end], edge


def text_rows(frame: UnigramFrame, text: str, room: int) -> list[Row]:
    """Pieces over scores, in as many pairs of rows as needed; a row is broken at a border."""
    painter = PiecePainter(frame)
    rows: list[Row] = []
    upper: list[Span] = []
    lower: list[Span] = []
    used = 0
    for piece, edge in edges_of(frame, text):
        shown = visible_text(piece)
        label = score_text(edge.score, 1) if edge is not None else "special"
        cells = min(max(width(shown), width(label)), room - 1)
        if used and used + cells + 1 > room:
            rows += [Row(upper), Row(lower)]
            upper, lower, used = [], [], 0
        role = "special" if edge is None else painter.role(edge.piece)
        starts_word = edge is None or not edge.start
        if upper:
            upper[-1] = PRETOKEN_BORDER if starts_word else TOKEN_BORDER
        upper += [*left([(shown, role)], cells), TOKEN_BORDER]
        lower += [*left([(label, "dim")], cells), (" ", "")]
        used += cells + 1
    if upper:
        upper[-1] = PRETOKEN_BORDER
    return [*rows, Row(upper), Row(lower)]
