"""Which words does this step cut differently?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.unigram.panels.slices import Slices
from bpe_tui.views.panel import sentence
from bpe_tui.views.targets import ToPretoken
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, right
from engine.text.pretokenize import to_bytes
from engine.unigram.changes import ChangedWord, changed_words
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import unspelled

MOST = 500
"""Words that are looked for."""


class ChangedWordsPanel(PiecePanel):
    """The pretokens whose best segmentation changed, the most frequent first: before → after.

    They are looked for as long as the cursor rests; those found so far are shown.
    """

    def __init__(self) -> None:
        super().__init__("words touched", id="words")
        self._found: list[ChangedWord] = []
        self._looked_at = 0
        self._is_done = False
        self._about: UnigramFrame | None = None
        self._slices = Slices(self, self._sliced)

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        if self._about is None or not self._about.looks_like(frame):
            self._about = frame
            self._found, self._looked_at, self._is_done = [], 0, False
            self._slices.start(self._looking(frame))
        if not frame.step:
            self.say("words touched")
            return sentence("No step yet, no word touched.", width)
        self._say_how_far(frame)
        if not self._found:
            said = (
                "Every word is cut as before." if self._is_done else "Looking through the words …"
            )
            return [Row([(said, "dim")])]
        painters = PiecePainter(frame.at(frame.step - 1)), PiecePainter(frame)
        cells = len(number(self._found[0].times))
        found = self._found
        return RowsOnDemand(len(found), lambda place: _row(painters, found[place], cells, width))

    def _say_how_far(self, frame: UnigramFrame) -> None:
        found = plural(len(self._found), "pretoken")
        more = "at least " if len(self._found) == MOST else ""
        looked = (
            "" if self._is_done else f" · {self._looked_at / max(len(frame.words), 1):.0%} seen"
        )
        self.say("words touched", f"{more}{found}{looked}")

    def _looking(self, frame: UnigramFrame) -> Iterator[None]:
        for word in changed_words(frame):
            self._looked_at += 1
            if word is not None:
                self._found.append(word)
                if len(self._found) == MOST:
                    return
            yield

    def _sliced(self, is_last: bool) -> None:
        self._is_done = is_last
        self.rebuild()


def _row(
    painters: tuple[PiecePainter, PiecePainter], word: ChangedWord, cells: int, width: int
) -> Row:
    before, after = painters
    half = max((width - cells - 5) // 2, 6)
    was: list[Span] = [
        (text, "" if role == "stale" else role) for text, role in before.cut(word.text, word.before)
    ]
    return Row(
        [
            right(number(word.times), cells, "dim"),
            ("  ", ""),
            *left(was, half),
            (" → ", "dim"),
            *left(after.cut(word.text, word.after), half),
        ],
        ToPretoken(to_bytes(unspelled(word.text))),
    )
