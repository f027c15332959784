"""Panels of the training screens: the merges, the changed pretokens, a line to type in.

Each model subclasses these panels for what it draws differently.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import accumulate, chain, pairwise
from typing import Any, ClassVar, NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Input

from bpe_tui.shell.panel import (
    ABOUT_TO_JOIN,
    FRESH_ROLES,
    HIDDEN,
    MARKS,
    PRETOKEN_BORDER,
    TOKEN_BORDER,
    FramePanel,
    FrameT,
    MergeFrameT,
    TokenPainter,
    TokenPanel,
    keyed,
    sentence,
    token_edge,
)
from bpe_tui.shell.targets import ToPretoken, ToStep
from bpe_tui.widgets.fields import TextLine
from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.lines import Lines, ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    CHIPS_MEET,
    Column,
    CutSpan,
    Row,
    RowsOnDemand,
    Span,
    filled,
    has_row_below,
    left,
    looks_of,
    right,
    skipped_before,
    spans_width,
    with_below,
    without_first,
)
from bpe_tui.widgets.textual_private import do_after
from bpe_tui.widgets.visible import ELLIPSIS, width
from bpe_tui.words.narration import NO_CORPUS, as_sentence
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.recording.affected_pretokens import AffectedPretoken
from engine.recording.merge_record import CountChange, PairStep


class StepList(TokenPanel[Any]):
    """The list of recorded steps, such as merges, later ones in grey; choosing one goes to it."""

    ID = "merges"
    FOLLOWS_RECORDING = True
    COUNTED: ClassVar[str] = "count"
    """Name of the number after a pair."""
    FIRST: ClassVar[int] = 1
    """The first step that is listed."""
    _painter: TokenPainter | None = None
    _digits = _cells = 0
    """Cells of the number of a step, and of what follows it."""

    def step_spans(self, frame: Any, step: int, cells: int) -> list[Span]:
        """Return a step and its numbers in `cells` cells."""
        raise NotImplementedError

    def titles(self, frame: Any, cells: int) -> list[Span]:
        """Return the titles over `step_spans`, and say what is listed in the border."""
        title = tr("merges  {n}", n=number(frame.recorded_steps))
        if self.hides_next:
            title = tr("merges  {n} of …", n=number(frame.step))
        self.say(title, tr("↵ goes there"))
        counted, pair = tr(self.COUNTED) if frame.has_corpus else "", tr("pair")
        return [(pair, ""), right(counted, cells - width(pair))]

    @property
    def row_count(self) -> int:
        if not self.frame:
            return 0
        last: int = self.frame.recorded_steps
        shown = min(self.frame.step + 1, last) if self.hides_next else last
        return shown + 1 - self.FIRST

    def row(self, index: int) -> Row:
        frame, step = self.frame, index + self.FIRST
        if self.hides_next and step > frame.step:
            return Row([("  ", ""), right(number(step), self._digits, "dim"), ("  ?", "dim")])
        spans = self.step_spans(frame, step, self._cells)
        if step > frame.step:
            spans = [(text, role if role in FRESH_ROLES else "dim") for text, role in spans]
        return Row(
            [
                ("▸ " if step == frame.step else "  ", "pair"),
                right(number(step), self._digits, "strong" if step == frame.step else "dim"),
                ("  ", ""),
                *spans,
            ],
            ToStep(step),
        )

    def painter(self, frame: Any) -> TokenPainter:
        """Return the painter of all rows of a frame."""
        if self._painter is None or self._painter.frame is not frame:
            self._painter = super().painter(frame)
        return self._painter

    def rebuild(self) -> None:
        self._painter = None
        if self.frame is None or not self.display or not self.size.width:
            return
        self._digits = len(number(self.frame.recorded_steps))
        self._cells = self.room - self._digits - 4
        margin = " " * (self._digits + 4)
        self.name_columns([(margin, ""), *self.titles(self.frame, self._cells)])
        super(FramePanel, self).rebuild()

    def watch_frame(self, old: Any, new: Any) -> None:
        is_moved = new is not None and (old is None or old.step != new.step)
        if is_moved:  # `rebuild` paints it there
            self.set_reactive(Lines.cursor, max(new.step - self.FIRST, 0))
        super().watch_frame(old, new)
        if is_moved:
            self.show_step(new.step)

    def on_resize(self) -> None:
        if self.frame is not None:  # after the base's method, which Textual calls, too
            self.call_next(self.show_step, self.frame.step)

    def show_step(self, step: int) -> None:
        """Keep the current step near the middle, so that the next steps are visible too."""
        row = max(step - self.FIRST, 0)
        self.cursor = row
        height = self.size.height - self.head_height
        top = row - height // 2
        # By force: the scrollbar may come only with the next layout.
        self.scroll_to(y=top, animate=False, immediate=True, force=True)


SLICE_SECONDS = 0.006
"""Seconds at a time for the search for pretokens: long ones take time to encode."""
SCREENFULS = 3
"""Most screenfuls of pretokens to search for; a frequent pair occurs in thousands."""
MOST_ZOOMED = 10_000
"""Most pretokens to search for where the panel has the whole screen."""


class ChangedPretokensPanel(TokenPanel[MergeFrameT]):
    """The pretokens that contain the merged pair, most frequent first: before → after.

    At step 0, those that the first merge will change.
    """

    ID = TITLE = "pretokens"
    MARKS_NEXT = True
    _first: MergeFrameT | None = None
    """The frame after the first merge; kept, since the search takes several slices."""

    def watch_frame(self, old: Any, new: Any) -> None:
        super().watch_frame(old, new)
        if old and new and not old.recorded_steps and (new.recorded_steps or new.run.obstacle):
            self.rebuild()  # now the first merge is known, or that there is none

    def rows_of(self, frame: MergeFrameT, width: int) -> Sequence[Row]:
        if frame.merge is None and not frame.recorded_steps:
            self.say("pretokens")
            why = frame.run.obstacle or "no merge yet: no pretoken has changed"
            return sentence(as_sentence(why), width)
        made = frame
        if frame.merge is None and self.hides_next:
            self.say(tr("pretokens"))
            return sentence(tr(HIDDEN), width)
        if frame.merge is None:
            if self._first is None or self._first.run is not frame.run:
                self._first = frame.at(1)
            made = self._first
        merge = made.merge
        assert merge is not None, "there is one"
        changed = "changed by merge {n}" if frame.merge else "of merge {n}"
        self.say(tr("pretokens  {n}", n=merge.pretokens), tr(changed, n=made.step))
        if not merge.pretokens:
            none = tr("No pretoken of this corpus holds the pair.")
            return sentence(none if frame.has_corpus else NO_CORPUS, width)
        limit = MOST_ZOOMED if self.has_class("-zoom") else SCREENFULS * self.size.height
        touched, are_all = made.affected_within(SLICE_SECONDS, limit)
        if not are_all:
            do_after(SLICE_SECONDS, self, partial(self._search_on, frame, made, limit))
        # The count of the most frequent pretoken, so that the columns never change.
        count_width = count_cells(frame.run.highest_count, width)
        before, after = self.painter(frame), self.painter(frame)
        before.joining = merge.pair
        self.name_columns(head_of_words(count_width, width))
        missing = merge.pretokens - len(touched)
        which = (
            "rarer"
            if len(touched) == limit
            else tr("too long to show")
            if are_all
            else tr("more …")
        )
        rest = Row([(tr("and {missing} {which}", missing=missing, which=which), "dim")])

        def row(place: int) -> Row:
            if place == len(touched):
                return rest
            return self._row(before, after, touched[place], count_width, width)

        places = range(len(touched) + bool(missing))
        if all(word.pretoken.isascii() for word in touched):
            return RowsOnDemand(len(places), row)
        cut = {
            place
            for place, word in enumerate(touched)
            if before.would_cut(word.before) or after.would_cut(word.after)
        }
        lines = [(place, part) for place in places for part in range(1 + (place in cut))]
        drawn = cache(row)

        def line(index: int) -> Row:
            place, part = lines[index]
            both = [*with_below(drawn(place).spans), ()]
            return Row(both[part], drawn(place).target)

        return RowsOnDemand(len(lines), line)

    def _search_on(self, frame: MergeFrameT, made: MergeFrameT, limit: int) -> None:
        """Search for another slice of time; then make the rows again, if that changes any."""
        if self.frame is not None and self.frame.looks_like(frame):  # else it searches anew
            _, are_all = made.affected_within(SLICE_SECONDS, limit)
            if are_all or self.row_count < self.size.height:
                self.rebuild()
            else:
                do_after(SLICE_SECONDS, self, partial(self._search_on, frame, made, limit))

    def _row(
        self,
        before: TokenPainter,
        after: TokenPainter,
        word: AffectedPretoken,
        count_width: int,
        width: int,
    ) -> Row:
        was, cut = before.tokens(word.before), after.tokens(word.after)
        half = before_after_cells(count_width, width)
        spans = before_after(word.count, count_width, was, cut, half, half)
        return Row(spans, ToPretoken(word.pretoken))


def describe_occurrences(merge: PairStep, thing: str) -> str:
    """Describe the places of a merge: `15 occurrences in 2 pretokens`."""
    count = plural(merge.count, "occurrence")
    where = tr("{count} in {places}", count=count, places=plural(merge.pretokens, thing))
    if merge.occurrences == merge.count:
        return where
    return tr("{n} of {where}: they overlap", n=number(merge.occurrences), where=where)


def merge_row(painter: TokenPainter, merge: PairStep, target: object | None = None) -> Row:
    """Return a row with a merge: the pair, the new token, its id."""
    spans = [*painter.sum(merge.pair), ("  →  ", "dim"), *painter.spans(merge.new_id)]
    return Row([*spans, (f"   {tr('id {n}', n=merge.new_id)}", "dim")], target)


class ChangedCount(NamedTuple):
    """The count of a pair, drawn as `spans`, before and after a merge."""

    spans: Sequence[Span]
    before: int
    after: int
    is_new: bool
    pretokens: str = ""
    """The number of pretokens in which the count changed, as text; "" if not shown."""

    @property
    def role(self) -> str:
        return "gain" if self.after > self.before else "loss"


def change_columns(highest: int, note_cells: int) -> list[Column]:
    """Return the columns of changed counts: the pair, before → after, and `new` or `gone`."""
    cells = len(number(highest))

    def note(change: ChangedCount) -> list[Span]:
        template = "new" if change.is_new else "" if change.after else "gone"
        return [(f"  {tr(template)}" if template else "", change.role)]

    return [
        Column(tr("changes"), 0, lambda change: change.spans),
        Column("", cells, lambda change: [(number(change.before), "dim")], is_number=True),
        Column("", 3, lambda change: [(" → ", "dim")]),
        Column("", cells, lambda change: [(number(change.after), change.role)], is_number=True),
        Column("", note_cells, note),
    ]


CHANGES_SHOWN = 500


def rows_of_changes(
    merge: PairStep, row: Callable[[Pair, int, int], Row], top: Sequence[Row]
) -> Sequence[Row]:
    """Return the rows above, then one for each changed count of a pair, each made on demand."""
    changes: Sequence[CountChange] = merge.changes
    missing = max(len(changes) - CHANGES_SHOWN, 0)
    rest = Row([(tr("and {n} more", n=missing), "dim")])
    shown = len(changes) - missing
    return RowsOnDemand(
        shown + bool(missing),
        lambda place: row(*changes[place]) if place < shown else rest,
        top=top,
    )


ARROW: Span = (" → ", "dim")
COUNT = "count"
"""Title of the column of counts."""
ROOM_FOR_COUNT = 36
"""Least width, in cells, at which this title is shown in full."""


def count_cells(highest: int, width: int) -> int:
    """Return the cells of the column of counts, with room for its title if the row is wide."""
    return max(len(number(highest)), len(COUNT) if width >= ROOM_FOR_COUNT else 1)


def before_after_cells(count_width: int, width: int) -> int:
    """Return the cells of a word before a step, which are also those of the word after it."""
    return max((width - count_width - 5) // 2, 6)


def head_of_words(count_width: int, width: int) -> list[Span]:
    """Return the titles above words before and after a step."""
    cells = before_after_cells(count_width, width) + 5
    head = tr(COUNT) if count_width >= len(COUNT) else "×"
    before = left([(f"  {tr('before')}", "")], cells)
    return [right(head, count_width), *before, (tr("after"), "")]


def before_after(
    count: int,
    count_width: int,
    before: Sequence[Span],
    after: Sequence[Span],
    cells: int,
    after_cells: int,
) -> list[Span]:
    """Return the count of a word and its tokens before and after a step.

    If the cells are too few, both begin at the same later place, so that the first change is
    visible. With 0 `after_cells` only the tokens before the step are drawn.
    """
    first = next(
        (
            place
            for place, (old, new) in enumerate(zip(before, after, strict=False))
            if looks_of(old) != looks_of(new) and not (old in _BETWEEN and new in _BETWEEN)
        ),
        0,
    )
    skipped = skipped_before(before, first, _end_of_token(before, first, 2), cells)
    if after_cells:
        made = _end_of_token(after, first, 1)
        skipped = max(skipped, skipped_before(after, first, made, after_cells))
    before, after = without_first(before, skipped), without_first(after, skipped)
    spans = [right(number(count), count_width, "dim"), ("  ", ""), *left(before, cells)]
    return [*spans, ARROW, *left(after, after_cells)] if after_cells else spans


def _end_of_token(spans: Sequence[Span], first: int, nth: int) -> int:
    """Return the place of the last span of the nth token from a place on."""
    borders = [place for place in range(first, len(spans)) if spans[place] in _BETWEEN]
    return (borders[nth - 1] if len(borders) >= nth else len(spans)) - 1


def word_rows(
    counts: Sequence[int], words: Sequence[Sequence[list[Span]]], width: int, shows_after: bool
) -> Iterator[Row]:
    """Yield rows of words before and after a step, close to each other, with their counts.

    Args:
        counts: how often each word occurs.
        words: the tokens of each before, and after the step.
        width: cells of a row.
        shows_after: whether the tokens after the step are drawn.
    """
    count_width = max([1, *(len(number(count)) for count in counts)])
    half = before_after_cells(count_width, width)
    cells = min(half, max((spans_width(before) for before, _ in words), default=0))
    for count, (before, after) in zip(counts, words, strict=True):
        spans = before_after(count, count_width, before, after, cells, half * shows_after)
        spans.pop()  # the blanks that fill the row
        yield from map(Row, with_below(spans))


_BETWEEN = (TOKEN_BORDER, CHIPS_MEET, ABOUT_TO_JOIN)
"""The borders between the tokens of a word, whether or not the tokens join next."""


class Labelled(NamedTuple):
    """A piece, the label under it, and the border after it."""

    piece: Sequence[Span]
    label: str
    border: Span


def labelled(text: str, tokens: Sequence[tuple[str, str]], border: Span) -> Labelled:
    """Return a token over its label; or characters that tokens cut, over a mark for each token.

    Args:
        text: the visible token, or the characters.
        tokens: role and label of each token; among several the role of its mark.
        border: what follows.
    """
    if len(tokens) == 1:
        role, label = tokens[0]
        return Labelled([(text, role)], label, border)
    below: list[Span] = []
    for place, (role, label) in enumerate(tokens):
        below += [(MARKS[place % 2] * len(label), role), (" ", "")]
    padded = text + " " * (spans_width(below) - width(text))
    label = " ".join(label for _, label in tokens)
    return Labelled([CutSpan.of(padded, "", below)], label, border)


def over_labels(pieces: Iterable[Labelled], room: int) -> list[Row]:
    """Wrap pieces over their labels, in rows of at most `room` cells.

    Rows break at borders; a piece wider than the room is cut. Marks below characters that tokens
    cut take a row between the two.
    """
    rows: list[Row] = []
    upper: list[Span] = []
    lower: list[Span] = []
    used = 0
    for piece, label, border in pieces:
        # Two labels without a border between their pieces have a blank between them.
        cells = min(max(spans_width(piece), width(label) + (not border[0])), room - 1)
        needed = cells + width(border[0])
        if used and used + needed > room:
            rows += map(Row, (*with_below(upper), lower))
            upper, lower, used = [], [], 0
        upper += [*filled(piece, cells), border]
        lower += left([(label, "dim")], needed)
        used += needed
    return [*rows, *map(Row, (*with_below(upper), lower))]


def over_ids(painter: TokenPainter, words: Iterable[Sequence[int]], room: int) -> Sequence[Row]:
    """Return the rows of words: tokens over their ids.

    The beginnings of lines are computed from the widths of tokens. A line is made on demand, since
    few lines of a long text are visible at each keystroke.
    """
    words = [ids for ids in words if ids]  # unknown characters have none
    starts = _starts_of_lines(painter, words, room)
    if painter.cuts_characters(chain.from_iterable(words)):
        if len(words) <= MOST_CUT_WORDS:
            return over_labels(chain.from_iterable(_over_ids(painter, ids) for ids in words), room)
        painter.in_bytes = True

    # A long word takes many rows.
    of_word = cache(lambda at: list(_over_ids(painter, words[at])))

    def row(place: int) -> Row:
        (word, first), (last, end) = starts[place // 2], starts[place // 2 + 1]
        tokens: list[Labelled] = []
        for at in range(word, min(last + 1, len(words))):
            stop = end if at == last else len(words[at])
            tokens += of_word(at)[first if at == word else 0 : stop]
        return over_labels(tokens, room)[place % 2]

    return RowsOnDemand(2 * (len(starts) - 1), row)


MOST_CUT_WORDS = 1000
"""Most pretokens whose characters are drawn whole where tokens cut them; longer texts wait."""


def _starts_of_lines(
    painter: TokenPainter, words: Sequence[Sequence[int]], room: int
) -> list[tuple[int, int]]:
    """Return (word, place in it) for the beginning of each line, and for the end of the last."""
    ids, of_ids = np.unique(np.fromiter(chain.from_iterable(words), int), return_inverse=True)
    ends = np.cumsum(np.fromiter(map(len, words), int))
    pieces = np.fromiter((spans_width(painter.spans(each)) for each in ids.tolist()), int)
    labels = np.fromiter((len(str(each)) for each in ids.tolist()), int)
    edge = width(token_edge(marks=painter.marks)[0])
    inside = np.minimum(np.maximum(pieces, labels + 1 - edge), room - 1) + edge
    cells = inside[of_ids]
    at_end = np.minimum(np.maximum(pieces, labels), room - 1) + width(PRETOKEN_BORDER[0])
    cells[ends - 1] = at_end[of_ids[ends - 1]]
    filled = np.cumsum(cells)  # the cells up to the end of each token, as if on one line
    starts = [(0, 0)]
    first = int(np.searchsorted(filled, room, side="right"))
    while first < len(filled):
        word = int(np.searchsorted(ends, first, side="right"))
        starts.append((word, first - int(ends[word - 1]) if word else first))
        first = int(np.searchsorted(filled, filled[first - 1] + room, side="right"))
    return [*starts, (len(words), 0)]


def _over_ids(painter: TokenPainter, ids: Sequence[int]) -> Iterator[Labelled]:
    """Yield the tokens of a word, and the characters that they cut, over the ids."""
    units = list(painter.units(ids))
    for place, unit in enumerate(units):
        label = ""
        for token_id, at in unit.begun:
            label = f"{label:{at}}{token_id}"
        following = units[place + 1].border if place + 1 < len(units) else [PRETOKEN_BORDER]
        yield Labelled(unit.spans, label, *(following or [CHIPS_MEET]))


def in_lines(
    painter: TokenPainter, words: Iterable[Sequence[int]], rows: int, room: int
) -> Sequence[Row]:
    """Return the tokens of a text in at most `rows` rows: over their ids, if there is room.

    Else tokens take only their own cells, and the ids follow in the last row. Those that have no
    room are counted: `… 6 more`.
    """
    words = list(words)
    labelled = over_ids(painter, words, room)
    if len(labelled) <= rows:
        return labelled
    tokens: Sequence[Sequence[Span]] = [token for ids in words for token in _apart(painter, ids)]
    height = 1 + any(has_row_below(Row(token)) for token in tokens)
    shown: list[Row] = []
    while tokens and len(shown) + height <= max(rows, height):
        is_last = len(shown) + 2 * height > rows
        line, tokens = _line_of(tokens, room, is_last)
        shown += map(Row, with_below(line))
    if len(shown) < rows:
        ids = [[(f" {token_id}", "dim")] for token_id in chain.from_iterable(words)]
        shown.append(Row([(tr("ids"), "dim"), *_line_of(ids, room - 3, True)[0]]))
    return shown


def _apart(painter: TokenPainter, ids: Sequence[int]) -> Iterator[list[Span]]:
    """Yield each token of a pretoken with the border before it, and the border after the last."""
    spans = [*painter.tokens(ids), PRETOKEN_BORDER]
    starts = [place for place, span in enumerate(spans) if place and span[1] in ("cut", "pair")]
    for start, end in pairwise((0, *starts, len(spans))):
        yield spans[start:end]


def _line_of(
    parts: Sequence[Sequence[Span]], room: int, is_last: bool
) -> tuple[list[Span], Sequence[Sequence[Span]]]:
    """Return the parts that fit into a line, and the others; the last line says how many."""
    ends = list(accumulate(map(spans_width, parts)))
    count = max(bisect_right(ends, room), 1)
    more = ""
    if is_last and count < len(parts):
        count = max(bisect_right(ends, room - width(more_text(len(parts)))), 1)
        more = more_text(len(parts) - count)
    return [*chain.from_iterable(parts[:count]), (more, "dim")], parts[count:]


def more_text(count: int) -> str:
    """Return a mark for parts that are left out."""
    return tr(" {ellipsis} {count} more", ellipsis=ELLIPSIS, count=count)


class TypedTextPanel(FramePanel[FrameT]):
    """The pieces of a text, each over its label."""

    ID = "encoded"
    WIDEST = 1000
    WITH: ClassVar[str] = "merges"
    """The model's word for what encodes at a step."""
    LONGEST: ClassVar[int | None] = None
    """Most characters of the text that are encoded."""

    text: ShownInRows[str] = ShownInRows("")

    is_in_line = False
    """Whether the panel belongs to a line to type in, and has few rows."""

    class Resized(Message):
        """The panel has another size, and so perhaps another number of rows."""

    def on_resize(self) -> None:  # Textual calls the base's method, too
        self.post_message(self.Resized())

    def rows_of(self, frame: FrameT, width: int) -> Sequence[Row]:
        if not self.text:
            return sentence("Nothing typed yet: press e and type.", width)
        return self.rows_of_text(frame, width)

    def rows_of_text(self, frame: FrameT, width: int) -> Sequence[Row]:
        """Return the rows for the text, which is not empty."""
        raise NotImplementedError

    def token_rows(
        self, painter: TokenPainter, words: Iterable[Sequence[int]], width: int
    ) -> Sequence[Row]:
        """Return the rows of words in their tokens, over the ids if there is room."""
        if self.is_in_line:
            return in_lines(painter, words, self.size.height, width)
        return over_ids(painter, words, width)

    def describe_size(self, frame: FrameT) -> str:
        """Describe the size of the text in tokens."""
        raise NotImplementedError


