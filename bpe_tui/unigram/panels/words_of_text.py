"""Into which pretokens is the text cut, and into how many pieces each of them?"""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message
from textual.reactive import reactive

from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel
from bpe_tui.views.panel import sentence
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, right, spans_width
from bpe_tui.widgets.visible import visible_text
from engine.text.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled

ROOM_FOR_SCORE = 22
"""From so many cells on the score has a column of its own."""
SCORE_CELLS = 8


class WordsOfTextPanel(PiecePanel):
    """The pretokens of `text`, one a row, in their pieces; the cursor chooses one."""

    text: reactive[str] = reactive("", repaint=False)

    class Selected(Message):
        """The cursor is on this pretoken now; empty for a special token, or if there is none."""

        def __init__(self, word: str) -> None:
            super().__init__()
            self.word = word

    def __init__(self) -> None:
        super().__init__("pretokens", id="pretokens")
        self._pretokens: list[Pretoken] = []

    @property
    def selected(self) -> str:
        """The pretoken that the cursor is on, spelled with ▁."""
        if self.cursor >= len(self._pretokens) or self._pretokens[self.cursor].special:
            return ""
        return spelled(self._pretokens[self.cursor].text)

    def watch_text(self) -> None:
        self._pretokens = self.frame.cut(self.text) if self.frame is not None else []
        self.rebuild()

    def watch_frame(self, old: UnigramFrame | None, new: UnigramFrame | None) -> None:
        self.watch_text()

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self.post_message(self.Selected(self.selected))

    def rebuild(self) -> None:
        super().rebuild()
        self.post_message(self.Selected(self.selected).set_sender(self))

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        self.say(f"pretokens  {number(len(self._pretokens))}", "▁ is a space")
        if not self._pretokens:
            return sentence("Nothing typed yet: press e and type.", width)
        return RowsOnDemand(len(self._pretokens), lambda place: self._row(frame, place, width))

    def _row(self, frame: UnigramFrame, place: int, width: int) -> Row:
        pretoken, here = self._pretokens[place], place == self.cursor
        mark = ("▸ " if here else "  ", "pair")
        if pretoken.special:
            return Row([mark, *left([(visible_text(pretoken.text), "special")], width - 2)])
        edges = frame.pieces_of(spelled(pretoken.text))
        score = score_text(sum(edge.score for edge in edges), 1)
        numbers = [right(number(len(edges)), 4, "dim")]
        if width >= ROOM_FOR_SCORE:
            numbers.append(right(score, SCORE_CELLS))
        cells = width - 2 - spans_width(numbers)
        return Row([mark, *left(PiecePainter(frame).pretoken(pretoken), max(cells, 4)), *numbers])
