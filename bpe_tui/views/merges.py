"""What has been merged so far, and what will be?"""

from __future__ import annotations

from typing import Any

from bpe_tui.views.panel import FramePanel, FrameT
from bpe_tui.views.pieces import TokenPainter
from bpe_tui.views.targets import ToStep
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, Span, left, right
from engine.bpe.frame import Frame


class MergeList(FramePanel[FrameT]):
    """All recorded merges, the present one marked; choosing one goes there.

    A subclass draws a merge.
    """

    FOLLOWS_RECORDING = True

    def __init__(self) -> None:
        super().__init__("merges", id="merges")

    def merge_spans(self, frame: FrameT, index: int, cells: int) -> list[Span]:
        """A merge and its count in so many cells."""
        raise NotImplementedError

    @property
    def row_count(self) -> int:
        return self.frame.recorded_steps if self.frame else 0

    def row(self, index: int) -> Row:
        frame = self.frame
        here, ahead = index + 1 == frame.step, index >= frame.step
        number_width = len(number(frame.recorded_steps))
        spans = self.merge_spans(frame, index, self.room - number_width - 4)
        if ahead:
            spans = [(text, "dim" if role != "fresh" else role) for text, role in spans]
        return Row(
            [
                ("▸ " if here else "  ", "pair"),
                right(number(index + 1), number_width, "strong" if here else "dim"),
                ("  ", ""),
                *spans,
            ],
            ToStep(index + 1),
        )

    def rebuild(self) -> None:
        if self.frame is None or not self.display or not self.size.width:
            return
        self.say(f"merges  {number(self.frame.recorded_steps)}", "↵ goes there")
        super(FramePanel, self).rebuild()

    def watch_frame(self, old: Any, new: Any) -> None:
        super().watch_frame(old, new)
        if new is not None and (old is None or old.step != new.step):
            self.show_step(new.step)

    def on_show(self) -> None:
        super().on_show()
        if self.frame is not None:
            self.call_after_refresh(self.show_step, self.frame.step)  # once it has its height

    def on_resize(self) -> None:
        super().on_resize()
        if self.frame is not None:
            self.show_step(self.frame.step)

    def show_step(self, step: int) -> None:
        """Keep the present merge in sight, about the middle, so that what comes shows too."""
        self.cursor = max(step - 1, 0)
        top = max(0, min(step - 1 - self.size.height // 2, self.row_count - self.size.height))
        self.scroll_to(y=top, animate=False, immediate=True)


class MergesPanel(MergeList[Frame]):
    """The merges of BPE, with their counts."""

    def merge_spans(self, frame: Frame, index: int, cells: int) -> list[Span]:
        merge = frame.merge_at(index)
        count_width = len(number(frame.byte_count)) if frame.byte_count < 10**6 else 9
        pair = TokenPainter(frame, marks=self.app.no_color).pair(merge.pair)
        counted = number(merge.count) if frame.has_corpus else ""
        return [*left(pair, max(cells - count_width - 1, 6)), right(counted, count_width + 1)]
