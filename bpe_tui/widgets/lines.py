"""A scrolling list of rows. Only the visible rows are made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBar
from textual.strip import Strip

from bpe_tui.styles import painted, role_style
from bpe_tui.widgets.language import tr
from bpe_tui.widgets.rows import Row, Span, subject_cells, subjects_at

ReactiveType = TypeVar("ReactiveType")


class ShownInRows(reactive[ReactiveType]):
    """A value of `Lines` that its rows show: a change makes the rows again.

    A class with a `watch_…` for the value handles the change itself.
    """

    def __init__(self, default: ReactiveType | Callable[[], ReactiveType]) -> None:
        super().__init__(default, repaint=False)

    def __set_name__(self, owner: type[Any], name: str) -> None:
        super().__set_name__(owner, name)
        if not hasattr(owner, f"watch_{name}"):
            setattr(owner, f"watch_{name}", lambda lines: lines.rebuild())


class Lines(ScrollView, can_focus=True, inherit_bindings=False):
    """A scrolling list of rows: those in `_rows`, or those that a subclass makes in `row`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "up", show=False),
        Binding("down,j", "move(1)", "down", show=False),
        Binding("pageup", "page(-1)", "page up", show=False),
        Binding("pagedown", "page(1)", "page down", show=False),
        Binding("home", "end(False)", "first row", show=False),
        Binding("end", "end(True)", "last row", show=False),
        Binding("shift+right", "point(1)", "token", show=False),
        Binding("shift+left", "point(-1)", "token before", show=False),
        Binding("enter", "choose", "open", show=False),
    ]

    cursor: reactive[int] = reactive(0, repaint=False)

    pointed: int | None = None
    """The subject in the cursor's row that is pointed at, such as a token; Enter asks about it."""

    @dataclass
    class Chosen(Message):
        """Enter or a second click on a row that leads somewhere."""

        target: object

    class Moved(Message):
        """A key or a click has moved the cursor."""

    class NothingToChoose(Message):
        """Enter on a row that leads nowhere."""

    @dataclass
    class Asked(Message):
        """A click on a subject such as a token, or on the border between two subjects."""

        subjects: tuple[Any, ...]

    KEEPS_CURSOR: ClassVar[bool] = False
    """Whether the cursor stays visible after a resize; some lists scroll without the cursor."""

    IS_TABLE: ClassVar[bool] = True
    """Whether Home and End are its own: they go to its first and its last row."""

    SHOWS_CURSOR: ClassVar[bool] = False
    """Whether a row that leads somewhere shows the cursor while a field above has the focus."""

    PASSES_TEXT: ClassVar[bool] = False
    """Whether the cursor passes rows that lead nowhere, such as headings."""

    _clicked: object | None = None
    """The target of the row that a click has selected; another click on it goes there."""

    _rows: Sequence[Row] = ()

    _row_to_come: int | None = None
    """The row for the cursor that is not there yet: some rows come from a thread."""

    head: Sequence[Span] = ()
    """Names of the columns, in a line above the rows that does not scroll."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.border_title = Content(tr(self.BORDER_TITLE or ""))
        self._rows_made: dict[int, Row] = {}  # rows since the last change

    # -- a subclass may override these

    @property
    def row_count(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> Row:
        return self._rows[index]

    # -- painting

    _looked_up: tuple[Style, Size] | None = None
    """The style under all rows and the size, while rows are painted: both ask all ancestors."""

    def render_lines(self, crop: Region) -> list[Strip]:
        self._looked_up = super().rich_style, super().size
        try:
            return super().render_lines(crop)
        finally:
            self._looked_up = None

    @property
    def rich_style(self) -> Style:
        return super().rich_style if self._looked_up is None else self._looked_up[0]

    @property
    def size(self) -> Size:
        return super().size if self._looked_up is None else self._looked_up[1]

    @property
    def head_height(self) -> int:
        return 1 if self.head else 0

    def make_again(self) -> None:
        """Make the visible rows again, and paint them."""
        self._rows_made = {}
        self.refresh()

    def rebuild(self) -> None:
        """Make and paint the visible rows, and set the scrolled height."""
        rows = max(self.row_count + self.head_height, self.size.height)
        size = Size(self.size.width, rows)
        if self.virtual_size != size:
            has_bar = self.show_vertical_scrollbar
            if has_bar and (rows > self.size.height or self.styles.overflow_y == "scroll"):
                # The bar neither comes nor goes, so the screen need not be laid out.
                self.set_reactive(Lines.virtual_size, size)
                y = min(self.scroll_offset.y, self.max_scroll_y)
                self._move_bar(rows, y)
                # At once: later it would undo what a subclass scrolls to until then.
                self.scroll_to(y=y, animate=False, immediate=True)
            else:
                self.virtual_size = size
                self.call_after_refresh(lambda: self.scroll_to_row(self.cursor))
        if self._row_to_come is not None and self._row_to_come < self.row_count:
            self.cursor, self._row_to_come = self._row_to_come, None
        self.cursor = min(self.cursor, max(self.row_count - 1, 0))
        self.make_again()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        self._move_bar(self.virtual_size.height, new_value)
        super().watch_scroll_y(old_value, new_value)

    def _move_bar(self, rows: int, y: float) -> None:
        """Set the bar to a place in a list of some rows; paint it only if it looks different."""
        if not self.show_vertical_scrollbar:
            return
        bar = self.vertical_scrollbar
        before = _thumb(bar)
        bar.set_reactive(ScrollBar.window_virtual_size, rows)
        bar.set_reactive(ScrollBar.position, bar.validate_position(y))
        if (now := _thumb(bar)) != before:
            ends = map(sorted, zip(before, now, strict=True))
            moved = {eighth // 8 for first, last in ends for eighth in range(first, last)}
            bar.refresh(*(Region(0, cell, bar.size.width, 1) for cell in moved))

    def watch_show_vertical_scrollbar(self, is_shown: bool) -> None:
        """Tell a bar that appears where the list is; Textual tells only one that is there."""
        if is_shown:
            self.vertical_scrollbar.position = self.scroll_y
        if is_shown and self.KEEPS_CURSOR:  # without a bar it could not be scrolled to it
            self.call_after_refresh(lambda: self.scroll_to_row(self.cursor))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Return the number of rows, for a height of `auto`."""
        return self.row_count + self.head_height

    def line(self, y: int) -> tuple[Row | None, bool]:
        """Return the row in a line, `None` below the last one, and whether the cursor is there."""
        index = y - self.head_height
        if index < 0:
            return Row([(text, "dim") for text, _ in self.head]), False
        index += self.scroll_offset.y
        if index >= self.row_count:
            return None, False
        if index not in self._rows_made:
            self._rows_made[index] = self.row(index)
        return self._rows_made[index], index == self.cursor

    def render_line(self, y: int) -> Strip:
        row, is_at_cursor = self.line(y)
        if row is None:
            return Strip.blank(self.size.width, self.rich_style)
        shows = self.has_focus or (self.SHOWS_CURSOR and row.target is not None)
        strip = self.paint(row.spans, is_at_cursor and shows)
        return self.pointing(strip, row) if is_at_cursor else strip

    def pointing(self, strip: Strip, row: Row) -> Strip:
        """Draw the cursor's row with the subject that is pointed at in reverse."""
        cells = subject_cells(row.spans)
        if not self.has_focus or self.pointed is None or self.pointed >= len(cells):
            return strip
        start = end = cells[self.pointed]
        subject = subjects_at(row.spans, start)
        while end < strip.cell_length and subjects_at(row.spans, end) == subject:
            end += 1
        at = Segment.apply_style(strip.crop(start, end), post_style=Style(reverse=True))
        return Strip.join([strip.crop(0, start), Strip(at), strip.crop(end)])

    def paint(self, spans: Sequence[Span], at_cursor: bool = False) -> Strip:
        """Paint the spans as one strip as wide as the widget."""
        base = role_style(self, "cursor") if at_cursor else self.rich_style
        return Strip(painted(self, spans, base)).adjust_cell_length(self.size.width, base)

    # -- moving about

    def action_move(self, by: int) -> None:
        if self.PASSES_TEXT:
            self.move_to_target(by)
        elif self.row_count:
            self._go_to(max(0, min(self.cursor + by, self.row_count - 1)))

    def _go_to(self, row: int) -> None:
        self.pointed = self._row_to_come = None
        self.cursor = row
        self.scroll_to_row(row)
        self.post_message(self.Moved())

    def move_to_target(self, by: int) -> None:
        """Move by rows, to one that leads somewhere: the next, else one passed; else scroll."""
        if not self.row_count:
            return
        direction = 1 if by > 0 else -1
        start = max(0, min(self.cursor + by, self.row_count - 1))
        onwards = range(start, self.row_count if by > 0 else -1, direction)
        for row in (*onwards, *range(start - direction, self.cursor, -direction)):
            if self.row(row).target is not None:
                self._go_to(row)
                return
        self.scroll_relative(y=by, animate=False, immediate=True)

    def action_point(self, by: int) -> None:
        """Point at the next token or the one before, in this row or in the next with a token.

        It begins in a visible row: some lists scroll without the cursor.
        """
        if not self.row_count:
            return
        top = self.scroll_offset.y
        if not top <= self.cursor < top + self.size.height - self.head_height:
            self.cursor, self.pointed = min(top, self.row_count - 1), None
        place = self.pointed
        for index in range(self.cursor, self.row_count if by > 0 else -1, by):
            count = len(subject_cells(self.row(index).spans))
            before = place if place is not None else -1 if by > 0 else count
            if 0 <= before + by < count:
                self.cursor, self.pointed = index, before + by
                self.scroll_to_row(index)
                break
            place = None
        self.make_again()

    def action_page(self, direction: int) -> None:
        self.action_move(direction * max(self.size.height - 1 - self.head_height, 1))

    def action_end(self, last: bool) -> None:
        """Go to the last row, or to the first."""
        self.action_move(self.row_count if last else -self.row_count)

    def action_choose(self) -> None:
        spans = self.row(self.cursor).spans if self.cursor < self.row_count else ()
        cells = subject_cells(spans)
        if self.pointed is not None and self.pointed < len(cells):
            self.post_message(self.Asked(subjects_at(spans, cells[self.pointed])))
        else:
            self._choose(self.cursor)

    @property
    def target(self) -> object | None:
        """The target of the cursor's row; `None` if it leads nowhere."""
        return self.row(self.cursor).target if self.cursor < self.row_count else None

    def _choose(self, index: int) -> None:
        target = self.row(index).target if index < self.row_count else None
        if target is None:
            self.post_message(self.NothingToChoose())
        else:
            self.post_message(self.Chosen(target))

    def scroll_to_row(self, index: int) -> None:
        """Bring a row into view, moving as little as possible."""
        self.scroll_to_region(
            # The head covers the first line, so the row must be below it.
            Region(y=index, width=self.size.width, height=1 + self.head_height),
            animate=False,
            immediate=True,
        )

    def put_cursor(self, row: int, top: int) -> None:
        """Put the cursor into a row, and scroll so that `top` is the first visible row."""
        self.pointed = None
        self.cursor = max(0, min(row, self.row_count - 1))
        self._row_to_come = row if row > self.cursor else None
        self.scroll_to(y=top, animate=False, immediate=True)
        self.scroll_to_row(self.cursor)

    def watch_cursor(self) -> None:
        self.make_again()

    on_focus = watch_cursor

    def on_blur(self) -> None:
        self._clicked = None
        self.make_again()

    def on_resize(self) -> None:
        self.rebuild()
        if self.KEEPS_CURSOR:
            self.call_after_refresh(lambda: self.scroll_to_row(self.cursor))

    def on_click(self, event: events.Click) -> None:
        index, offset = self.row_at(event), event.get_content_offset(self)
        if index is None or offset is None:
            return
        row = self.row(index)
        self.pointed = None
        subjects = subjects_at(row.spans, offset.x)
        # In a row that leads somewhere, only a border between two subjects asks.
        if len(subjects) >= (1 if row.target is None else 2):
            self.cursor = index
            self.post_message(self.Asked(subjects))
            return
        self.click_row(index)

    def click_row(self, index: int) -> None:
        """Select a row; go where it leads if the click before has selected it."""
        target = self.row(index).target
        goes = target is not None and (index, target) == (self.cursor, self._clicked)
        self.cursor, self._clicked = index, None if goes else target
        if goes:
            self._choose(index)
        else:
            self.post_message(self.Moved())

    def row_at(self, event: events.Click) -> int | None:
        """Return the clicked row; `None` for the head and below the rows."""
        offset = event.get_content_offset(self)
        if offset is None or offset.y < self.head_height:
            return None
        index = offset.y - self.head_height + self.scroll_offset.y
        return index if index < self.row_count else None


