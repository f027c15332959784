"""Which bytes are the characters of this piece?"""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.unigram.panels.lane_rows import characters_and_bytes, lane_rows
from bpe_tui.unigram.panels.piece_detail import AboutPiecePanel
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import plural
from engine.encoding.lanes import align
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame


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
        return lane_rows(lanes, characters_and_bytes(lanes), width)
