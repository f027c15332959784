"""The table of the heap's entries: their recorded and true counts, and who took the difference."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from bpe_tui.shell.panel import TokenPainter
from bpe_tui.shell.targets import ToPair
from bpe_tui.widgets.language import tr, tr_spans
from bpe_tui.widgets.numbers import SHORTEST_BAR, bar, number, signed, trace
from bpe_tui.widgets.rows import (
    Column,
    Row,
    RowTable,
    Span,
    right,
    right_aligned,
    spans_width,
    without_middle,
)
from bpe_tui.widgets.visible import width as width_of
from bpe_tui.words.narration import characters_of, first_fitting
from engine.bpe.frame import Frame
from engine.bpe.pair_queue import QueueEntry
from engine.bpe.trainers.pseudocode import Move


def highest_shown(frame: Frame) -> int:
    """Return the highest count that columns have room for.

    Counts only fall within a phase. The width follows at powers of two from 16 on. So
    numbers keep their columns from one step to the next.
    """
    step = 1 if frame.step < 16 else 1 << (frame.step.bit_length() - 1)
    step = max(step, frame.phase_began + 1)
    if step > frame.recorded_steps or not frame.run.record.by_rule:
        return frame.highest_count
    return frame.merge_at(step - 1).count


PLACE_CELLS = 5
USUAL_PAIR, WIDEST_PAIR = 11, 29
NAME_CELLS, LEAST_NAME = 6, 4
"""Cells of the token that made an entry stale, before it is shortened: usually, and at least."""
OF_ALL = len(" of 999")
"""Cells of the sum that several tokens took."""
GAP, LONG_BAR = 2, 6
"""Blanks between columns; cells that a bar has before the words get more than they need."""
NEXT, TIED, NEXT_TIED = "up next", "tied", "up next, tied"


class RankedEntry(NamedTuple):
    """An entry with its place, from 1; 0 for none."""

    place: int
    entry: QueueEntry


class TableRoom(NamedTuple):
    """The cells of the table's columns; 0 for a column without room.

    Attributes:
        first: cells for the left token of a pair, so that all separators are in one column.
        pair: cells for a whole pair.
        recorded: the count in the entry; 0 if merges that were given have no heap.
        true: the count of the pair.
        bar: the longest bar.
        remark: the words after the numbers.
        wraps: whether the words about a stale entry take a row of their own.
    """

    first: int
    pair: int
    recorded: int
    true: int
    bar: int
    remark: int
    wraps: bool

    @classmethod
    def within(cls, width: int, digits: int, has_heap: bool) -> TableRoom:
        """Share the cells of a row; bars get what pairs, numbers and words leave.

        First the words about a stale entry give way, then the bars, then the row is wrapped.

        Args:
            width: the cells of a row.
            digits: the cells of the longest count.
            has_heap: whether entries have a count of their own, which may be old.
        """
        recorded = digits + 1 if has_heap else 0
        true = max(digits, len(TRUE if has_heap else COUNT)) + 1
        spare = width - PLACE_CELLS - recorded - true
        pair = max(min(max(spare // 4, USUAL_PAIR), WIDEST_PAIR, spare - GAP - len(NEXT)), 3)
        rest = spare - pair
        words = len(" took ") + digits
        wraps = has_heap and rest < 1 + words + LEAST_NAME
        if wraps or not has_heap:
            least = said = GAP + len(NEXT_TIED)
        else:
            least = GAP + max(words + LEAST_NAME, len(NEXT_TIED))
            said = GAP + words + NAME_CELLS + OF_ALL
        if rest < least + GAP + SHORTEST_BAR:  # no room for bars
            return cls((pair - 1) // 2, pair, recorded, true, 0, rest, wraps)
        remark = min(said, max(least, rest - GAP - LONG_BAR))
        longest = rest - remark - GAP
        wider = 1 if longest > SHORTEST_BAR else 0  # a second blank before the true count
        longest -= wider
        return cls((pair - 1) // 2, pair, recorded, true + wider, longest, remark, wraps)


RECORDED, TRUE, COUNT, WHY_STALE = "recorded", "true", "count", "why stale"
"""Names of the columns: the count in the entry and that of the pair; COUNT if there is no heap."""


def _why_stale(frame: Frame, painter: TokenPainter, entry: QueueEntry, cells: int) -> list[Span]:
    """Return the token that took the most since the count was recorded: `·h took 199 of 326`.

    In few cells, or if no other token took any, `·h took 199`: the counts give the sum.
    """
    losses = frame.queue.losses(entry)
    if not losses:
        return [(tr("stale"), "stale-truth")]
    most = max(losses, key=lambda loss: loss.taken)
    name = painter.spans(frame.merge_at(most.step - 1).new_id)
    numbers = {"n": number(most.taken), "all": number(sum(loss.taken for loss in losses))}
    alone, of_all = "{token} took {n}", "{token} took {n} of {all}"
    needed = spans_width(tr_spans(of_all, token=name, **numbers))
    way = of_all if len(losses) > 1 and needed <= cells else alone
    room = cells - spans_width(tr_spans(way, token=[], **numbers))
    token = without_middle(name, max(room, 1))
    return tr_spans(way, "stale-truth", token=token, **numbers)


class LinePart(Enum):
    """The rows of an entry: one above the pair that merges next, its own, and words below it."""

    SKIPPED, OWN, WHY = range(3)


class TableLine(NamedTuple):
    """A row of the table: the place of its entry, and which of the entry's rows it is."""

    place: int
    part: LinePart


