"""How does what I type encode with the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.panels.typed_line import Labelled, TypedLine, TypedText, over_labels
from bpe_tui.panels.unigram.piece_panel import PiecePainter, PiecePanel
from bpe_tui.pieces import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.unigram.numbers import score_text
from bpe_tui.visible import number, plural, visible_text
from bpe_tui.widgets.lines import Row
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled


class PiecesOfText(TypedText[UnigramFrame], PiecePanel):
    """The pieces of a text, each over its score."""

    def rows_of_text(self, frame: UnigramFrame, width: int) -> list[Row]:
        return over_labels(_over_scores(frame, self.text), width)


class UnigramEncodeLine(TypedLine):
    """A line to type in, and under it the pieces."""

    WITH = "pieces"
    LONGEST = 2_000

    def typed_text(self) -> PiecesOfText:
        return PiecesOfText("", id="encoded")

    def told(self, frame: UnigramFrame, text: str, shortened: bool) -> str:
        words = (spelled(pretoken.text) for pretoken in frame.cut(text) if not pretoken.special)
        scores = [edge.score for word in words for edge in frame.pieces_of(word)]
        part = f" of the first {number(len(text))} characters" if shortened else ""
        return (
            f"{plural(len(scores), 'piece')}{part} · "
            f"score {score_text(sum(scores))} · step {frame.step}"
        )


def _over_scores(frame: UnigramFrame, text: str) -> Iterator[Labelled]:
    painter = PiecePainter(frame)
    for pretoken in frame.cut(text):
        if pretoken.special:
            shown = (visible_text(pretoken.text), "special")
            yield Labelled([shown], "special", PRETOKEN_BORDER)
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            shown = (visible_text(word[edge.start : edge.end]), painter.role(edge.piece))
            border = PRETOKEN_BORDER if edge.end == len(word) else TOKEN_BORDER
            yield Labelled([shown], score_text(edge.score, 1), border)
