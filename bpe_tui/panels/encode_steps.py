"""How does this pretoken encode, merge by merge?"""

from __future__ import annotations

from textual.reactive import reactive

from bpe_tui.columns import left, right
from bpe_tui.panels.panel import Panel
from bpe_tui.pieces import TokenPainter
from bpe_tui.visible import number, shorten, visible_text
from bpe_tui.widgets.lines import Row
from engine.events import EncodeStep
from engine.frame import Frame
from engine.typed_text import EncodedPretoken


class EncodeStepsPanel(Panel):
    """The merges of one pretoken in order, with ranks; `place` says how many are made."""

    piece: reactive[EncodedPretoken | None] = reactive(None, repaint=False)
    place: reactive[int] = reactive(0, repaint=False)

    def __init__(self) -> None:
        super().__init__("merges of the pretoken", id="encode-steps")
        self._steps: list[EncodeStep] = []

    @property
    def step_count(self) -> int:
        return len(self._steps)

    def watch_piece(self, old: EncodedPretoken | None, new: EncodedPretoken | None) -> None:
        self._encode()
        if old is None or new is None or old.pretoken.text != new.pretoken.text:
            self.place = self.step_count
        self.rebuild()

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
        self._encode()
        super().watch_frame(old, new)

    def _encode(self) -> None:
        if self.frame is None or self.piece is None or self.piece.pretoken.special:
            self._steps = []
        else:
            self._steps = self.frame.encode_steps(self.piece.pretoken.bytes)

    def watch_place(self) -> None:
        self.rebuild()
        self.scroll_to_row(self.place)

    def walk(self, by: int) -> None:
        """Go through the merges."""
        self.place = max(0, min(self.place + by, self.step_count))

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        if self.piece is None:
            self.say("merges of the pretoken")
            return [Row([("Type something; choose a pretoken with ↑ ↓.", "dim")])]
        self.place = min(self.place, self.step_count)
        text = shorten(visible_text(self.piece.pretoken.text), max(width // 2, 4))
        self.say(
            f"how {text} encodes   merge {self.place} of {self.step_count}", "← → merges   ↑ ↓ rows"
        )
        if self.piece.pretoken.special:
            return [Row([("A special token: one id, never merged.", "special")])]
        painter = self.painter(frame)
        start = tuple(self.piece.pretoken.bytes)
        rows = [_row(painter, None, start, width, self.place == 0, False)]
        for number_of_step, step in enumerate(self._steps, start=1):
            here, ahead = number_of_step == self.place, number_of_step > self.place
            rows.append(_row(painter, step, step.after, width, here, ahead))
        return rows

    def action_move(self, by: int) -> None:
        """The rows are the merges: moving among them is walking."""
        self.walk(by)


def _row(
    painter: TokenPainter,
    step: EncodeStep | None,
    tokens: tuple[int, ...],
    width: int,
    here: bool,
    ahead: bool,
) -> Row:
    merge = painter.pair(step.pair, between=" + ") if step else [("bytes", "dim")]
    rank = number(step.rank) if step else ""
    spans = [
        ("▸ " if here else "  ", "pair"),
        right(rank, 7, "strong" if here else "dim"),
        ("  ", ""),
        *left(merge, 18),
        ("  ", ""),
        *left(painter.tokens(tokens), max(width - 30, 8)),
    ]
    return Row([(text, "dim") for text, _ in spans] if ahead else spans)
