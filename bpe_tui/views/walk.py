"""What the panels that go through the encoding of one pretoken share: a place among its steps."""

from __future__ import annotations

from collections.abc import Sequence

from textual.reactive import reactive

from bpe_tui.views.panel import Panel
from bpe_tui.widgets.columns import paragraph
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import number
from engine.bpe.frame import Frame
from engine.encoding.typed_text import EncodedPretoken

LONGEST = 500
"""Bytes of a pretoken up to which each step is shown; each shows the whole pretoken."""
THE_END = 10**9


class Walk(Panel):
    """Shows `piece`, of which `place` steps are made. A subclass says which steps there are."""

    piece: reactive[EncodedPretoken | None] = reactive(None, repaint=False)
    seen: reactive[bool] = reactive(False, repaint=False)
    """Whether the same pretoken stands earlier in the text."""
    place: reactive[int] = reactive(0, repaint=False)

    @property
    def step_count(self) -> int:
        """How many steps encode the piece."""
        raise NotImplementedError

    def steps_of(self, frame: Frame, pretoken: bytes) -> None:
        """Find out the steps of a pretoken; none if it is empty."""
        raise NotImplementedError

    def step_rows(self, frame: Frame, piece: EncodedPretoken, width: int) -> Sequence[Row]:
        """The rows for a piece that has steps to show."""
        raise NotImplementedError

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        if old is None or new is None or old.pretoken.text != new.pretoken.text:
            self.place = THE_END
        self.rebuild()

    def watch_seen(self) -> None:
        self.rebuild()

    def watch_place(self) -> None:
        self.rebuild()
        self.scroll_to_row(self.place)

    def walk(self, by: int) -> None:
        """Go through the steps."""
        self.place = max(0, min(self.place + by, self.step_count))

    def action_move(self, by: int) -> None:
        """The rows are the steps: moving among them is walking."""
        self.walk(by)

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        piece = self.piece
        walked = piece is not None and not self._why_none(piece)
        self.steps_of(frame, piece.pretoken.bytes if piece is not None and walked else b"")
        self.place = min(self.place, self.step_count)
        if piece is None:
            return paragraph("Type something; choose a pretoken with ↑ ↓.", width, "dim")
        if not walked:
            return paragraph(self._why_none(piece), width, "dim")
        return self.step_rows(frame, piece, width)

    def _why_none(self, piece: EncodedPretoken) -> str:
        """Why a piece has no steps to show; empty if it has."""
        if piece.pretoken.special:
            return "A special token: one id, never merged."
        if (length := len(piece.pretoken.bytes)) > LONGEST:
            return (
                f"A pretoken of {number(length)} bytes is too long to be followed step by step; "
                f"up to {number(LONGEST)} it is."
            )
        return ""
