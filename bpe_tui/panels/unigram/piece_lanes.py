"""Which bytes are the characters of this piece?"""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.panels.lane_layout import Label, broken, byte_widths, character_text, flush_left
from bpe_tui.panels.unigram.piece_told import AboutPiecePanel
from bpe_tui.visible import plural
from bpe_tui.widgets.lines import Row, Span
from engine.lanes import align
from engine.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame

NAME_CELLS = 12


class PieceLanesPanel(AboutPiecePanel):
    """Characters and bytes of the piece, aligned."""

    WIDEST = 1000

    def __init__(self) -> None:
        super().__init__("two lanes", id="piece-lanes")

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        lanes = align([(piece, to_bytes(frame.record.texts[piece]))])
        self.say(
            f"two lanes  {plural(len(lanes.characters), 'character')} · "
            f"{plural(len(lanes.data), 'byte')}",
            "▁ (U+2581) stands for a space",
        )
        characters = [
            Label(c.start, c.end, character_text(lanes, c), "" if c.text is not None else "loss")
            for c in lanes.characters
        ]
        data = [Label(n, n + 1, f"{byte:02X}", "dim") for n, byte in enumerate(lanes.data)]
        cells = byte_widths(lanes)
        for start, end in broken(lanes, cells, max(width - NAME_CELLS, 8)):
            for name, labels in (("characters", characters), ("bytes", data)):
                title: Span = (name.ljust(NAME_CELLS), "strong")
                yield Row([title, *flush_left(labels, cells, start, end)])
