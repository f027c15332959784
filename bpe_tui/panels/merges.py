"""What has been merged so far, and what will be?"""

from __future__ import annotations

from bpe_tui.columns import left, right
from bpe_tui.panels.panel import FramePanel, Panel
from bpe_tui.panels.targets import ToStep
from bpe_tui.visible import number
from bpe_tui.widgets.lines import Row
from engine.frame import Frame


class MergesPanel(Panel):
    """All recorded merges, the present one marked; choosing one goes there."""

    FOLLOWS_RECORDING = True

    def __init__(self) -> None:
        super().__init__("merges", id="merges")

    @property
    def row_count(self) -> int:
        return self.frame.recorded_steps if self.frame else 0

    def row(self, index: int) -> Row:
        frame = self.frame
        assert frame is not None
        merge = frame.merge_at(index)
        here, ahead = merge.index + 1 == frame.step, merge.index >= frame.step
        number_width = len(number(frame.recorded_steps))
        count_width = len(number(frame.byte_count)) if frame.byte_count < 10**6 else 9
        pair_width = max(self.room - number_width - count_width - 5, 6)
        counted = number(merge.count) if frame.has_corpus else ""
        spans = [
            ("▸ " if here else "  ", "pair"),
            right(number(merge.index + 1), number_width, "strong" if here else "dim"),
            ("  ", ""),
            *left(self.painter(frame).pair(merge.pair), pair_width),
            right(counted, count_width, "dim" if ahead else ""),
        ]
        if ahead:
            spans = [(text, "dim" if role != "fresh" else role) for text, role in spans]
        return Row(spans, ToStep(merge.index + 1))

    def rebuild(self) -> None:
        if self.frame is None or not self.display or not self.size.width:
            return
        self.say(f"merges  {number(self.frame.recorded_steps)}", "↵ goes there")
        super(FramePanel, self).rebuild()

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
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