def _thumb(bar: ScrollBar) -> tuple[int, int]:
    """Return the ends of a bar's thumb, in eighths of a cell, as Textual draws it.

    Without one all cells lie between the ends, since only those beside a thumb can be clicked on.
    """
    rows, window, cells = bar.window_virtual_size, bar.window_size, bar.size.height
    if rows <= window:
        return cells * 8, 0
    length = max(1, window * cells / rows)
    start = int((cells - length) * bar.position / (rows - window) * 8)
    return start, start + ceil(length * 8)


class RowList(Lines):
    """A list of given rows."""

    def __init__(self, id: str, rows: Sequence[Row] = ()) -> None:
        super().__init__(id=id)
        self._rows = rows

    def show(self, rows: Sequence[Row], cursor: int = 0) -> None:
        """Show other rows, with the cursor on one of them."""
        self._rows = rows
        self.cursor = cursor
        self.rebuild()
        self.scroll_to_row(self.cursor)


class TextLines(Lines, can_focus=False):
    """A text that is wrapped to the width of the widget, and scrolls; it has no cursor.

    Args:
        wrap: returns the rows of the text in at most so many cells.
    """

    def __init__(self, id: str, wrap: Callable[[int], Sequence[Row]], classes: str = "") -> None:
        super().__init__(id=id, classes=classes)
        self._wrap = wrap
        self._cells = 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._fit(width)
        return super().get_content_height(container, viewport, width)

    def rebuild(self) -> None:
        self._fit(self.size.width)
        super().rebuild()

    def _fit(self, cells: int) -> None:
        cells -= self.scrollbar_size_vertical + 1
        if cells > 0 and cells != self._cells:
            self._cells, self._rows = cells, self._wrap(cells)


class FoundRows(TextLines, can_focus=False):
    """The rows that a field above finds, with a cursor although the field has the focus."""

    SHOWS_CURSOR = PASSES_TEXT = True

    def rebuild(self) -> None:
        super().rebuild()
        if self.target is None and any(row.target is not None for row in self._rows):
            self.move_to_target(1)

    def find_again(self) -> None:
        """Show what is found now, with the cursor on the first row that leads somewhere."""
        self.put_cursor(0, 0)
        self._cells = 0  # wraps another text
        self.rebuild()
