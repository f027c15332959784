"""What does the corpus look like at this step?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from textual import events
from textual.strip import Strip

from bpe_tui.panels.instead import NO_CORPUS, sentence
from bpe_tui.panels.panel import FramePanel, FrameT
from bpe_tui.pieces import PRETOKEN_BORDER, TokenPainter, spans_width
from bpe_tui.visible import number
from bpe_tui.widgets.lines import Row, Span
from engine.excerpt import Excerpt
from engine.frame import Frame
from engine.pretokenize import Pretoken

WHEEL = 3


class ExcerptPanel(FramePanel[FrameT]):
    """The beginning of the corpus, scrolled line by line. A subclass draws the lines."""

    WIDEST = 1000

    def __init__(self) -> None:
        super().__init__("corpus", id="corpus")
        self._top = 0
        self._scrolled_by_hand = False
        self.playing = False

    def excerpt_of(self, frame: FrameT) -> Excerpt:
        """The lines to choose from."""
        raise NotImplementedError

    def line_rows(self, frame: FrameT, line: tuple[Pretoken, ...], width: int) -> Iterable[Row]:
        """A line in as many rows as it needs."""
        raise NotImplementedError

    def rows_of(self, frame: FrameT, width: int) -> list[Row]:
        excerpt = self.excerpt_of(frame)
        lines = excerpt.lines
        self._top = max(0, min(self._top, len(lines) - 1))
        rows: list[Row] = []
        if not lines:
            return [Row([("The corpus has no text between its special tokens.", "dim")])]
        number_of_line = self._top
        while len(rows) < self.size.height and number_of_line < len(lines):
            rows += self.line_rows(frame, lines[number_of_line], width)
            number_of_line += 1
        self._say_where(excerpt, number_of_line)
        return rows[: self.size.height]

    def _say_where(self, excerpt: Excerpt, end: int) -> None:
        of = number(len(excerpt.lines)) + ("" if excerpt.complete else " read for show")
        self.say("corpus", f"lines {number(self._top + 1)}–{number(end)} of {of}")

    def render_line(self, y: int) -> Strip:
        if y >= len(self._rows):
            return Strip.blank(self.size.width, self.rich_style)
        return self.paint(self._rows[y].spans)

    def action_move(self, by: int) -> None:
        self._scrolled_by_hand = True
        self._top += by
        self.rebuild()
        if self._top == 0:
            self._scrolled_by_hand = False

    def show_line(self, line: int) -> None:
        """Bring a line to the top, to stay there."""
        self._scrolled_by_hand = True
        self._top = line
        self.rebuild()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.action_move(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.action_move(-WHEEL)

    def on_click(self, event: events.Click) -> None:
        """A click only focuses: the text has no rows to choose."""


class CorpusPanel(ExcerptPanel[Frame]):
    """The beginning of the corpus cut into pretokens and tokens, wrapped at the panel's width.

    Borders vanish as tokens grow, so the text gets shorter from step to step. Wrapping anew each
    time would make every line jump; rows are broken where they were at an earlier step (see
    `layout_step`), with which they still fit.
    """

    def excerpt_of(self, frame: Frame) -> Excerpt:
        return frame.excerpt

    def line_rows(self, frame: Frame, line: tuple[Pretoken, ...], width: int) -> Iterable[Row]:
        return wrapped(TokenPainter(frame, marks=self.app.no_color), line, width)

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        if not frame.has_corpus and not frame.excerpt.lines:
            self.say("corpus")
            return sentence(NO_CORPUS, width)
        return super().rows_of(frame, width)

    # -- where the eye is

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
        if new is not None and (old is None or old.step != new.step):
            self._follow(new)
        super().watch_frame(old, new)

    def _follow(self, frame: Frame) -> None:
        """Show the fresh token, unless the reader chose a place, or a playing text would jump."""
        if self._scrolled_by_hand or self.playing or frame.merge is None:
            return
        if not self._shows(frame, frame.merge.new_id):
            line = first_line_with(frame, frame.merge.new_id, frame.merge.token)
            if line is not None:
                self._top = max(line - 1, 0)

    def _shows(self, frame: Frame, token_id: int) -> bool:
        visible_lines = frame.excerpt.lines[self._top : self._top + max(self.size.height // 2, 1)]
        return any(
            token_id in frame.tokens_of(pretoken.bytes)
            for line in visible_lines
            for pretoken in line
            if not pretoken.special
        )


def layout_step(step: int) -> int:
    """The step whose widths decide where rows break: the last power of two, 0 before 16.

    >>> [layout_step(step) for step in (3, 16, 31, 32, 1000)]
    [0, 16, 16, 32, 512]
    """
    return 0 if step < 16 else 1 << (step.bit_length() - 1)


def wrapped(painter: TokenPainter, line: tuple[Pretoken, ...], width: int) -> Iterator[Row]:
    """A line of the corpus as rows of at most `width` cells (one pretoken at the least)."""
    frame = painter.frame
    earlier = frame.at(layout_step(frame.step))
    earlier_painter = TokenPainter(earlier, marks=False)
    row: list[Span] = []
    used = 0
    for pretoken in line:
        needed = spans_width(earlier_painter.pretoken(pretoken)) + 1
        if row and used + needed > width:
            yield Row(row)
            row, used = [], 0
        if needed > width and not pretoken.special:
            rows = list(_broken(painter, pretoken, width))
            yield from rows[:-1]
            row, used = list(rows[-1].spans), spans_width(rows[-1].spans)
        else:
            row += [*painter.pretoken(pretoken), PRETOKEN_BORDER]
            used += needed
    if row:
        yield Row(row)


def _broken(painter: TokenPainter, pretoken: Pretoken, width: int) -> Iterator[Row]:
    """A pretoken too long for a row, broken between tokens."""
    row: list[Span] = []
    used = 0
    for span in [*painter.pretoken(pretoken), PRETOKEN_BORDER]:
        cells = spans_width([span])
        if row and used + cells > width:
            yield Row(row)
            row, used = [], 0
        row.append(span)
        used += cells
    yield Row(row)


def first_line_with(frame: Frame, token_id: int, token: bytes) -> int | None:
    """The first line of the excerpt that has the token."""
    for pretoken, line in frame.excerpt.first_lines.items():
        if token in pretoken and token_id in frame.tokens_of(pretoken):
            return line
    return None
