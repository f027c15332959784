"""Into which pretokens is the text cut, and each of them into which pieces and bytes?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from textual.reactive import reactive

from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.views.encoding_screen import PartsPanel
from bpe_tui.views.panel import sentence
from bpe_tui.views.token_detail import Label, Lane, bracketed, characters_and_bytes, lane_rows
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, right, spans_width
from bpe_tui.widgets.visible import visible_text
from engine.encoding.lanes import align
from engine.text.pretokenize import Pretoken, to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled

ROOM_FOR_SCORE = 22
"""From so many cells on the score has a column of its own."""
SCORE_CELLS = 8
PIECES_SHOWN = 500


class WordsOfTextPanel(PartsPanel[UnigramFrame]):
    """The pretokens of `text`, one a row, in their pieces; the cursor chooses one."""

    text: reactive[str] = reactive("", repaint=False)

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("pretokens", id="pretokens")
        self._pretokens: list[Pretoken] = []

    @property
    def selected(self) -> str:
        """The pretoken that the cursor is on, spelled with ▁; "" for a special token or none."""
        if self.cursor >= len(self._pretokens) or self._pretokens[self.cursor].special:
            return ""
        return spelled(self._pretokens[self.cursor].text)

    def watch_text(self) -> None:
        self._pretokens = self.frame.cut(self.text) if self.frame is not None else []
        self.rebuild()

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        self.watch_text()

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        self.say(f"pretokens  {number(len(self._pretokens))}", "▁ is a space")
        if not self._pretokens:
            return sentence("Nothing typed yet: press e and type.", width)
        return RowsOnDemand(len(self._pretokens), lambda place: self._row(frame, place, width))

    def _row(self, frame: UnigramFrame, place: int, width: int) -> Row:
        pretoken, here = self._pretokens[place], place == self.cursor
        mark = ("▸ " if here else "  ", "pair")
        if pretoken.special:
            return Row([mark, *left([(visible_text(pretoken.text), "special")], width - 2)])
        edges = frame.pieces_of(spelled(pretoken.text))
        score = score_text(sum(edge.score for edge in edges), 1)
        numbers = [right(number(len(edges)), 4, "dim")]
        if width >= ROOM_FOR_SCORE:
            numbers.append(right(score, SCORE_CELLS))
        cells = width - 2 - spans_width(numbers)
        return Row([mark, *left(PiecePainter(frame).pretoken(pretoken), max(cells, 4)), *numbers])


class TextPiece(NamedTuple):
    """A piece of the text: its id, the text that it stands for, how it looks."""

    id: int
    text: str
    shown: str
    role: str


class TextLanesPanel(PiecePanel):
    """Characters, bytes and pieces of `text` with their ids, aligned."""

    WIDEST = 1000

    text: reactive[str] = reactive("", repaint=False)

    def __init__(self) -> None:
        super().__init__("three lanes", id="lanes")

    def watch_text(self) -> None:
        self.rebuild()

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        pieces = list(islice(_pieces(frame, self.text), PIECES_SHOWN + 1))
        if not pieces:
            self.say("three lanes")
            return sentence("No piece to show: type a text.", width)
        shown = pieces[:PIECES_SHOWN]
        lanes = align((piece.id, to_bytes(piece.text)) for piece in shown)
        self.say(
            f"three lanes  {plural(len(lanes.characters), 'character')} · "
            f"{plural(len(lanes.data), 'byte')} · {plural(len(shown), 'piece')}",
            "a: the lattice again",
        )
        drawn = [
            Label(span.start, span.end, piece.shown, piece.role)
            for span, piece in zip(lanes.tokens, shown, strict=True)
        ]
        ids = [Label(span.start, span.end, str(span.token_id), "dim") for span in lanes.tokens]
        named = [Lane("pieces", drawn, bracketed), Lane("ids", ids)]
        rows = list(lane_rows(lanes, [*characters_and_bytes(lanes), *named], width))
        if len(pieces) > PIECES_SHOWN:
            rows.append(Row([(f"The first {PIECES_SHOWN} pieces.", "dim")]))
        return rows


def _pieces(frame: UnigramFrame, text: str) -> Iterator[TextPiece]:
    """The tokens of a text; an unknown one has the id 0."""
    painter, special = PiecePainter(frame), frame.record.special_tokens
    for pretoken in frame.cut(text):
        if pretoken.special:
            shown = visible_text(pretoken.text)
            yield TextPiece(1 + special.index(pretoken.text), pretoken.text, shown, "special")
            continue
        word = spelled(pretoken.text)
        for edge in frame.pieces_of(word):
            at = frame.index_of(edge.piece)
            yield TextPiece(
                0 if at is None else int(frame.ids[at]),
                pretoken.text[edge.start : edge.end],
                visible_text(word[edge.start : edge.end]),
                painter.role(edge.piece),
            )
