from collections.abc import Iterable, Iterator

from bpe_tui.session.session import Session
from bpe_tui.views.corpus import MergingExcerptPanel, flowed, layout_step
from bpe_tui.views.panel import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.views.training_panels import (
    Labelled,
    MergeList,
    TouchedPanel,
    TypedLine,
    TypedText,
    over_labels,
)
from bpe_tui.views.training_screen import Transport
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, Span, left, right, spans_width
from bpe_tui.widgets.visible import visible_text
from bpe_tui.wordpiece.narration import score_text
from bpe_tui.wordpiece.panels.piece_panel import PiecePainter, PiecePanel
from engine.text.excerpt import Excerpt
from engine.text.pretokenize import Pretoken, to_text
from engine.wordpiece.encoder import EncodedWord
from engine.wordpiece.frame import WordPieceFrame

# What does the corpus look like in the pieces of this step?


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


# What has been merged so far, at which score, and what will be?

SCORE_CELLS = 10


class PieceMergesPanel(MergeList[WordPieceFrame]):
    """The merges with the scores that won; a score gives way where its pair needs the room."""

    def merge_spans(self, frame: WordPieceFrame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        painter = PiecePainter(frame, marks=self.app.no_color)
        pair = painter.pair(merge.pair, between="│")
        if spans_width(pair) <= cells - SCORE_CELLS:
            score = right(score_text(merge.score.value), SCORE_CELLS)
            return [*left(pair, cells - SCORE_CELLS), score]
        first, second = map(painter.piece, merge.pair)
        room, needed = max(cells - 1, 6), spans_width(first)
        for_second = min(spans_width(second), max(room - needed, room // 2))
        for_first = min(needed, room - for_second)
        return [*left(first, for_first), ("│", "border"), *left(second, for_second)]


# Which words did this merge touch?


class PieceWordsPanel(TouchedPanel[WordPieceFrame]):
    """The words that hold the merged pair, in their pieces before and after."""

    THING = "word"

    def drawn(self, frame: WordPieceFrame, ids: tuple[int, ...]) -> list[Span]:
        return PiecePainter(frame, marks=self.app.no_color).pieces(ids)


# The player of a WordPiece training, with the size that it has come to.


class WordPieceTransport(Transport):
    """Where it stands, how many pieces the corpus has, and how many a word has on average."""

    def facts(self, session: Session, roomy: bool) -> str:
        frame = session.shown
        if not isinstance(frame, WordPieceFrame):
            return ""
        pieces = f"{number(frame.token_count):>{len(number(frame.character_count))}} pieces   "
        return f"{pieces if roomy else ''}{frame.pieces_per_word:5.2f} pieces/word"


# How does what I type encode with the pieces of this step?


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
