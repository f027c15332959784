"""Rows of text as values: spans with roles, padded, cut, aligned and wrapped.

`lines` paints them on the screen and the command line prints them. This module imports nothing of
Textual, so that printing does not wait for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

from rich.cells import chop_cells

from bpe_tui.widgets.language import tr
from bpe_tui.widgets.visible import ELLIPSIS, shorten, signs, width

Span = tuple[str, str]
"""Visible text and its role, or "" for ordinary text. `bpe_tui.styles.LOOKS` lists the roles."""


class SubjectSpan(tuple[str, str]):
    """A span with a subject, such as a token, so that a click on it can ask about the subject."""

    subject: Any

    @classmethod
    def of(cls, text: str, role: str, subject: Any) -> SubjectSpan:
        span = cls((text, role))
        span.subject = subject
        return span


class CutSpan(tuple[str, str]):
    """A span with spans for the row below, as wide: marks of the tokens that cut a character."""

    below: Sequence[Span]

    @classmethod
    def of(cls, text: str, role: str, below: Sequence[Span]) -> CutSpan:
        span = cls((text, role))
        span.below = below
        return span


CHIPS_MEET: Span = ("", "cut")
"""Between two tokens where there are colours: the next one is a chip on the other ground."""

TOKEN_HUES = 8
"""Number of colours that neighbouring tokens take in turn."""

CURSOR = "❯ "
"""The sign before the row of the cursor, in every list."""


def cursor_sign(here: bool) -> Span:
    """Return the sign of the cursor, or blanks of the same width."""
    return (CURSOR if here else "  ", "here")


BORDERS = frozenset(("border", "edge", "cut", "pair"))
"""The roles of borders between two tokens; `+`, before two tokens merge, is a `pair`.

