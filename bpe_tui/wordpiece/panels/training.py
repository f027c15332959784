"""WordPiece's small panels of the training screen, its transport, and the line to type in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from textual.reactive import reactive

from bpe_tui.session.session import Session
from bpe_tui.views.corpus import MergingExcerptPanel
from bpe_tui.views.narration import BETWEEN_PARTS
from bpe_tui.views.panel import PRETOKEN_BORDER, TOKEN_BORDER, TokenPainter, TokenPanel, sentence
from bpe_tui.views.player_screen import Transport
from bpe_tui.views.targets import ToPair
from bpe_tui.views.training_panels import MergeList, TouchedPanel, TypedLine, TypedText, over_ids
from bpe_tui.widgets.numbers import bar, bar_room, number, plural, scale_of, short_number, signed
from bpe_tui.widgets.rows import (
    Row,
    RowColumn,
    RowsOnDemand,
    RowTable,
    Span,
    SubjectSpan,
    left,
    right,
    spans_width,
)
from bpe_tui.widgets.visible import visible_bytes
from engine.text.pretokenize import Pretoken, to_bytes, to_text
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import Score, ScoredPair, score_text
from engine.wordpiece.words import CONTINUES

HUGGING_FACE = "Hugging Face's trainer is BPE", "it merges by count"
"""What nobody should take this for."""


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


SCORE_CELLS = 10
"""Cells of a score's value."""


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


SHOWN = 100
WIDE = 58
"""From so many cells on the counts have columns, and the change of the score has one."""
ROOMY = 44
"""From so many cells on there is room for the score's value."""
ROOM_FOR_WORDS = 76
"""From so many cells on it is said in words, too, which pair is next and which are tied."""
PLACE_CELLS, PAIR_CELLS, CHANGE_CELLS, MARK_CELLS = 6, 11, 8, 5
MANYFOLD = 10
"""A score that has grown so often is told as a multiple, not in percent."""


class ScoresPanel(PiecePanel):
    """The pairs in the order in which they would merge now, each score with its fraction."""

    ID, TITLE = "pairs", "scores"

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        self.say(f"scores  {plural(frame.candidates, 'pair')}", BETWEEN_PARTS.join(HUGGING_FACE))
        pairs = frame.top_pairs(SHOWN)
        if not pairs:
            return sentence("No pair is left that stands often enough.", width)
        columns = _columns(frame, self.painter(frame), width, pairs[0].score.value)
        table = RowTable(columns, width, least=7)
        return RowsOnDemand(
            len(pairs),
            lambda place: table.row((place + 1, pairs[place]), ToPair(pairs[place].pair)),
            top=[table.header()],
        )


Placed = tuple[int, ScoredPair]
"""A pair behind its place from 1."""


def _columns(
    frame: WordPieceFrame, painter: PiecePainter, width: int, highest: Fraction
) -> list[RowColumn]:
    is_wide = width >= WIDE
    # Counts only fall, so the widest possible number keeps the columns still for good.
    cells = len(number(frame.highest_count))
    fraction_cells = 3 * cells + (9 if is_wide else 4)  # three counts, what stands between them

    def place(placed: Placed) -> list[Span]:
        place, scored = placed
        return [
            ("▸" if scored.pair == frame.next_pair else " ", "pair"),
            right(str(place), 3, "tie" if scored.tied else "dim"),
            ("= " if scored.tied else "  ", "tie"),
        ]

    def fraction(count: str, left: str, right_: str) -> list[Span]:
        """`ab / (a · b)` in columns, or without its blanks, aligned right."""
        if not is_wide:
            return [right(f"{count}/({left}·{right_})", fraction_cells)]
        return [
            right(count, cells + 1),
            (" / (", "dim"),
            right(left, cells),
            (" · ", "dim"),
            right(right_, cells),
            (")", "dim"),
        ]

    def counts(placed: Placed) -> list[Span]:
        score = placed[1].score
        return fraction(number(score.count), number(score.left), number(score.right))

    def score(placed: Placed) -> list[Span]:
        is_next = placed[1].pair == frame.next_pair
        return [(score_text(placed[1].score.value), "pair" if is_next else "")]

    def change(placed: Placed) -> list[Span]:
        """What the last merge did to the score: it rises where a part has become rarer."""
        if not frame.step:
            return [("", "")]
        before = frame.at(frame.step - 1).score_of(placed[1].pair)
        return [format_change(before, placed[1].score)]

    def mark(placed: Placed) -> list[Span]:
        if placed[1].pair == frame.next_pair:
            return [(" next", "pair")]
        return [(" tied" if placed[1].tied else "", "tie")]

    def length(placed: Placed) -> list[Span]:
        role = "pair" if placed[1].pair == frame.next_pair else "border"
        return [("  ", ""), (bar(float(placed[1].score.value) / scale, bar_cells), role)]

    mark_cells = MARK_CELLS if width >= ROOM_FOR_WORDS else 0
    others = PLACE_CELLS + PAIR_CELLS + fraction_cells + SCORE_CELLS + CHANGE_CELLS + mark_cells
    # Where there is little room the bar gives way, not the fraction.
    bar_cells = bar_room(width - others) if is_wide else 0
    scale = scale_of(float(highest))
    title = "".join(text for text, _ in fraction("ab", "a", "b"))
    columns = [
        RowColumn("", PLACE_CELLS, place),
        RowColumn("pair", 0, lambda placed: painter.pair(placed[1].pair, "│")),
        RowColumn(title, fraction_cells, counts),
    ]
    if width >= ROOMY:
        columns.append(RowColumn("score", SCORE_CELLS, score, is_number=True))
    if bar_cells:
        columns.append(RowColumn("", bar_cells + 2, length))
    if is_wide:
        columns.append(RowColumn("change", CHANGE_CELLS, change, is_number=True))
    if mark_cells:
        columns.append(RowColumn("", mark_cells, mark))
    return columns


def format_change(before: Score | None, after: Score) -> Span:
    """A score's change: `+25%`, `× 34`; `new` for a pair that was not there."""
    if before is None:
        return "new", "gain"
    share = after.value / before.value - 1
    if not share:
        return "", ""
    if abs(share) < Fraction(1, 200):
        return ("+<1%", "gain") if share > 0 else ("−<1%", "loss")
    if share >= MANYFOLD - 1:
        return f"× {short_number(round(share + 1))}", "gain"
    return f"{signed(round(100 * share))}%", "gain" if share > 0 else "loss"
