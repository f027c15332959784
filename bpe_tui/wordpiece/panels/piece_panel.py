"""How WordPiece's pieces and scores look, everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual.reactive import reactive

from bpe_tui.views.panel import PRETOKEN_BORDER, TOKEN_BORDER, TokenPainter, TokenPanel
from bpe_tui.widgets.rows import Span, SubjectSpan
from bpe_tui.widgets.visible import visible_bytes
from engine.text.pretokenize import Pretoken, to_bytes
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

    def spans(self, token_id: int) -> list[Span]:
        written, role = self.frame.any_token(token_id), self.role(token_id)
        is_fresh = token_id == self.fresh
        spans: list[Span] = []
        if written.startswith(to_bytes(CONTINUES)) and len(written) > len(CONTINUES):
            hashes = "fresh" if is_fresh else "cut"
            spans.append(SubjectSpan.of(CONTINUES, hashes, token_id))
            written = written[len(CONTINUES) :]
        spans.append(SubjectSpan.of(visible_bytes(written), role, token_id))
        return [("«", role), *spans, ("»", role)] if self.marks and is_fresh else spans

    def tokens(self, ids: Iterable[int]) -> list[Span]:
        """The pieces of one word with the borders between them."""
        ids = tuple(ids)
        if joints := self.joints(ids):
            return self._joining(ids, joints)
        spans = [span for piece_id in ids for span in (TOKEN_BORDER, *self.spans(piece_id))]
        return spans[1:]

    def words(self, pretoken: Pretoken) -> Iterator[list[Span]]:
        """The words of a stretch of the corpus, each in its pieces; whitespace is lost."""
        if pretoken.special:
            yield self.pretoken(pretoken)
            return
        for word in self.frame.words_of(pretoken.text):
            yield [*self.tokens(self.frame.tokens_of(word)), PRETOKEN_BORDER]


class PiecePanel(TokenPanel[WordPieceFrame]):
    """A panel about a state of WordPiece."""

    frame: reactive[WordPieceFrame | None] = reactive(None, repaint=False)

    def painter(self, frame: WordPieceFrame) -> PiecePainter:
        return self.marking(PiecePainter(frame, marks=self.app.no_color))
