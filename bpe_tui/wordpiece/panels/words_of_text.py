"""Into which words is the text cut, and what has become of each?"""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message
from textual.reactive import reactive

from bpe_tui.views.empty_state import sentence
from bpe_tui.widgets.columns import left, right
from bpe_tui.widgets.lines import Row, RowsOnDemand
from bpe_tui.widgets.visible import number, visible_text
from bpe_tui.wordpiece.panels.piece_panel import PiecePainter, PiecePanel
from engine.wordpiece.encoder import EncodedWord, Outcome
from engine.wordpiece.frame import WordPieceFrame


class WordsOfTextPanel(PiecePanel):
    """The words of a text, one a row, each with its pieces; the cursor chooses one."""

    words: reactive[Sequence[EncodedWord]] = reactive((), repaint=False)

    class Selected(Message):
        """The cursor is on this word now; `None` if there is none."""

        def __init__(self, word: EncodedWord | None) -> None:
            super().__init__()
            self.word = word

    def __init__(self) -> None:
        super().__init__("words", id="pretokens")

    def watch_words(self) -> None:
        self.rebuild()

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._tell()

    def _tell(self) -> None:
        chosen = self.words[self.cursor] if self.cursor < len(self.words) else None
        self.post_message(self.Selected(chosen))

    def rebuild(self) -> None:
        super().rebuild()
        self._tell()

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        self.say(f"words  {number(len(self.words))}", "whitespace is lost")
        if not self.words:
            return sentence("Nothing typed yet: press e and type.", width)
        painter = self.painter(frame)
        return RowsOnDemand(len(self.words), lambda place: self._row(painter, place, width))

    def _row(self, painter: PiecePainter, place: int, width: int) -> Row:
        word = self.words[place]
        word_cells = max((width - 7) * 2 // 5, 6)
        role = "special" if word.outcome is Outcome.SPECIAL else ""
        return Row(
            [
                ("▸ " if place == self.cursor else "  ", "pair"),
                *left([(visible_text(word.word), role)], word_cells),
                right(number(len(word.ids)), 4, "dim"),
                ("  ", ""),
                *left(painter.pieces(word.ids), max(width - word_cells - 8, 6)),
            ]
        )
