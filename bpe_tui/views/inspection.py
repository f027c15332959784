"""What kind of tokenizer is this? One section of its inspection."""

from __future__ import annotations

from typing import Any

from textual.reactive import reactive

from bpe_tui.views.inspection_rows import Section
from bpe_tui.views.panel import FramePanel
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import plural


class InspectionPanel(FramePanel[Any]):
    """The rows of a section, once the screen hands over an `inspection`."""

    WIDEST = 110

    inspection: reactive[Any] = reactive(None, repaint=False)

    def __init__(self, section: Section) -> None:
        super().__init__(section.title, id=section.id)
        self._section = section

    def watch_inspection(self) -> None:
        self.rebuild()

    def rows_of(self, frame: Any, width: int) -> list[Row]:
        if self.inspection is None:
            tokens = plural(frame.vocab_size, "token")
            return [Row([(f"Looking at {tokens} …", "dim")])]
        return self._section.rows(self.inspection, width)