class TypedLine(Vertical):
    """A line to type in, and under it the pieces of the text."""

    frame: reactive[Any] = reactive(None)

    def __init__(self, panel: TypedTextPanel[Any]) -> None:
        super().__init__(id="encode")
        self._panel = panel
        self._title = tr("type to encode, with the {pieces} of this step", pieces=tr(panel.WITH))
        self.border_title = keyed("e", self._title)
        panel.is_in_line = True

    def compose(self) -> ComposeResult:
        yield TextLine(placeholder=tr("type here (e)"), id="encode-input")
        yield self._panel.data_bind(frame=TypedLine.frame)

    def on_input_changed(self) -> None:
        """Encode the text of the line. The event also bubbles to the screen."""
        line = self.query_one(TextLine)
        self._panel.text = line.value[: self._panel.LONGEST]
        more = "" if line.is_all else tr(" │ its first line; 2 shows all of the text")
        self.border_title = keyed("e", f"{self._title}{more}")
        self.watch_frame()

    def watch_frame(self) -> None:
        """Show the size of the encoded text in the border."""
        text, size = self._panel.text, ""
        if self.frame is not None and text:
            is_cut = len(text) < len(self.query_one(Input).value)
            first = tr("the first {n} characters: ", n=len(text)) if is_cut else ""
            size = f"{first}{self._panel.describe_size(self.frame)}"
        self.border_subtitle = Content(size)
