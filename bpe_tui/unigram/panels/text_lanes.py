"""Which bytes are this character, and which piece has it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from textual.reactive import reactive

from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.views.lanes import Label, bracketed, broken, byte_widths, character_text, flush_left
from bpe_tui.views.panel import sentence
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.rows import Row, Span
from bpe_tui.widgets.visible import visible_text
from engine.encoding.lanes import Lanes, align
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled

# Lanes of a text in rows: its bytes, and what stands over them, aligned.

NAME_CELLS = 12

Drawn = Callable[[Sequence[Label], Sequence[int], int, int], Iterator[Span]]


class Lane(NamedTuple):
    """A lane: its name, what it says of which bytes, and how it is drawn."""

    name: str
    labels: Sequence[Label]
    draw: Drawn = flush_left


def characters_and_bytes(lanes: Lanes) -> list[Lane]:
    """The two lanes that every text has."""
    characters = [
        Label(c.start, c.end, character_text(lanes, c), "" if c.text is not None else "loss")
        for c in lanes.characters
    ]
    data = [Label(n, n + 1, f"{byte:02X}", "dim") for n, byte in enumerate(lanes.data)]
    return [Lane("characters", characters), Lane("bytes", data)]


def lane_rows(lanes: Lanes, shown: Sequence[Lane], width: int) -> Iterator[Row]:
    """A row for each lane and line of the text, and a blank one between two lines."""
    cells = byte_widths(lanes)
    for place, (start, end) in enumerate(broken(lanes, cells, max(width - NAME_CELLS, 8))):
        if place:
            yield Row([])
        for name, labels, draw in shown:
            title: Span = (name.ljust(NAME_CELLS), "strong")
            yield Row([title, *draw(labels, cells, start, end)])


PIECES_SHOWN = 500


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
