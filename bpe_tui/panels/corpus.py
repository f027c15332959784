"""The panel of the corpus: its first lines in the tokens of the step."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import ClassVar, NamedTuple, TypeVar

from textual import events
from textual.strip import Strip

from bpe_tui.session.session import StepFrame
from bpe_tui.shell.panel import (
    FRESH_ROLES,
    JOINING_ROLES,
    FramePanel,
    MergeFrameT,
    SizedWord,
    TokenPainter,
    needs_marks,
    sentence,
)
from bpe_tui.widgets.language import tr, tr_sentence
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    Row,
    Span,
    first_rows,
    has_row_below,
    left,
    spans_width,
    subject_cells,
    subjects_at,
    with_below,
)
from bpe_tui.widgets.visible import ELLIPSIS, visible_bytes
from bpe_tui.widgets.visible import width as cells_of
from bpe_tui.words.narration import characters_of
from engine.core.wording import frequency
from engine.recording.affected_pretokens import AffectedPretoken
from engine.recording.merge_record import PairStep
from engine.text.excerpt import Excerpt
from engine.text.pretokenize import Pretoken

StepFrameT = TypeVar("StepFrameT", bound=StepFrame)

WHEEL = 3
"""Lines that a notch of the mouse wheel scrolls."""


class CorpusPlace(NamedTuple):
    """A row of the corpus: its line, and the number of rows of that line above it."""

    line: int
    row: int


class ExcerptPanel(FramePanel[StepFrameT]):
    """The beginning of the corpus, scrolled line by line. A subclass draws the lines."""

    IS_TABLE = False
    COUNTS = True

    ID = "corpus"
    BESIDE_BAR = 0  # it shows what fits
    WIDEST = 1000

    top = CorpusPlace(0, 0)
    playing = False
    _scrolled_by_hand = False
    _last_step = 0

    def line_rows(self, frame: StepFrameT, line: tuple[Pretoken, ...], width: int) -> Iterable[Row]:
        """Return the rows of a line."""
        raise NotImplementedError

    def rows_of(self, frame: StepFrameT, width: int) -> list[Row]:
        excerpt = frame.excerpt
        lines = excerpt.lines
        if not lines:
            return sentence("The corpus has no text between its special tokens.", width)
        if self.top.line >= len(lines):
            self.top = CorpusPlace(len(lines) - 1, 0)
        if frame.step == 0 and self._last_step:  # Home shows the corpus from its beginning
            self.top, self._scrolled_by_hand = CorpusPlace(0, 0), False
        self._last_step = frame.step
        rows, end = self._rows_from_top(frame, width)
        if (place := self.place_to_show(frame, rows)) is not None:
            self._bring_to_sight(frame, width, place)
            rows, end = self._rows_from_top(frame, width)
        of = number(len(lines)) + ("" if excerpt.complete else tr(" read for show"))
        first, last = number(self.top.line + 1), number(end)
        many = "lines {n}–{m} of {last}"
        shown = tr("line {n} of {last}" if first == last else many, n=first, m=last, last=of)
        self.say(tr("corpus"), f"{shown}{self.remark(frame)}")
        return rows

    def _rows_from_top(self, frame: StepFrameT, width: int) -> tuple[list[Row], int]:
        """Return the rows that fit, and the line after them."""
        lines, (line, skipped) = frame.excerpt.lines, self.top
        rows: list[Row] = []
        while (room := self.size.height - len(rows)) > 0 and line < len(lines):
            rows += islice(self.line_rows(frame, lines[line], width), skipped, skipped + room)
            skipped = 0
            line += 1
        return first_rows(rows, self.size.height), line

    def place_to_show(self, frame: StepFrameT, rows: Sequence[Row]) -> int | None:
        """Return a line to scroll to, at a token just made; `None` to stay."""
        return None

    def _bring_to_sight(self, frame: StepFrameT, width: int, line: int) -> None:
        """Scroll so that the first token just made in a line is a third from the top."""
        lines, above = frame.excerpt.lines, self.size.height // 3
        rows = enumerate(self.line_rows(frame, lines[line], width))
        row = next((place for place, row in rows if has_role(row, FRESH_ROLES)), 0)
        while row < above and line:
            line -= 1
            row += len(list(self.line_rows(frame, lines[line], width)))
        start = max(row - above, 0)
        shown = list(islice(self.line_rows(frame, lines[line], width), start + 1))
        if 0 < start < len(shown) and has_row_below(shown[start - 1]):
            start -= 1  # the marks belong to the characters above them
        self.top = CorpusPlace(line, start)

    def remark(self, frame: StepFrameT) -> str:
        """Return a text that follows the lines in the lower border."""
        return ""

    def render_line(self, y: int) -> Strip:
        row, is_at_cursor = self.line(y)
        strip = self.paint(row.spans if row else ())
        return self.pointing(strip, row) if row is not None and is_at_cursor else strip

    def action_move(self, by: int) -> None:
        self._scrolled_by_hand = True
        self.top = CorpusPlace(max(self.top.line + by, 0), 0)
        self.rebuild()
        if self.top.line == 0:
            self._scrolled_by_hand = False

    def show_line(self, line: int) -> None:
        """Scroll a line to the top and stay there."""
        self._scrolled_by_hand = True
        self.top = CorpusPlace(line, 0)
        self.rebuild()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown | events.MouseScrollUp) -> None:
        event.stop()
        self.action_move(WHEEL if isinstance(event, events.MouseScrollDown) else -WHEEL)

    on_mouse_scroll_up = on_mouse_scroll_down


def has_role(row: Row, roles: Container[str]) -> bool:
    """Whether a span has one of these roles."""
    return any(role in roles for _, role in row.spans)


class MergingExcerptPanel(ExcerptPanel[MergeFrameT]):
    """The corpus of a model that merges; it scrolls to the token that the step made.

    It does not scroll if such a token is visible, while steps are played, or after the reader has
    scrolled.
    """

    PAINTER: ClassVar[type[TokenPainter]] = TokenPainter
    MARKS_NEXT: ClassVar[bool] = True

    _follows = False
    _next: MergeFrameT | None = None
    """The frame after the next merge; kept with the word that has been found for it."""
    _painter: TokenPainter | None = None
    """The painter of the rows that are being made, which remembers its words."""

    def painter(self, frame: MergeFrameT) -> TokenPainter:
        """Return a painter of the frame's tokens, and of the pair that merges next."""
        painter = self.PAINTER(frame, marks=needs_marks(self.app))
        marks_next = self.MARKS_NEXT and not self.hides_next
        painter.joining = frame.next_pair if marks_next else None
        painter.in_bytes = self.in_bytes
        return painter

    def line_rows(
        self, frame: MergeFrameT, line: tuple[Pretoken, ...], width: int
    ) -> Iterator[Row]:
        painter = self._painter
        if painter is None or painter.frame is not frame:
            painter = self._painter = self.painter(frame)
        return flowed(words_of(painter, line), width)

    def rows_of(self, frame: MergeFrameT, width: int) -> list[Row]:
        self._painter = None
        rows = super().rows_of(frame, width)
        painter = self.painter(frame)
        row = self._elsewhere(frame, rows, FRESH_ROLES, painter, width)
        if row is None and frame.step < frame.recorded_steps and not self.hides_next:
            following = self._next
            if following is None or (following.run, following.step) != (frame.run, frame.step + 1):
                following = self._next = frame.at(frame.step + 1)
            row = self._elsewhere(following, rows, JOINING_ROLES, painter, width)
        # In the last row, so that the text does not move.
        return rows if row is None else [*rows[: self.size.height - 1], row]

    def _elsewhere(
        self,
        made: MergeFrameT,
        rows: Sequence[Row],
        roles: Container[str],
        painter: TokenPainter,
        width: int,
    ) -> Row | None:
        """Return a word with the merge that led to `made`, if no line of the excerpt has one."""
        merge, excerpt = made.merge, made.excerpt
        if merge is None or not merge.pretokens or not excerpt.lines or excerpt.complete:
            return None
        if any(has_role(row, roles) for row in rows):
            return None
        if self._line_with(made, merge) is not None:
            return None
        found = made.affected(1)
        if not found:
            return Row([(tr("Not in the lines read for show."), "dim")])
        return elsewhere_row(painter, found[0], is_made=roles is FRESH_ROLES, width=width)

    def foot_at(self, row: Row) -> str:
        """Return the token that is pointed at, its id and its bytes."""
        cells = subject_cells(row.spans)
        if self.frame is None or self.pointed is None or self.pointed >= len(cells):
            return self._foot
        (token_id,) = subjects_at(row.spans, cells[self.pointed])
        token = self.frame.any_token(token_id)
        characters = characters_of(self.frame, [token_id])
        names = filter(None, (visible_bytes(token), characters, tr("id {n}", n=str(token_id))))
        return tr("{names} │ bytes {upper}", names="  ".join(names), upper=token.hex(" ").upper())

    def has_token(self, frame: MergeFrameT, pretoken: bytes, token_id: int) -> bool:
        """Whether the pretoken contains a token."""
        return token_id in frame.tokens_of(pretoken)

    def watch_frame(self, old: MergeFrameT | None, new: MergeFrameT | None) -> None:
        if new is not None and (old is None or old.step != new.step):
            self._follows = not self.playing
        super().watch_frame(old, new)

    def on_resize(self) -> None:
        self._follows = not self.playing

    def place_to_show(self, frame: MergeFrameT, rows: Sequence[Row]) -> int | None:
        """Return the line of the fresh token, unless it is visible or the reader has scrolled."""
        follows, self._follows = self._follows, False
        if not follows or self._scrolled_by_hand or frame.merge is None:
            return None
        if any(has_role(row, FRESH_ROLES) for row in rows):
            return None
        return self._line_with(frame, frame.merge)

    def _line_with(self, frame: MergeFrameT, made: PairStep) -> int | None:
        """Return the first line of the excerpt with the token that the step made."""
        return first_line_with(
            frame.excerpt,
            made.covers,
            lambda pretoken: self.has_token(frame, pretoken, made.new_id),
        )


