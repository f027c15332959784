"""A field for a text of any length, such as a pasted line of 100 KB.

Textual wraps the whole line again after each key, and styles the whole line for each of its rows.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from rich.style import Style
from rich.text import Text
from textual._wrap import compute_wrap_offsets
from textual.document._document import Location
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.expand_tabs import expand_text_tabs_from_widths
from textual.strip import Strip
from textual.widgets import TextArea

from bpe_tui.widgets.fields import settled

LONG_LINE = 2_000
"""Least number of characters of a line that is worth the bookkeeping."""
SLICE = 1_000
"""Number of characters that are wrapped at first after an edit."""
LEAST_WIDTH = 8
"""Least width in cells at which a folded word is known to be folded from any of its rows on."""


def rewrapped(old: str, offsets: list[int], new: str, width: int) -> list[int]:
    """Return the offsets at which a changed line is wrapped, from those of the old line.

    Textual's rule looks at most one word ahead. So rows before the edit stay, and rows after it
    stay as soon as one begins at the same character. Neither line has tabs.

    >>> old, new = "low lower lowest low", "low slower lowest low"
    >>> rewrapped(old, [4, 10, 17], new, 9), compute_wrap_offsets(new, 9, 4)
    ([4, 11, 18], [4, 11, 18])
    """
    same = _common_prefix(old, new)
    grown = len(new) - len(old)
    edit_end = len(new) - _common_prefix(old[same:][::-1], new[same:][::-1])
    kept = offsets[: max(bisect_right(offsets, same) - 1, 0)]
    start = kept[-1] if kept else 0
    size = SLICE
    while (end := max(edit_end, start) + size) < len(new):
        found = [start + at for at in compute_wrap_offsets(new[start:end], width, 4)]
        for place, at in enumerate(found[:-1]):
            again = bisect_left(offsets, at - grown)
            if at > edit_end and again < len(offsets) and offsets[again] == at - grown:
                return [*kept, *found[:place], *(later + grown for later in offsets[again:])]
        size *= 4
    return [*kept, *(start + at for at in compute_wrap_offsets(new[start:], width, 4))]


def _common_prefix(one: str, other: str) -> int:
    """Return the number of characters that two texts have in common at their beginning."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class WrappedLines(WrappedDocument):
    """A wrapped document in which the time for an edit does not depend on the line's length."""

    _last: tuple[int, str] | None = None
    """The last long line that was edited, with its index, for which the offsets are right."""

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        self._last = None
        super().wrap(width, tab_width)

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        index = start[0]
        is_one_line = index == old_end[0] == new_end[0] < self.document.line_count
        line = self.document.get_line(index) if is_one_line else ""
        if len(line) < LONG_LINE or self._width < LEAST_WIDTH or "\t" in line:
            self._last = None
        elif self._last is not None and self._last[0] == index and "\t" not in self._last[1]:
            offsets = rewrapped(self._last[1], self._wrap_offsets[index], line, self._width)
            self._put(index, offsets)
            self._last = index, line
            return
        else:
            self._last = index, line
        super().wrap_range(start, old_end, new_end)

    def _put(self, index: int, offsets: list[int]) -> None:
        """Wrap a line at other offsets; later lines move if it has more or fewer rows now."""
        rows, top = self._line_index_to_offsets, self._line_index_to_offsets[index][0]
        before, after = len(rows[index]), len(offsets) + 1
        self._wrap_offsets[index] = offsets
        if before != after:
            rows[index] = list(range(top, top + after))
            self._offset_to_line_info[top : top + before] = [(index, n) for n in range(after)]
            for later in range(index + 1, len(rows)):
                rows[later] = [row + after - before for row in rows[later]]

    def get_sections(self, line_index: int) -> list[str]:
        """Return the rows of a line; Textual makes a `Text` of each."""
        line, offsets = self.document[line_index], self._wrap_offsets[line_index]
        return [line[a:b] for a, b in zip([0, *offsets], [*offsets, len(line)], strict=True)]


class TextField(TextArea):
    """Lines to type in. The time for a key does not depend on the length of a line."""

    def _set_document(self, text: str, language: str | None) -> None:
        super()._set_document(text, language)
        wrapped = WrappedLines(self.document)
        vars(wrapped).update(vars(self.wrapped_document))  # which is wrapped already
        self.wrapped_document, self.navigator = wrapped, DocumentNavigator(wrapped)

    def render_line(self, y: int) -> Strip:
        return settled(super().render_line(y))

    def _render_line(self, y: int) -> Strip:
        """Draw a row as Textual does, in time that depends on the row alone.

        Textual makes a `Text` of the whole line for each of its rows, then cuts out the row.
        """
        row, wrapped = y + self.scroll_offset.y, self.wrapped_document
        if row >= wrapped.height:
            return super()._render_line(y)
        index, section = wrapped._offset_to_line_info[row]
        offsets = wrapped.get_offsets(index)
        if not offsets or self.show_line_numbers or self.suggestion or self._highlights:
            return super()._render_line(y)
        theme, line = self._theme, self.document.get_line(index)
        start, end = [0, *offsets][section], [*offsets, len(line) + 1][section]
        text = Text((line + " ")[start:end] if end > len(line) else line[start:end], end="")
        for style, first, last in self._marks(index, len(line)):
            if style is not None and max(first, start) < min(last, end):
                text.stylize(style, max(first, start) - start, min(last, end) - start)
        if "\t" in text.plain:
            before, within = line.count("\t", 0, start), text.plain.count("\t")
            widths = wrapped.get_tab_widths(index)[before : before + within]
            text = expand_text_tabs_from_widths(text, widths)
        is_cursor_line = self.selection.end[0] == index and self.highlight_cursor_line
        rest = None
        if theme is not None:
            has_style = self._has_cursor and is_cursor_line
            rest = theme.base_style if not is_cursor_line else None
            rest = theme.cursor_line_style if has_style else rest
        base = theme.base_style if theme is not None else None
        strip = Strip(text.render(self.app.console), cell_length=text.cell_len)
        strip = strip.extend_cell_length(self.scrollable_content_region.width, rest)
        return strip.apply_style(base if base is not None else self.rich_style)

    def _marks(self, index: int, length: int) -> Iterator[tuple[Style | None, int, int]]:
        """Yield the styles over parts of a line, each with its first column and the end."""
        theme, (start, cursor) = self._theme, self.selection
        if theme is None:
            return
        (top, left), (bottom, right) = sorted(self.selection)
        if cursor[0] == index and self.highlight_cursor_line and self._has_cursor:
            yield theme.cursor_line_style, 0, length + 1
        if start != cursor and top <= index <= bottom:
            selected = left if index == top else 0, right if index == bottom else length
            yield theme.selection_style, *selected
        bracket = self._matching_bracket_location
        has_bracket = self._has_cursor and self.match_cursor_bracket and start == cursor
        if bracket is not None and has_bracket and cursor[0] == index:
            yield theme.bracket_matching_style, cursor[1], cursor[1] + 1
        if cursor[0] == index and self._draw_cursor:
            yield theme.cursor_style, cursor[1], cursor[1] + 1
        if bracket is not None and has_bracket and bracket[0] == index:
            yield theme.bracket_matching_style, bracket[1], bracket[1] + 1
