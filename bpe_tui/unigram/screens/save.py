"""What of Unigram can be saved: the pieces of a step; and what can be exported."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from bpe_tui.session.host import Speaker
from bpe_tui.unigram.screens.charts import CHARTS
from bpe_tui.views.dialog import SaveFile
from bpe_tui.views.exports import exports_of
from bpe_tui.widgets.numbers import number, plural
from engine.formats.tokenizer_json import FILE, save_pieces
from engine.unigram.frame import UnigramFrame
from engine.unigram.report import json_lines, markdown


class SavePieces(SaveFile):
    """Writes the pieces with their scores, as a tokenizer.json."""

    def __init__(self, frame: UnigramFrame, suggestion: str) -> None:
        self._frame = frame
        super().__init__(
            f"save the pieces of step {number(frame.step)}",
            f"A file like {FILE}: {plural(frame.size, 'piece')} with scores, and what cuts text.",
            f"{suggestion}.json",
        )

    def write(self, path: Path, overwrite: bool) -> None:
        frame = self._frame
        left_out = save_pieces(
            frame.vocabulary,
            path,
            pattern=frame.pattern,
            special_tokens=frame.record.special_tokens,
            overwrite=overwrite,
        )
        if left_out:
            said = f"Left out, since they are no UTF-8: {plural(left_out, 'piece')}."
            cast("Speaker", self.app).tell(said, stays=True)


EXPORTS = exports_of(markdown, json_lines, CHARTS)
"""What of a Unigram training can be exported."""
