"""WordPiece's small panels of the training screen, its transport, and the line to type in."""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.session.session import Session
from bpe_tui.views.corpus import MergingExcerptPanel
from bpe_tui.views.player_screen import Transport
from bpe_tui.views.training_panels import MergeList, TouchedPanel, TypedLine, TypedText, over_ids
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left, right, spans_width
from bpe_tui.wordpiece.narration import score_text
from bpe_tui.wordpiece.panels.piece_panel import PiecePanel
from engine.text.pretokenize import to_text
from engine.wordpiece.frame import WordPieceFrame

SCORE_CELLS = 10
"""Cells of a score in the list of merges."""


class PieceCorpusPanel(MergingExcerptPanel[WordPieceFrame], PiecePanel):
    """The beginning of the corpus in words and pieces; the whitespace between words is lost."""

    def has_token(self, frame: WordPieceFrame, pretoken: bytes, token_id: int) -> bool:
        words = frame.words_of(to_text(pretoken))
        return any(token_id in frame.tokens_of(word) for word in words)


class PieceMergesPanel(MergeList[WordPieceFrame], PiecePanel):
    """The merges with the scores that won; a score gives way where its pair needs the room."""

    COUNTED = "score"

    def merge_spans(self, frame: WordPieceFrame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        painter = self.painter(frame)
        pair = painter.pair(merge.pair, between="│")
        if spans_width(pair) > cells - SCORE_CELLS:
            return left(pair, cells)
        score = right(score_text(merge.score.value), SCORE_CELLS)
        return [*left(pair, cells - SCORE_CELLS), score]


class PieceWordsPanel(TouchedPanel[WordPieceFrame], PiecePanel):
    """The words that hold the merged pair, in their pieces before and after."""

    THING = "word"


class WordPieceTransport(Transport):
    """Where it stands, how many pieces the corpus has, and how many a word has on average."""

    def facts(self, session: Session, roomy: bool) -> str:
        frame = session.shown
        if not isinstance(frame, WordPieceFrame):
            return ""
        pieces = f"{number(frame.token_count):>{len(number(frame.character_count))}} pieces   "
        return f"{pieces if roomy else ''}{frame.pieces_per_word:5.2f} pieces/word"


class PiecesOfText(TypedText[WordPieceFrame], PiecePanel):
    """The pieces of a text, each over its id."""

    MARKS_NEXT = True

    def rows_of_text(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        words = (word.ids for word in frame.tokenizer.explain(self.text))
        return over_ids(self.painter(frame), words, width)


class PieceEncodeLine(TypedLine):
    """A line to type in, and under it the pieces."""

    WITH = "pieces"
    LONGEST = 2_000
    TYPED_TEXT = PiecesOfText

    def describe_size(self, frame: WordPieceFrame, text: str, shortened: bool) -> str:
        tokens = plural(len(frame.tokenizer.encode(text)), "token")
        return f"{tokens} · longest match · step {number(frame.step)}"
