"""What is this piece worth: what would stand in its place, and what would its removal cost?"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp

from textual.reactive import reactive

from bpe_tui.unigram.numbers import count_text, percent, score_text
from bpe_tui.unigram.panels.piece_cells import goes_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.views.empty_state import sentence
from bpe_tui.views.targets import ToPiece
from bpe_tui.widgets.columns import left, paragraph
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import MINUS, number, plural, shorten
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import NEVER
from engine.unigram.removals import Removals

TITLE_CELLS = 24
ROOMY = 70
"""From so many cells on its numbers stand on one line."""


class AboutPiecePanel(PiecePanel):
    """A panel about the piece `number`, which the cursor of the table is on."""

    number: reactive[int | None] = reactive(None, repaint=False)

    def watch_number(self) -> None:
        self.cursor = 0
        self.scroll_to(y=0, animate=False, immediate=True)
        self.rebuild()

    def rows_of(self, frame: UnigramFrame, width: int) -> list[Row]:
        if self.number is None or frame.index_of(self.number) is None:
            return sentence("No piece is under the table's cursor.", width)
        return list(self.about(frame, self.number, width - 1))  # a blank before the scrollbar

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        """The rows about a piece that is there."""
        raise NotImplementedError


class PieceToldPanel(AboutPiecePanel):
    """Its numbers, the best segmentation without it, and the arithmetic of its loss increase.

    `removals` is what removals would cost at this step, once somebody has computed that.
    """

    FOLLOWS_RECORDING = True

    removals: reactive[Removals | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__("piece", id="piece")

    def watch_removals(self) -> None:
        self.rebuild()

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        name = shorten(PiecePainter(frame).piece(piece)[0], TITLE_CELLS)
        is_character = piece < frame.record.characters
        self.say(f"piece {name}", "" if is_character else "↵ to what stands in for it")
        yield from self._numbers(frame, piece, width)
        yield Row([])
        if is_character:
            said = "A single character is never removed, so that every text keeps a segmentation."
            yield from paragraph(said, width)
            return
        yield from _instead(frame, piece, width)
        yield Row([])
        yield from self._cost(frame, piece, width)

    def _numbers(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        at = frame.index_of(piece)
        assert at is not None
        text, score = frame.record.texts[piece], float(frame.scores[at])
        goes_at = int(frame.goes_at[at])
        stays = "stays to the last step recorded"
        goes = stays if goes_at == NEVER else f"goes at step {goes_text(frame, goes_at)}"
        expected = count_text(float(frame.expected_counts[at]))
        facts = (
            f"id {number(int(frame.ids[at]))} · {plural(len(text), 'character')}",
            f"score {score_text(score)} · P {percent(exp(score))}",
            f"expected {expected}",
        )
        for said in (" · ".join(facts),) if width >= ROOMY else facts:
            yield Row(left([(said, "")], width))
        yield Row([(goes, "stale-truth" if goes_at != NEVER else "")])

    def _cost(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        yield Row([("what its removal costs", "strong")])
        if self.removals is None:
            yield Row([("Weighing all pieces …", "dim")])
            return
        cost = self.removals.cost_of(piece, frame.record.problem.pretokens)
        if cost is None:
            yield from paragraph("Nothing: no best segmentation uses it.", width)
            return
        uses, change = number(cost.uses), cost.before - cost.after
        all_tokens = plural(round(cost.total), "token")
        instead = plural(len(cost.alternative), "token")
        yield from paragraph(
            f"{uses} of {all_tokens} are it: log P {score_text(cost.before)}",
            width,
        )
        yield from paragraph(
            f"{instead} in its place: log P {score_text(cost.after)}",
            width,
        )
        sign = "+" if cost.loss_increase >= 0 else ""
        yield from paragraph(
            f"{uses} ÷ {number(cost.pretokens)} pretokens × {score_text(change)} = "
            f"{sign}{score_text(cost.loss_increase, 6)} nats",
            width,
            "loss" if cost.loss_increase > 0 else "gain",
        )


def _instead(frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
    """The best segmentation of the piece without itself, part by part, against the piece."""
    text = frame.record.texts[piece]
    other = frame.alternative(text)
    assert other is not None  # its characters are pieces
    painter, at = PiecePainter(frame), frame.index_of(piece)
    assert at is not None
    yield Row([("in its place", "strong")])
    for edge in other.edges:
        score = score_text(edge.score)
        yield Row(
            [*left([painter.piece(edge.piece)], width - 8), (f"{score:>8}", "")],
            ToPiece(edge.piece),
        )
    own = float(frame.scores[at])
    behind = own - other.score
    told = f"{score_text(other.score)} together; the piece {score_text(own)}"
    worse = f"{MINUS if behind >= 0 else '+'}{abs(behind):.2f}"
    yield Row([*left([(told, "dim")], width - 8), (f"{worse:>8}", "loss" if behind > 0 else "")])
