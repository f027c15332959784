"""How does what I type encode with the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.unigram.narration import told_unknown
from bpe_tui.unigram.numbers import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.views.pieces import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.views.typed_line import Labelled, TypedLine, TypedText, over_labels
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, paragraph
from bpe_tui.widgets.visible import visible_text
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled
from engine.unigram.pieces import UNKNOWN


class PiecesOfText(TypedText[UnigramFrame], PiecePanel):
    """The pieces of a text, each over its score."""

    def rows_of_text(self, frame: UnigramFrame, width: int) -> list[Row]:
        rows = over_labels(_over_scores(frame, self.text), width)
        return [*rows, *paragraph(told_unknown(frame, self.text), width, "loss")]


class UnigramEncodeLine(TypedLine):
    """A line to type in, and under it the pieces."""

    WITH = "pieces"
    LONGEST = 2_000

    def typed_text(self) -> PiecesOfText:
        return PiecesOfText("", id="encoded")

    def told(self, frame: UnigramFrame, text: str, shortened: bool) -> str:
        pretokens = frame.cut(text)
        words = [spelled(pretoken.text) for pretoken in pretokens if not pretoken.special]
        edges = [edge for word in words for edge in frame.pieces_of(word)]
        tokens = len(edges) + len(pretokens) - len(words)
        unknown = sum(edge.piece == UNKNOWN for edge in edges)
        lost = f"{number(unknown)} × {visible_text(frame.record.unknown)} · " if unknown else ""
        part = f" of the first {number(len(text))} characters" if shortened else ""
        return (
            f"{lost}{plural(tokens, 'piece')}{part} · "
            f"score {score_text(sum(edge.score for edge in edges))} · step {frame.step}"
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
            is_unknown = edge.piece == UNKNOWN
            label = frame.record.unknown if is_unknown else score_text(edge.score, 1)
            yield Labelled([shown], visible_text(label), border)