def first_line_with(excerpt: Excerpt, covered: bytes, holds: Callable[[bytes], bool]) -> int | None:
    """Return the first line of an excerpt with a pretoken that contains a token or a pair.

    Args:
        excerpt: the lines.
        covered: bytes of the token or pair; only pretokens with these bytes are checked.
        holds: whether a pretoken contains it.
    """
    for pretoken, line in excerpt.first_lines.items():
        if covered in pretoken and holds(pretoken):
            return line
    return None


def elsewhere_row(
    painter: TokenPainter, word: AffectedPretoken, *, is_made: bool, width: int
) -> Row:
    """Draw a word with a merge that no visible line has: `Not in these lines: ·q+x  occurs once …`.

    Args:
        painter: draws the tokens.
        word: the word and its count.
        is_made: whether the merge is made; else it is the next merge.
        width: cells of the row.
    """
    often = str(tr_sentence(frequency(word.count)))
    tokens = painter.tokens(word.after if is_made else word.before)
    ahead = tr("Not in these lines: " if is_made else "Next, not in these lines: ")
    note = f"  {tr('occurs {times} elsewhere', times=often)}"
    if spans_width(tokens) > width - cells_of(ahead) - cells_of(note):
        ahead = "" if is_made else tr("Next: ")
        note = f"  {tr('elsewhere, {times}', times=often)}"
    room = width - cells_of(ahead) - cells_of(note)
    shown = left(tokens, min(spans_width(tokens), room))
    return Row([(ahead, "dim"), *shown, (note, "dim")])


