"""What does the corpus look like in the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bpe_tui.views.corpus import MergingExcerptPanel, flowed, layout_step
from bpe_tui.views.pieces import PRETOKEN_BORDER
from bpe_tui.widgets.rows import Row, Span, spans_width
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.panels.piece_panel import PiecePainter
from engine.text.excerpt import Excerpt
from engine.text.pretokenize import Pretoken, to_text
from engine.wordpiece.frame import WordPieceFrame


class PieceCorpusPanel(MergingExcerptPanel[WordPieceFrame]):
    """The beginning of the corpus in words and pieces; the whitespace between words is lost."""

    def excerpt_of(self, frame: WordPieceFrame) -> Excerpt:
        return frame.excerpt

    def line_rows(
        self, frame: WordPieceFrame, line: tuple[Pretoken, ...], width: int
    ) -> Iterable[Row]:
        return flowed(_words(PiecePainter(frame, marks=self.app.no_color), line), width)

    def has_token(self, frame: WordPieceFrame, pretoken: bytes, token_id: int) -> bool:
        words = frame.words_of(to_text(pretoken))
        return any(token_id in frame.tokens_of(word) for word in words)


def _words(painter: PiecePainter, line: Iterable[Pretoken]) -> Iterator[tuple[list[Span], int]]:
    """The words of a line, each with the cells that it took at an earlier step."""
    frame = painter.frame
    earlier = PiecePainter(frame.at(layout_step(frame.step)))
    for pretoken in line:
        if pretoken.special:
            special: Span = (f"╌╌ {visible_text(pretoken.text)} ╌╌", "special")
            yield [special], spans_width([special])
            continue
        for now, before in zip(
            painter.words(pretoken.text), earlier.words(pretoken.text), strict=True
        ):
            yield [*now, PRETOKEN_BORDER], spans_width(before) + 1