A border may have no text: where there are colours, two tokens meet as chips on two grounds.
"""


class Row(NamedTuple):
    """A line; Enter or a click on it leads to `target`, or nowhere if it is `None`."""

    spans: Sequence[Span]
    target: object | None = None


class RowsOnDemand(Sequence[Row]):
    """The rows of `top`, then `make(0)` … `make(count - 1)`, each made on demand."""

    def __init__(self, count: int, make: Callable[[int], Row], top: Sequence[Row] = ()) -> None:
        self._count, self._make, self._top = len(top) + count, make, top

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:  # an index or a slice, as `Sequence` declares it
        if isinstance(place, slice):
            return [self[index] for index in range(self._count)[place]]
        index = range(self._count)[place]
        return self._top[index] if index < len(self._top) else self._make(index - len(self._top))


def spans_width(spans: Sequence[Span]) -> int:
    """Return the cells of the spans."""
    return sum([len(text) if text.isascii() else width(text) for text, _ in spans])


def plain_text(spans: Iterable[Span], between: str = "┊") -> str:
    """Return spans as a text, with a sign where two chips meet."""
    return "".join(between if span == CHIPS_MEET else span[0] for span in spans)


def looks_of(span: Span) -> str:
    """Return the text of a span, and of the spans below it."""
    return span[0] + "".join(text for text, _ in getattr(span, "below", ()))


def has_row_below(row: Row) -> bool:
    """Whether a span of a row has marks for the row below it."""
    return CutSpan in map(type, row.spans)


def with_below(spans: Sequence[Span]) -> list[Sequence[Span]]:
    """Return a row, and the row below it if a span has one.

    >>> with_below([("a", ""), CutSpan.of("今 ", "", [("▂▂", ""), ("▄", "")])])[1]
    [(' ', ''), ('▂▂', ''), ('▄', '')]
    """
    if not has_row_below(Row(spans)):
        return [spans]
    below: list[Span] = []
    for span in spans:
        below += span.below if isinstance(span, CutSpan) else [(" " * width(span[0]), "")]
    return [spans, below]


def first_rows(rows: Iterable[Row], most: int) -> list[Row]:
    """Return the first rows; characters whose marks have no room are left out, but in one row."""
    shown = list(islice(rows, most))
    if len(shown) > 1 and has_row_below(shown[-1]):
        shown.pop()
    return shown


class NameSpans(list[Span]):
    """The spans of a name, such as a token; `left` shortens it in the middle."""

    def within(self, cells: int) -> list[Span]:
        """Return the name in at most `cells` cells."""
        return without_middle(self, cells)

    def is_shown_in(self, text: str) -> bool:
        """Whether a text contains the whole name."""
        return "".join(part for part, _ in self) in text


class PairSpans(NameSpans):
    """The spans of two names with a mark between them, such as a pair; `left` keeps both."""

    def __init__(self, first: Sequence[Span], between: Span, second: Sequence[Span]) -> None:
        super().__init__([*first, between, *second])
        self._first, self._between, self._second = first, between, second

    def is_shown_in(self, text: str) -> bool:
        return all(NameSpans(part).is_shown_in(text) for part in (self._first, self._second))

    def within(self, cells: int) -> list[Span]:
        """Return both names in at most `cells` cells: first blanks are dropped, then middles.

        >>> text = "".join
        >>> pair = PairSpans([("under", "")], (" + ", ""), [("standing", "")])
        >>> [text(part for part, _ in pair.within(cells)) for cells in (16, 14, 12, 9)]
        ['under + standing', 'under+standing', 'under+sta…ng', 'un…r+st…g']
        """
        between, first, second = self._between, spans_width(self._first), spans_width(self._second)
        if first + width(between[0]) + second > cells:
            between = between[0].strip(), between[1]
        room = cells - width(between[0])
        for_first = min(first, max(room - second, (room + 1) // 2))
        return [
            *without_middle(self._first, for_first),
            between,
            *without_middle(self._second, room - for_first),
        ]


def without_middle(spans: Sequence[Span], cells: int) -> list[Span]:
    """Return the spans in at most `cells` cells, with `…` for the middle if they are too long.

    >>> without_middle([("understanding", "strong")], 8)
    [('unde…ing', 'strong')]
    """
    if spans_width(spans) <= max(cells, 0):
        return list(spans)
    (opening, role), (closing, last) = spans[0], spans[-1]
    if role.startswith("fresh") and opening.startswith("«"):  # its marks go first
        inner = [*spans[:-1], (closing[:-1], last)]
        return without_middle([(inner[0][0][1:], role), *inner[1:]], cells)
    parts = [(sign, role) for text, role in spans for sign in signs(text)]
    room = cells - 1
    head = tail = 0  # numbers of parts kept at the two ends
    while True:  # take turns, so that the ends differ by at most one part
        longer = head if head <= tail else len(parts) - 1 - tail
        other = len(parts) - 1 - tail if head <= tail else head
        place = next((one for one in (longer, other) if width(parts[one][0]) <= room), None)
        if place is None:
            break
        room -= width(parts[place][0])
        head, tail = (head + 1, tail) if place == head else (head, tail + 1)
    kept = [*parts[:head], (ELLIPSIS, parts[head][1]), *parts[len(parts) - tail :]]
    return [
        ("".join(text for text, _ in group), role)
        for role, group in groupby(kept, key=itemgetter(1))
    ]


def subjects_at(spans: Sequence[Span], cell: int) -> tuple[Any, ...]:
    """Return the subject of a cell, or for a border the two subjects beside it.

    >>> low, border, est = SubjectSpan.of("low", "", 7), ("┊", "cut"), SubjectSpan.of("est", "", 9)
    >>> [subjects_at([low, border, est], cell) for cell in (0, 3, 6, 7)]
    [(7,), (7, 9), (9,), ()]
    """
    start = 0
    for place, span in enumerate(spans):
        start += width(span[0])
        if cell < start:
            if isinstance(span, SubjectSpan):
                return (span.subject,)
            sides = (reversed(spans[:place]), spans[place + 1 :]) if span[1] in BORDERS else ()
            nearest = [next((each for each in side if each[0].strip()), None) for side in sides]
            subjects = tuple(each.subject for each in nearest if isinstance(each, SubjectSpan))
            return subjects if len(subjects) == 2 else ()
    return ()


def subject_cells(spans: Sequence[Span]) -> list[int]:
    """Return the first cell of each span with a subject.

    >>> low, border, est = SubjectSpan.of("low", "", 7), ("┊", "cut"), SubjectSpan.of("est", "", 9)
    >>> subject_cells([low, border, est])
    [0, 4]
    """
    cells, start = [], 0
    for span in spans:
        if isinstance(span, SubjectSpan):
            cells.append(start)
        start += width(span[0])
    return cells


def left(spans: Sequence[Span], cells: int) -> list[Span]:
    """Return the spans in exactly `cells` cells, aligned left, with `…` if they are too long."""
    if isinstance(spans, NameSpans):
        spans = spans.within(cells)
    spare = cells - spans_width(spans)
    if spare >= 0:
        return [*spans, (" " * spare, "")]
    fitted: list[Span] = []
    room = cells
    for span in spans:
        text, role = span
        if width(text) >= room:  # the last cell is for the `…`
            short = shorten(text + ELLIPSIS, room)
            mark = (short, "dim" if short == ELLIPSIS else role)
            return [*fitted, mark, (" " * (room - width(short)), "")]
        fitted.append(span)
        room -= width(text)
    raise AssertionError("spans that are too long end inside the loop")


def filled(spans: Sequence[Span], cells: int) -> list[Span]:
    """Return the spans in exactly `cells` cells, like `left`; the last token is a longer chip."""
    spare, last = cells - spans_width(spans), spans[-1]
    if spare <= 0 or isinstance(last, CutSpan):
        return left(spans, cells)
    longer: Span = last[0] + " " * spare, last[1]
    if isinstance(last, SubjectSpan):
        longer = SubjectSpan.of(*longer, last.subject)
    return [*spans[:-1], longer]


def skipped_before(spans: Sequence[Span], first: int, last: int, cells: int) -> int:
    """Return the number of spans to skip at the start, so that `first` … `last` fit in the cells.

    The rest begins after a border between tokens, and has room for `…` before and after it. In a
    run of characters that tokens cut there are few borders: then it begins at a character.
    """
    if spans_width(spans[: last + 1]) + (last + 1 < len(spans)) <= cells:
        return 0
    borders = [place for place, (_, role) in enumerate(spans[:first], 1) if role == "cut"]
    starts: list[int] = [*borders, *range(1, first + 1)]
    for start in starts:
        if spans_width(spans[start : last + 1]) + 2 <= cells:
            return start
    return borders[-1] if borders else 0


def in_sight(spans: Sequence[Span], place: int, cells: int) -> list[Span]:
    """Return the spans in exactly `cells` cells; skip the first if `place` would be cut off."""
    return left(without_first(spans, skipped_before(spans, place, place, cells)), cells)


def without_first(spans: Sequence[Span], skipped: int) -> list[Span]:
    """Return the spans with `…` instead of the first `skipped` ones."""
    return [(ELLIPSIS, "dim"), *spans[skipped:]] if skipped else list(spans)


def right(text: str, cells: int, role: str = "") -> Span:
    """Return a span of a text in at least `cells` cells, aligned right."""
    return " " * (cells - width(text)) + text, role


def right_aligned(spans: Sequence[Span], cells: int) -> list[Span]:
    """Return the spans in at least `cells` cells, aligned right, after blanks without a role.

    Blanks that are struck through would look like a minus.
    """
    return [(" " * (cells - spans_width(spans)), ""), *spans]


def wrapped(words: Iterable[Sequence[Span]], cells: int) -> list[list[Span]]:
    """Wrap words of spans in lines of at most `cells` cells; a longer word is cut."""
    lines: list[list[Span]] = [[]]
    used = 0
    for word in words:
        if used and used + spans_width(word) > cells:
            lines.append([])
            used = 0
        fitted = word if spans_width(word) <= cells else left(word, cells)
        lines[-1] += fitted
        used += spans_width(fitted)
    return lines


WORD = "[（「]*(?:[^ ⺀-￯]+|[^ ])[，。：；、！？）」”]* *| +"


def words_in(text: str) -> list[str]:
    """Split a text into words with the blanks after them; each Chinese character is a word."""
    return re.findall(WORD, text)


def hanging_rows(
    head: Sequence[Span], text: str, cells: int, target: object | None = None, role: str = ""
) -> Iterator[Row]:
    """Yield a text beside its head, in rows of at most `cells` cells; the first has the target."""
    indent = spans_width(head)
    for line in wrapped_text(text, max(cells - indent, LEAST_BESIDE)):
        yield Row([*head, (line, role)], target)
        head, target = [(" " * indent, "")], None


LEAST_BESIDE = 12
"""Least cells of a text beside its head."""


def wrapped_text(text: str, cells: int) -> list[str]:
    """Wrap a visible text in lines of at most `cells` cells, at blanks and Chinese characters.

    Several blanks in a row are kept. A word longer than a line goes on in the next line.

    >>> wrapped_text("漢字 is lost", 7), wrapped_text("lowest", 4)
    (['漢字 is', 'lost'], ['lowe', 'st'])
    """
    lines = [""]
    for word in words_in(text):
        bare = word.rstrip(" ")
        if width(lines[-1] + bare) > cells:
            lines += chop_cells(bare, cells)
            word = word[len(bare) :]
        lines[-1] += word
    return [line.rstrip() for line in lines if line.strip()]


def paragraph(text: str, cells: int, role: str = "") -> list[Row]:
    """Translate a visible text, and wrap it in rows, at blanks."""
    return [Row([(line, role)]) for line in wrapped_text(tr(text), max(cells, 10))]


# -- columns

GAP = 2
"""Cells between two columns."""


class Column(NamedTuple):
    """A column of a table, with all that the table knows of it.

    Attributes:
        title: its title in the header, and its name.
        cells: its least width; in a `RowTable` 0 for the cells left over by the other columns.
        draw: draws the cell of a value; a number is one span.
        is_number: whether it is aligned right.
        importance: with too little room, the least important columns are left out.
        share: its share of the cells left over.
        key: returns the numbers that rows are sorted by; `None` for a column that sorts nothing.
        largest_first: whether rows are sorted descending at first.
    """

    title: str
    cells: int
    draw: Callable[[Any], Sequence[Span]]
    is_number: bool = False
    importance: int = 0
    share: int = 0
    key: Callable[..., Any] | None = None
    largest_first: bool = False


class ColumnPlace(NamedTuple):
    """The place of a column: its first cell `start` and its width in cells."""

    column: Column
    start: int
    cells: int


def arranged(columns: Sequence[Column], room: int) -> list[ColumnPlace]:
    """Return the columns that fit, in their order, each with its place.

    >>> columns = [Column("id", 5, str), Column("text", 4, str, importance=1, share=1)]
    >>> [(p.start, p.cells) for p in arranged(columns, 20)]
    [(0, 5), (7, 13)]
    >>> [p.column.title for p in arranged(columns, 8)]
    ['text']
    """
    kept = list(columns)
    while (spare := room + GAP - sum(each.cells + GAP for each in kept)) < 0 and len(kept) > 1:
        kept.remove(min(kept, key=lambda column: column.importance))
    shares = sum(column.share for column in kept)
    places, start = [], 0
    for column in kept:
        cells = column.cells + (max(spare, 0) * column.share // shares if shares else 0)
        places.append(ColumnPlace(column, start, cells))
        start += cells + GAP
    return places


def arranged_row(
    places: Sequence[ColumnPlace],
    cell_of: Callable[[Column], Sequence[Span]],
    target: object | None = None,
    gap: int = GAP,
) -> Row:
    """Return a row of the cells of columns."""
    spans: list[Span] = []
    for column, _, cells in places:
        if spans and gap:
            spans.append((" " * gap, ""))
        spans += (right_aligned if column.is_number else left)(cell_of(column), cells)
    return Row(spans, target)


def columns_of_spans(*columns: tuple[str, int]) -> list[Column]:
    """Return columns for values that have the spans of each cell.

    Args:
        columns: title and cells of each. All are aligned right, but the one of 0 cells.
    """

    def column(place: int, title: str, cells: int) -> Column:
        return Column(title, cells, lambda value: value[place], is_number=cells > 0)

    return [column(place, *each) for place, each in enumerate(columns)]


class RowTable:
    """A table in `width` cells, which makes a row of each value.

    Args:
        columns: the columns from left to right.
        width: cells of a row.
        least: least width of the column that gets the cells left over. All columns are kept, and
            no cells are between them. `None`: the columns are arranged by importance and share.
    """

    def __init__(self, columns: Sequence[Column], width: int, least: int | None = None) -> None:
        self._gap, self._places = GAP, arranged(columns, width)
        if least is not None:
            spare = max(width - sum(column.cells for column in columns), least)
            self._places = [ColumnPlace(each, 0, each.cells or spare) for each in columns]
            self._gap = 0

    def header(self) -> Row:
        """Return the titles of the columns."""
        return arranged_row(self._places, lambda each: [(tr(each.title), "dim")], gap=self._gap)

    def row(self, value: Any, target: object | None = None) -> Row:
        return arranged_row(self._places, lambda each: each.draw(value), target, self._gap)
