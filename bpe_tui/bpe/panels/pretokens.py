"""Into which pretokens is the text cut, and by which alternative of the pattern?"""

from __future__ import annotations

from collections.abc import Sequence

from textual.message import Message
from textual.reactive import reactive

from bpe_tui.views.panel import Panel, sentence
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, RowsOnDemand, left, right
from bpe_tui.widgets.visible import visible_text
from engine.bpe.frame import Frame
from engine.encoding.incremental import EncodedPretoken
from engine.encoding.trace import seen_before
from engine.pipeline.sections import STAGED


class PretokensPanel(Panel):
    """The pretokens of `text`, one a row; the cursor chooses one."""

    text: reactive[str] = reactive("", repaint=False)

    class Selected(Message):
        """The cursor is on this pretoken now; `None` if there is none.

        `seen` says that the same pretoken stands before it in the text.
        """

        def __init__(self, piece: EncodedPretoken | None, seen: bool) -> None:
            super().__init__()
            self.piece = piece
            self.seen = seen

    def __init__(self) -> None:
        super().__init__("pretokens", id="pretokens")
        self._pieces: list[EncodedPretoken] = []
        self._seen: list[bool] = []
        self._staged = False

    @property
    def selected(self) -> EncodedPretoken | None:
        """The pretoken that the cursor is on."""
        return self._pieces[self.cursor] if self.cursor < len(self._pieces) else None

    def watch_text(self) -> None:
        self.rebuild()

    def watch_cursor(self) -> None:
        super().watch_cursor()
        self._tell()

    def _tell(self) -> None:
        piece = self.selected
        self.post_message(self.Selected(piece, piece is not None and self._seen[self.cursor]))

    def rebuild(self) -> None:
        if self.frame is not None:
            self._pieces = self.frame.encode(self.text)
            self._seen = seen_before(piece.pretoken for piece in self._pieces)
        super().rebuild()
        self._tell()

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        pattern = frame.rules.pattern
        self._staged = pattern.name == STAGED
        matched = pattern.summary if self._staged else "the alternative that matched"
        self.say(f"pretokens  {number(len(self._pieces))}", matched)
        if not self._pieces:
            return sentence("Nothing typed yet: press e and type.", width)
        name_width = min(28, max(width // 2, 8))
        return RowsOnDemand(len(self._pieces), lambda place: self._row(place, width, name_width))

    def _row(self, place: int, width: int, name_width: int) -> Row:
        piece = self._pieces[place]
        pretoken = piece.pretoken
        here = place == self.cursor
        tokens = f"{len(piece.ids):,}"
        text_width = max(width - name_width - 7, 4)
        if pretoken.special:
            name = "special token"
        elif self._staged:
            name = ""  # stages have no alternatives
        elif pretoken.alternative is None:
            name = "no alternative"
        else:
            name = pretoken.alternative.name
        if self._seen[place]:
            name = f"{name}, cached" if name else "cached"
        role = "special" if pretoken.special else ""
        return Row(
            [
                ("▸ " if here else "  ", "pair"),
                *left([(visible_text(pretoken.text), role)], text_width),
                right(tokens, 4, "dim"),
                (" ", ""),
                *left([(name, "dim")], name_width),
            ]
        )
