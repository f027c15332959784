"""What does the corpus look like under the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterator

from textual.reactive import reactive

from bpe_tui.panels.corpus import ExcerptPanel
from bpe_tui.panels.unigram.piece_panel import PiecePainter
from bpe_tui.pieces import PRETOKEN_BORDER, spans_width
from bpe_tui.visible import visible_text, width
from bpe_tui.widgets.lines import Row, Span
from engine.excerpt import Excerpt
from engine.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled


class PieceCorpusPanel(ExcerptPanel[UnigramFrame]):
    """The beginning of the corpus, each pretoken in its best segmentation.

    A step may move a border anywhere, so a pretoken has the room that it needs at the seed or at
    the last recorded step, whichever is more: rows break at the same places at nearly all steps.
    """

    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def excerpt_of(self, frame: UnigramFrame) -> Excerpt:
        if frame.leaving:
            self.call_later(self._say_what_is_struck)
        return frame.excerpt

    def _say_what_is_struck(self) -> None:
        lines = str(self.border_subtitle).split(" · ")[0]
        self.say("corpus", f"{lines} · struck out: gone after the next step")

    def line_rows(
        self, frame: UnigramFrame, line: tuple[Pretoken, ...], width: int
    ) -> Iterator[Row]:
        return wrapped(frame, line, width)


def wrapped(frame: UnigramFrame, line: tuple[Pretoken, ...], room: int) -> Iterator[Row]:
    """A line of the corpus as rows of at most `room` cells (one pretoken at the least)."""
    painter = PiecePainter(frame)
    ends = frame.at(0), frame.at(frame.recorded_steps)
    row: list[Span] = []
    used = 0
    for pretoken in line:
        spans = [*painter.pretoken(pretoken), PRETOKEN_BORDER]
        needed = spans_width(spans)
        if not pretoken.special:
            word = spelled(pretoken.text)
            borders = max(len(end.pieces_of(word)) for end in ends)
            needed = max(needed, width(visible_text(word)) + borders)
        for part in _broken(spans, room) if needed > room else [spans]:
            cells = min(needed, room)
            if row and used + cells > room:
                yield Row(row)
                row, used = [], 0
            row += part
            used += cells
    if row:
        yield Row(row)


def _broken(spans: list[Span], room: int) -> Iterator[list[Span]]:
    """What is too long for a row, in parts that fit."""
    part: list[Span] = []
    used = 0
    for span in spans:
        cells = spans_width([span])
        if part and used + cells > room:
            yield part
            part, used = [], 0
        part.append(span)
        used += cells
    yield part
