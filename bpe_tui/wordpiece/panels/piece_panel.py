"""How WordPiece's pieces and scores look, everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.reactive import reactive

from bpe_tui.views.panel import TOKEN_BORDER, FramePanel, TokenPainter
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.visible import visible_bytes
from engine.core.events import Pair
from engine.text.pretokenize import to_bytes
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.words import CONTINUES

HUGGING_FACE = (
    "Hugging Face's WordPiece trainer is really BPE: it merges by count",
    "Hugging Face's trainer is BPE",
)
"""What nobody should take this for, in full and where there is little room."""


class PiecePainter(TokenPainter):
    """Draws the pieces of one frame as they are written, their `##` faint.

    `marks` puts «» round the fresh piece, for want of colour.
    """

    frame: WordPieceFrame

    def __init__(self, frame: WordPieceFrame, *, marks: bool = False) -> None:
        super().__init__(frame, marks=marks)

    def piece(self, piece_id: int) -> list[Span]:
        written, role = self.frame.any_token(piece_id), self.role(piece_id)
        is_fresh = piece_id == self.fresh
        spans: list[Span] = []
        if written.startswith(to_bytes(CONTINUES)) and len(written) > len(CONTINUES):
            spans.append((CONTINUES, "fresh" if is_fresh else "cut"))
            written = written[len(CONTINUES) :]
        spans.append((visible_bytes(written), role))
        return [("«", role), *spans, ("»", role)] if self.marks and is_fresh else spans

    def pieces(self, ids: Iterable[int]) -> list[Span]:
        """The pieces of one word with the borders between them."""
        spans: list[Span] = []
        for piece_id in ids:
            if spans:
                spans.append(TOKEN_BORDER)
            spans += self.piece(piece_id)
        return spans

    def pair(self, pair: Pair, between: str = " │ ") -> list[Span]:
        return [*self.piece(pair[0]), (between, "border"), *self.piece(pair[1])]

    def words(self, text: str) -> Iterator[list[Span]]:
        """The words of a stretch of the corpus, each in its pieces."""
        for word in self.frame.words_of(text):
            yield self.pieces(self.frame.tokens_of(word))


class PiecePanel(FramePanel[WordPieceFrame]):
    """A panel about a state of WordPiece."""

    frame: reactive[WordPieceFrame | None] = reactive(None, repaint=False)

    def painter(self, frame: WordPieceFrame) -> PiecePainter:
        return PiecePainter(frame, marks=self.app.no_color)
