"""What does the corpus look like under the pieces of this step?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.reactive import reactive

from bpe_tui.unigram.panels.piece_panel import PiecePainter
from bpe_tui.views.corpus import ExcerptPanel
from bpe_tui.views.pieces import PRETOKEN_BORDER
from bpe_tui.widgets.rows import Row, Span, spans_width
from bpe_tui.widgets.visible import visible_text, width
from engine.text.excerpt import Excerpt
from engine.text.pretokenize import Pretoken
from engine.unigram.frame import UnigramFrame
from engine.unigram.metaspace import spelled


class PieceCorpusPanel(ExcerptPanel[UnigramFrame]):
    """The beginning of the corpus, each pretoken in its best segmentation.

    A step may move a border anywhere, so a pretoken has the room that it needs at the seed or at
    the last recorded step, whichever is more: rows break at the same places at nearly all steps.
    """

    FOLLOWS_RECORDING = True
    frame: reactive[UnigramFrame | None] = reactive(None, repaint=False)

    def __init__(self) -> None:
        super().__init__()
        self._ends: tuple[UnigramFrame, UnigramFrame] | None = None

    def excerpt_of(self, frame: UnigramFrame) -> Excerpt:
        return frame.excerpt

    def remark(self, frame: UnigramFrame) -> str:
        return " · struck out: gone after the next step" if frame.leaving else ""

    def line_rows(
        self, frame: UnigramFrame, line: tuple[Pretoken, ...], width: int
    ) -> Iterator[Row]:
        return wrapped(frame, self._ends_of(frame), line, width)

    def _ends_of(self, frame: UnigramFrame) -> tuple[UnigramFrame, UnigramFrame]:
        """The first and the last recorded state, kept: they remember how they cut words."""
        ends, last = self._ends, frame.recorded_steps
        if ends is None or ends[1].record is not frame.record or ends[1].step != last:
            ends = self._ends = frame.at(0), frame.at(last)
        return ends


def wrapped(
    frame: UnigramFrame, ends: Sequence[UnigramFrame], line: tuple[Pretoken, ...], room: int
) -> Iterator[Row]:
    """A line of the corpus as rows of at most `room` cells (one pretoken at the least).

    `ends` are the states that a pretoken has room for, whichever is shown.
    """
    painter = PiecePainter(frame)
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
