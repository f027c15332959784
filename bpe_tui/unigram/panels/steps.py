"""Which steps are recorded, and what did each do to the loss and the size?"""

from __future__ import annotations

from bpe_tui.unigram.numbers import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePanel, step_name
from bpe_tui.views.panel import FramePanel
from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, left, right
from engine.unigram.frame import UnigramFrame

LOSS_CELLS = 9


class StepsPanel(PiecePanel):
    """All recorded steps, the present one marked; choosing one goes there."""

    FOLLOWS_RECORDING = True

    def __init__(self) -> None:
        super().__init__("steps", id="steps")

    @property
    def row_count(self) -> int:
        return self.frame.recorded_steps + 1 if self.frame else 0

    def row(self, index: int) -> Row:
        assert self.frame is not None
        return step_row(self.frame, index, self.room)

    def rebuild(self) -> None:
        if self.frame is not None and self.display and self.size.width:
            self.say("steps  pieces · loss", "↵ goes there · u charts")
            super(FramePanel, self).rebuild()
            self.cursor = self.frame.step
            self.scroll_to_row(self.frame.step)


def step_row(frame: UnigramFrame, step: int, room: int) -> Row:
    """A step: what it is, how many pieces it leaves, and the loss."""
    name = step_name(frame, step)
    here, ahead = step == frame.step, step > frame.step
    record = frame.record
    size_cells = len(number(record.size_at(0)))
    role = "dim" if ahead else "loss" if name == "prune" else ""
    return Row(
        [
            ("▸ " if here else "  ", "pair"),
            right(number(step), len(number(frame.recorded_steps)), "strong" if here else "dim"),
            (" ", ""),
            *left([(name, role)], max(room - size_cells - LOSS_CELLS - 6, 5)),
            right(number(record.size_at(step)), size_cells, "dim" if ahead else ""),
            right(score_text(record.loss_at(step), 3), LOSS_CELLS, "dim" if ahead else ""),
        ],
        ToStep(step),
    )
