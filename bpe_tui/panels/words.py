"""Which words did this merge touch?"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.columns import left, right
from bpe_tui.panels.instead import NO_CORPUS, sentence
from bpe_tui.panels.panel import Panel
from bpe_tui.panels.targets import ToPretoken
from bpe_tui.pieces import TokenPainter
from bpe_tui.visible import number, plural
from bpe_tui.widgets.lines import Row, RowsOnDemand
from engine.frame import Frame
from engine.touched import TouchedPretoken

SCREENFULS = 3
"""Of words that are looked for; frequent pairs stand in thousands."""


class WordsPanel(Panel):
    """The pretokens that hold the merged pair, most frequent first: before → after."""

    def __init__(self) -> None:
        super().__init__("words touched", id="words")

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        merge = frame.merge
        if merge is None:
            self.say("words touched")
            return [Row([("No merge yet, no word touched.", "dim")])]
        self.say("words touched", plural(merge.pretokens, "pretoken"))
        if not merge.pretokens:
            said = "No pretoken of this corpus holds the pair." if frame.has_corpus else NO_CORPUS
            return sentence(said, width)
        limit = SCREENFULS * self.size.height
        touched = frame.touched(limit)
        painter = self.painter(frame)
        count_width = len(number(touched[0].count)) if touched else 1
        missing = merge.pretokens - len(touched)
        which = "rarer" if len(touched) == limit else "too long to show"
        rest = Row([(f"and {number(missing)} {which}", "dim")])
        return RowsOnDemand(
            len(touched) + bool(missing),
            lambda place: (
                _row(painter, touched[place], count_width, width) if place < len(touched) else rest
            ),
        )


def _row(painter: TokenPainter, word: TouchedPretoken, count_width: int, width: int) -> Row:
    half = max((width - count_width - 5) // 2, 6)
    return Row(
        [
            right(number(word.count), count_width, "dim"),
            ("  ", ""),
            *left(painter.tokens(word.before), half),
            (" → ", "dim"),
            *left(painter.tokens(word.after), half),
        ],
        ToPretoken(word.pretoken),
    )
