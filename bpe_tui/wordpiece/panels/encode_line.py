"""How does what I type encode with the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bpe_tui.views.pieces import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.views.typed_line import Labelled, TypedLine, TypedText, over_labels
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row
from bpe_tui.wordpiece.panels.piece_panel import PiecePainter, PiecePanel
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame


class PiecesOfText(TypedText[WordPieceFrame], PiecePanel):
    """The pieces of a text, each over its id."""

    def rows_of_text(self, frame: WordPieceFrame, width: int) -> list[Row]:
        words = frame.tokenizer.explain(self.text)
        return over_labels(_over_ids(self.painter(frame), words), width)


class PieceEncodeLine(TypedLine):
    """A line to type in, and under it the pieces."""

    WITH = "pieces"
    LONGEST = 2_000

    def typed_text(self) -> PiecesOfText:
        return PiecesOfText("", id="encoded")

    def told(self, frame: WordPieceFrame, text: str, shortened: bool) -> str:
        tokens = plural(len(frame.tokenizer.encode(text)), "token")
        return f"{tokens} · longest match · step {number(frame.step)}"


def _over_ids(painter: PiecePainter, words: Iterable[EncodedWord]) -> Iterator[Labelled]:
    for word in words:
        last = len(word.ids) - 1
        for place, token_id in enumerate(word.ids):
            border = PRETOKEN_BORDER if place == last else TOKEN_BORDER
            yield Labelled(painter.piece(token_id), str(token_id), border)