class EntryTable:
    """The table of the entries, with the columns that there is room for."""

    def __init__(self, frame: Frame, painter: TokenPainter, width: int) -> None:
        digits = len(number(highest_shown(frame)))
        self._frame, self._painter, self._width = frame, painter, width
        self._room = TableRoom.within(width, digits, not frame.given)

    @cached_property
    def _table(self) -> RowTable:
        return _columns(self._frame, self._painter, self._width, self._room)

    def header(self) -> Row:
        return self._table.header()

    def lines(self, entries: Sequence[QueueEntry]) -> list[TableLine]:
        """Return the rows of all entries, from the top."""
        lines: list[TableLine] = []
        is_at_rest = not (self._frame.given or self._frame.moves_done)
        for index, entry in enumerate(entries):
            if index and is_at_rest and entry.pair == self._frame.next_pair:
                lines.append(TableLine(index, LinePart.SKIPPED))
            lines.append(TableLine(index, LinePart.OWN))
            if self._room.wraps and entry.stale:
                lines.append(TableLine(index, LinePart.WHY))
        return lines

    def row(self, entries: Sequence[QueueEntry], line: TableLine) -> Row:
        """Return the row of a line."""
        entry = entries[line.place]
        if line.part is LinePart.SKIPPED:
            return self._skipped_row(entries[: line.place])
        if line.part is LinePart.OWN:
            return self._table.row(RankedEntry(line.place + 1, entry), ToPair(entry.pair))
        words = _why_stale(self._frame, self._painter, entry, self._width - PLACE_CELLS)
        return Row([(" " * PLACE_CELLS, ""), *words], ToPair(entry.pair))

    def _skipped_row(self, skipped: Sequence[QueueEntry]) -> Row:
        """Return what the trainer does with the entries above the pair that merges next."""
        stale = [entry for entry in skipped if entry.stale]
        pushed = sum(entry.count > 0 for entry in stale)
        ways = SKIPPED_ONE if len(stale) == 1 else SKIPPED
        if pushed < len(stale):
            ways = SOME_DROPPED, ways[-1]
        n, m = number(len(stale)), number(pushed)
        texts = (f"┄ {tr(way, n=n, m=m)} ┄" for way in ways)
        return Row([("  ", ""), (first_fitting(self._width - 2, *texts), "stale-truth")])


SKIPPED = "{n} stale entries are popped and pushed again", "{n} stale entries"
SKIPPED_ONE = "{n} stale entry is popped and pushed again", "{n} stale entry"
SOME_DROPPED = "{n} popped as stale, {m} pushed again"
"""Lines above the pair that merges next: the last if some pairs do not occur any more."""


