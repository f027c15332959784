"""The parts that all screens of Unigram share: how pieces look, work in slices, the transport."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bpe_tui.session.session import Session
from bpe_tui.shell.model_view import ModelView
from bpe_tui.shell.panel import CUT_OFF, PRETOKEN_BORDER, FramePanel, token_edge
from bpe_tui.unigram.narration import narrate, narrate_back, score_text
from bpe_tui.widgets.controls import Marks
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import TOKEN_HUES, Row, Span, spans_width
from bpe_tui.widgets.visible import visible_text
from engine.text.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.pieces import UNKNOWN, Edge, joined, spelled
from engine.unigram.textbook import TextbookRecord

PiecePanel = FramePanel[UnigramFrame]
"""A panel about a frame of Unigram."""


class PiecePainter:
    """Draws the pieces of a frame, each a chip; its hue is the same at every step.

    `marks` puts borders between pieces, without colours.
    """

    def __init__(self, frame: UnigramFrame, *, marks: bool = False) -> None:
        self.frame, self.marks = frame, marks
        self.struck = frame.leaving

    def role(self, number: int) -> str:
        """Return the role of a piece: plain for a character, struck out if the next step removes
        it.
        """
        if number == UNKNOWN:
            return "loss"
        if number in self.struck:
            return "stale"
        return "base" if number < self.frame.record.characters else f"token-{number % TOKEN_HUES}"

    def piece(self, number: int) -> Span:
        """Return a piece of the seed, whether the vocabulary still has it or not."""
        return visible_text(self.frame.record.texts[number]), self.role(number)

    def cut(self, text: str, edges: Iterable[Edge]) -> list[Span]:
        """Return a text in the tokens of a path, with borders between them.

        A text without tokens, such as a space between the sentences of `textbook`, is dim.
        """
        spans: list[Span] = []
        for edge in joined(edges):
            if spans:
                spans.append(token_edge(marks=self.marks))
            spans.append((visible_text(text[edge.start : edge.end]), self.role(edge.piece)))
        return spans or [(visible_text(text), "dim")]

    def word(self, word: str) -> list[Span]:
        """Return a pretoken, spelled with ▁, in its best segmentation."""
        return self.cut(word, self.frame.pieces_of(word))

    def pretoken(self, pretoken: Pretoken) -> list[Span]:
        if pretoken.special:
            return [(f"╌╌ {visible_text(pretoken.text)} ╌╌", "special")]
        return self.word(spelled(pretoken.text))


class PieceInText(NamedTuple):
    """A piece of a text.

    Attributes:
        id: its id; 0 if it is unknown.
        text: the text that it covers.
        look: how it is drawn.
        score: its score; 0 for a special token.
        ends: whether a pretoken ends here.
    """

    id: int
    text: str
    look: Span
    score: float = 0.0
    ends: bool = True


def pieces_of_text(frame: UnigramFrame, text: str) -> Iterator[PieceInText]:
    """Yield the pieces of a text; a special token is one."""
    painter, special = PiecePainter(frame), frame.record.special_tokens
    for pretoken in frame.cut(text):
        if pretoken.special:
            look = visible_text(pretoken.text), "special"
            yield PieceInText(1 + special.index(pretoken.text), pretoken.text, look)
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            at, covered = frame.index_of(edge.piece), slice(edge.start, edge.end)
            look = visible_text(word[covered]), painter.role(edge.piece)
            piece_id, ends = 0 if at is None else int(frame.ids[at]), edge.end == len(word)
            yield PieceInText(piece_id, pretoken.text[covered], look, edge.score, ends)


def loss_row(frame: UnigramFrame) -> Row:
    """Return the change of the loss at a frame's step."""
    earlier = frame.at(frame.step - 1)
    change, losses = frame.loss - earlier.loss, (earlier.loss, frame.loss)
    both = " → ".join(score_text(loss, 3) for loss in losses)
    change_text = ("+" if change > 0 else "") + score_text(change, 3)
    shown = f"{tr('loss {loss} nats', loss=both)}   "
    return Row([(shown, ""), (change_text, "loss" if change > 0 else "gain")])


def words_of_line(
    painter: PiecePainter, line: Iterable[Pretoken]
) -> Iterator[tuple[list[Span], int]]:
    """Yield the pretokens of a line with the border behind each, and their cells."""
    for pretoken in line:
        end = CUT_OFF if pretoken.is_cut_off else PRETOKEN_BORDER
        spans = [*painter.pretoken(pretoken), end]
        yield spans, spans_width(spans)


class UnigramView(ModelView):
    """Unigram as its screens show it, with marks at the prunes, the number of pieces, the loss."""

    FRAME = UnigramFrame

    def narrate(self, frame: UnigramFrame) -> Sequence[str]:
        return narrate(frame)

    def narrate_back(self, frame: UnigramFrame) -> Sequence[str]:
        return narrate_back(frame)

    def marks(self, session: Session) -> tuple[Marks, ...]:
        frame = self.frame_of(session)
        if frame is None or isinstance(frame.record, TextbookRecord):
            return ()  # each removal is a prune
        return (Marks(frame.prunes, "┊", "tie"),)

    def facts(self, session: Session, *, roomy: bool) -> str:
        frame = self.frame_of(session)
        if frame is None:
            return ""
        cells, piece = len(number(frame.record.size_at(0))), frame.record.PIECE
        loss = tr("loss {loss} nats", loss=score_text(frame.loss, 3))
        count = f"{number(frame.size):>{cells}}"
        return f"{count} {tr(f'{piece}s')}   {loss}" if roomy else loss


UNIGRAM_VIEW = UnigramView()