def words_of(painter: TokenPainter, line: Iterable[Pretoken]) -> Iterator[SizedWord]:
    """Return the words of a line with their cells."""
    return chain.from_iterable(map(painter.kept_words, line))


def flowed(words: Iterable[SizedWord], width: int) -> Iterator[Row]:
    """Wrap words in rows of at most `width` cells; each word has its cells.

    A word too long for a row is broken between its spans.
    """
    row: list[Span] = []
    used = 0
    for spans, needed in words:
        if row and used + needed > width:
            yield from map(Row, with_below(row))
            row, used = [], 0
        if needed > width:
            for part in break_spans(spans, width):
                yield from map(Row, with_below(row) if row else ())
                row = part
            used = spans_width(row)
        else:
            row += spans
            used += needed
    if row:
        yield from map(Row, with_below(row))


def flowed_from(
    excerpt: Excerpt,
    top: CorpusPlace,
    words: Callable[[tuple[Pretoken, ...]], Iterable[SizedWord]],
    width: int,
) -> Iterator[Row]:
    """Yield the rows of an excerpt from a place on; `words` draws those of a line."""
    lines = excerpt.lines.following(top.line)
    return islice((row for line in lines for row in flowed(words(line), width)), top.row, None)


def within_rows(words: Iterable[SizedWord], rows: int, width: int) -> list[Row]:
    """Return at most `rows` rows of `flowed`, with `…` at the end if words are left over."""
    found = list(islice(flowed(words, width), rows + 2))
    if any(map(has_row_below, found)):
        shown = first_rows(found, rows)
        rest = found[len(shown) + has_row_below(shown[-1]) :]
        last = -1 - (len(shown) > 1 and has_row_below(shown[-2]))
        if rest and spans_width(shown[last].spans) < width:
            shown[last] = Row([*shown[last].spans, (ELLIPSIS, "dim")])
        return shown
    if len(found) > rows:
        found[rows - 1 :] = [Row(left([*found[rows - 1].spans, *found[rows].spans], width))]
    return found


def break_spans(spans: Sequence[Span], width: int) -> Iterator[list[Span]]:
    """Break spans into parts of at most `width` cells, each with at least one span."""
    part: list[Span] = []
    used = 0
    for span in spans:
        cells = spans_width([span])
        if part and used + cells > width:
            yield part
            part, used = [], 0
        part.append(span)
        used += cells
    yield part
