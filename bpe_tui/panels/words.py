"""Which words did this merge touch?"""

from __future__ import annotations

from bpe_tui.columns import left, right
from bpe_tui.panels.panel import Panel
from bpe_tui.panels.targets import ToPretoken
from bpe_tui.pieces import TokenPainter
from bpe_tui.visible import number, plural
from bpe_tui.widgets.lines import Row
from engine.frame import Frame
from engine.touched import TouchedPretoken

SHOWN = 200


class WordsPanel(Panel):
    """The pretokens that hold the merged pair, most frequent first: before → after."""

    def __init__(self) -> None:
        super().__init__("words touched", id="words")

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        merge = frame.merge
        if merge is None:
            self.say("words touched")
            return [Row([("No merge yet, no word touched.", "dim")])]
        self.say("words touched", plural(merge.pretokens, "pretoken"))
        touched = frame.touched(SHOWN)
        painter = self.painter(frame)
        count_width = len(number(touched[0].count)) if touched else 1
        rows = [_row(painter, word, count_width, width) for word in touched]
        if missing := merge.pretokens - len(touched):
            which = "rarer" if len(touched) == SHOWN else "too long to show"
            rows.append(Row([(f"and {number(missing)} {which}", "dim")]))
        return rows


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
