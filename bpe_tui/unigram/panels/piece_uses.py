"""Which words of the corpus use this piece?"""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.unigram.panels.piece_detail import AboutPiecePanel
from bpe_tui.unigram.panels.piece_panel import PiecePainter
from bpe_tui.unigram.panels.slices import Slices
from bpe_tui.views.targets import ToPretoken
from bpe_tui.widgets.columns import left, right
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import number, plural
from engine.text.pretokenize import to_bytes
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import unspelled
from engine.unigram.piece_occurrences import Use, uses

MOST = 100
"""Words that are looked for."""


class PieceUsesPanel(AboutPiecePanel):
    """The pretokens whose best segmentation has the piece, the most frequent first.

    They are looked for as long as the cursors rest; those found so far are shown.
    """

    def __init__(self) -> None:
        super().__init__("used in", id="uses")
        self._found: list[Use] = []
        self._is_done = False
        self._about: tuple[UnigramFrame, int] | None = None
        self._slices = Slices(self, self._sliced)

    def about(self, frame: UnigramFrame, piece: int, width: int) -> Iterator[Row]:
        about = self._about
        if about is None or about[1] != piece or not about[0].looks_like(frame):
            self._about = frame, piece
            self._found, self._is_done = [], False
            self._slices.start(self._looking(frame, piece))
        found = self._found
        more = "at least " if len(found) == MOST else ""
        self.say("used in", f"{more}{plural(len(found), 'pretoken')}" if found else "")
        if not found:
            none = "No best segmentation of a pretoken uses it."
            yield Row([(none if self._is_done else "Looking through the words …", "dim")])
            return
        painter, cells = PiecePainter(frame), len(number(found[0].times))
        for use in found:
            yield Row(
                [
                    right(number(use.times), cells, "dim"),
                    ("  ", ""),
                    *left(painter.cut(use.text, use.edges), width - cells - 2),
                ],
                ToPretoken(to_bytes(unspelled(use.text))),
            )

    def _looking(self, frame: UnigramFrame, piece: int) -> Iterator[None]:
        for use in uses(frame, piece):
            if use is not None:
                self._found.append(use)
                if len(self._found) == MOST:
                    return
            yield

    def _sliced(self, is_last: bool) -> None:
        self._is_done = is_last
        self.rebuild()