def _columns(frame: Frame, painter: TokenPainter, width: int, room: TableRoom) -> RowTable:
    """Return the table with the columns of `room`."""
    has_heap = not frame.given
    move = frame.queue.moves()[frame.moves_done - 1] if frame.moves_done else None
    is_push = move is not None and move.move in (Move.PUSH, Move.PUSH_BACK)
    pushed = move.pair if move is not None and is_push else None
    scale = max(frame.queue.highest_count, 1)

    def place(placed: RankedEntry) -> list[Span]:
        is_next = placed.entry.pair == frame.next_pair
        return [("▸" if is_next else " ", "pair"), right(str(placed.place or ""), 3, "dim")]

    def pair(placed: RankedEntry) -> list[Span]:
        whole, first = painter.pair(placed.entry.pair), painter.spans(placed.entry.pair[0])
        left_of_sign = spans_width(first)
        right_of_sign = spans_width(whole) - left_of_sign - 1
        if left_of_sign > room.first or right_of_sign > room.pair - room.first - 1:
            return whole.within(room.pair)  # one part has the room that the other leaves
        return right_aligned(whole, room.first + 1 + right_of_sign)

    def recorded(placed: RankedEntry) -> list[Span]:
        return [(number(placed.entry.recorded), "stale" if placed.entry.stale else "")]

    def true(placed: RankedEntry) -> list[Span]:
        return [(number(placed.entry.count), "strong" if placed.entry.stale else "")]

    def length(placed: RankedEntry) -> list[Span]:
        """Return the true count as a bar, then a trace up to a stale entry's claim."""
        entry = placed.entry
        body = bar(entry.count / scale, room.bar)
        claimed = trace(min(entry.recorded / scale, 1), room.bar, body)
        role = "pair" if entry.pair == frame.next_pair else "border"
        return [("  ", ""), (body, role), (claimed, "stale-truth")]

    def change(placed: RankedEntry) -> list[Span]:
        delta = placed.entry.delta
        return [(signed(delta) if delta else "", "gain" if delta > 0 else "loss")]

    def remark(placed: RankedEntry) -> list[Span]:
        entry = placed.entry
        if entry.pair == pushed:
            said: list[Span] = [(tr("pushed"), "strong")]
        elif entry.forbidden:
            said = [(tr("forbidden"), "stale-truth")]
        elif entry.stale:
            said = [] if room.wraps else _why_stale(frame, painter, entry, room.remark - GAP)
        elif entry.pair == frame.next_pair:
            has_room = entry.tied and room.remark >= GAP + len(NEXT_TIED)
            said = [(tr(NEXT_TIED if has_room else NEXT), "pair")]
        elif entry.tied:
            said = [(tr(TIED), "tie")]
        else:
            said = change(placed)
        if not entry.stale:
            spare = room.remark - spans_width(said) - 2 * GAP
            parts = characters_of(frame, entry.pair, spare)
            said = [*said, (f"{' ' * GAP if said and parts else ''}{parts}", "dim")]
        return [(" " * GAP, ""), *said]

    pairs, old = tr("pair"), tr(RECORDED)
    # The title of a narrow column of counts begins above the pairs.
    over = max(width_of(old) - room.recorded, 0) if has_heap else 0
    if over and not old.isascii():
        over = width_of(old)  # a wide sign stays whole
    beside = room.pair - over - width_of(pairs)
    indent = max(min(room.first - 3, beside - 1), 0)
    pairs, beside = " " * indent + pairs, beside - indent
    if has_heap and beside < 1:  # the two titles would touch
        pairs, beside = "", room.pair - over
    columns = [
        Column("", PLACE_CELLS, place),
        Column(f"{pairs}{' ' * beside}{old[:over]}", room.pair, pair),
    ]
    if has_heap:
        columns.append(Column(old[over:], room.recorded, recorded, is_number=True))
    columns.append(Column(tr(TRUE if has_heap else COUNT), room.true, true, is_number=True))
    if room.bar:
        columns.append(Column("", room.bar + GAP, length))
    why = tr(WHY_STALE) if has_heap and not room.wraps else ""
    columns.append(Column(f"{' ' * GAP}{why}", room.remark, remark))
    return RowTable(columns, width, least=8)
