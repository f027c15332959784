"""Where do the ways to encode this pretoken part?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.strip import Strip

from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.walk_screen import Walk
from bpe_tui.widgets.numbers import plural
from bpe_tui.widgets.rows import Row, Span, left, paragraph, spans_width
from bpe_tui.widgets.visible import quoted, shorten, visible_text
from engine.analysis.explain.encoder_comparison import Lane, Lockstep, Move, lockstep
from engine.bpe.frame import Frame
from engine.encoding.incremental import EncodedPretoken

NAME_WIDTH = 13
NOTE_WIDTH = 30
ROOMY = 64
"""Cells from which on the notes have a column of their own."""


class LockstepPanel(Walk):
    """The encoders side by side, `place` steps on, up to the first disagreement."""

    def __init__(self) -> None:
        super().__init__("encoders in lockstep", id="lockstep")
        self._lockstep = Lockstep((), None)

    @property
    def step_count(self) -> int:
        return self._lockstep.steps

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        self._lockstep = lockstep(frame, pretoken, self.seen)

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        text = shorten(visible_text(piece.pretoken.text), max(width // 3, 4))
        self.say(
            f"encoders on {text}   step {self.place} of {self.step_count}",
            "← → steps   Esc back",
        )
        painter = self.painter(frame)
        rows: list[Row] = []
        for lane in self._lockstep.lanes:
            rows += _lane_rows(painter, lane, lane.at(self.place), width)
        return [*rows, Row([]), *self._outcome(width)]

    def paint(self, spans: Sequence[Span], at_cursor: bool = False) -> Strip:
        """No row is chosen here: all of them are one moment."""
        return super().paint(spans)

    def _outcome(self, width: int) -> Iterator[Row]:
        parting = self._lockstep.parting
        if self.place < self.step_count:
            return
        if parting is not None:
            yield from paragraph(f"They part here: {parting.describe(quoted)}", width, "tie")
            return
        tokens = plural(len(self._lockstep.lanes[0].at(self.place).tokens), "token")
        yield from paragraph(f"They all end alike, with {tokens}.", width, "gain")


def _lane_rows(painter: TokenPainter, lane: Lane, move: Move, width: int) -> Iterator[Row]:
    """What it did in words, and below what it has now."""
    note_width = NOTE_WIDTH if width >= ROOMY else spans_width([(move.note, "")]) + 2
    did: list[Span] = [
        (lane.name.replace("_", " ").ljust(NAME_WIDTH), "strong"),
        *left([(move.note, "dim")], note_width),
    ]
    if move.pair is not None:
        did += painter.pair(move.pair, between=" + ")
    if move.taken is not None:
        did.append(painter.token(move.taken))
    yield Row(left(did, width))
    yield Row([(" " * NAME_WIDTH, ""), *left(painter.tokens(move.tokens), width - NAME_WIDTH)])
