"""The table of the heap's entries: their recorded and true counts, and who took the difference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from bpe_tui.shell.panel import BETWEEN_PAIR, TokenPainter
from bpe_tui.widgets.language import tr, tr_spans
from bpe_tui.widgets.numbers import LONGEST_BAR, SHORTEST_BAR, bar, number, scale_of, signed, trace
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
from bpe_tui.words.narration import characters_of
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
GAP = 2
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

        The words are the same at every width: first the bars give way, then the row is wrapped.

        Args:
            width: the cells of a row.
            digits: the cells of the longest count.
            has_heap: whether entries have a count of their own, which may be old.
        """
        recorded = digits + 1 if has_heap else 0
        true = max(digits, len(TRUE if has_heap else COUNT)) + 1
        spare = width - PLACE_CELLS - recorded - true
        pair = max(min(max(spare // 4, USUAL_PAIR), WIDEST_PAIR, spare - 2 - len(NEXT_TIED)), 3)
        rest = spare - pair
        words = len("stale:  took ") + digits
        wraps = has_heap and rest < 1 + words + LEAST_NAME
        if wraps or not has_heap:
            least = said = GAP + len(NEXT_TIED)
        else:
            least, said = GAP + words + LEAST_NAME, GAP + words + NAME_CELLS
            others = len(", 99 others ") + digits
            said += others if rest >= said + others + GAP + LONGEST_BAR else 0
        if rest < least + GAP + SHORTEST_BAR:  # no room for bars
            return cls((pair - 1) // 2, pair, recorded, true, 0, rest, wraps)
        remark = min(said, rest - GAP - SHORTEST_BAR)
        longest = rest - remark - GAP
        wider = 1 if longest > SHORTEST_BAR else 0  # a second blank before the true count
        longest -= wider
        return cls((pair - 1) // 2, pair, recorded, true + wider, longest, remark, wraps)


RECORDED, TRUE, COUNT = "recorded", "true", "count"
"""Names of the columns: the count in the entry and that of the pair; COUNT if there is no heap."""


def _why_stale(frame: Frame, painter: TokenPainter, entry: QueueEntry, cells: int) -> list[Span]:
    """Return the token that took the most since the count was recorded, and what all took.

    The parts add up: `stale: ·h took 199, 7 others 127`, in few cells `·h 199, 7 others 127`.
    """
    losses = frame.queue.losses(entry)
    if not losses:
        return [(tr("stale"), "stale-truth")]
    most = max(losses, key=lambda loss: loss.taken)
    name = painter.spans(frame.merge_at(most.step - 1).new_id)
    ways = ["stale: {token} took {n}"]
    taken = sum(loss.taken for loss in losses)
    if len(losses) > 1:
        parts = "{token} took {n}, {others} {rest}"
        short = "{token} {n}, {others} {rest}"
        ways = ["stale: {token} took {n}, {others} {rest}", parts, short]
    others = "{k} others" if len(losses) > 2 else "{k} other"
    shown = {"n": number(most.taken), "rest": number(taken - most.taken)}
    shown["others"] = tr(others, k=len(losses) - 1)

    def said(way: str, token: Sequence[Span] = ()) -> list[Span]:
        return tr_spans(way, "stale-truth", token=token, **shown)

    least = min(spans_width(name), NAME_CELLS)
    for way in ways:
        room = cells - spans_width(said(way))
        if room >= least:
            break
    return said(way, without_middle(name, max(room, 1)))


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

    def lines(self, entries: Sequence[QueueEntry]) -> list[tuple[int, bool]]:
        """Return the place of the entry of each row, and whether the row is its second."""
        lines = []
        for place, entry in enumerate(entries):
            lines.append((place, False))
            if entry.stale and self._room.wraps:
                lines.append((place, True))
        return lines

    def row(self, placed: RankedEntry, target: object, is_second: bool = False) -> Row:
        """Return a row of an entry; the second one has the words that the first has no room for."""
        if not is_second:
            return self._table.row(placed, target)
        room = self._width - PLACE_CELLS
        words = _why_stale(self._frame, self._painter, placed.entry, room)
        return Row([(" " * PLACE_CELLS, ""), *words], target)


def _columns(frame: Frame, painter: TokenPainter, width: int, room: TableRoom) -> RowTable:
    """Return the table with the columns of `room`."""
    has_heap = not frame.given
    move = frame.queue.moves()[frame.moves_done - 1] if frame.moves_done else None
    is_push = move is not None and move.move in (Move.PUSH, Move.PUSH_BACK)
    pushed = move.pair if move is not None and is_push else None
    scale: float = max(highest_shown(frame), 1)
    if not frame.run.record.by_rule:  # it is that of step 0
        scale *= scale_of(frame.queue.highest_count / scale)

    def place(placed: RankedEntry) -> list[Span]:
        is_next = placed.entry.pair == frame.next_pair
        return [("▸" if is_next else " ", "pair"), right(str(placed.place or ""), 3, "dim")]

    def pair(placed: RankedEntry) -> list[Span]:
        first, second = placed.entry.pair
        spans = without_middle(painter.spans(first), room.first)
        return [
            *right_aligned(spans, room.first),
            BETWEEN_PAIR,
            *without_middle(painter.spans(second), room.pair - room.first - 1),
        ]

    def recorded(placed: RankedEntry) -> list[Span]:
        return [(number(placed.entry.recorded), "stale" if placed.entry.stale else "")]

    def true(placed: RankedEntry) -> list[Span]:
        return [(number(placed.entry.count), "strong" if placed.entry.stale else "")]

    def length(placed: RankedEntry) -> list[Span]:
        """Return the true count as a bar, then a trace up to a stale entry's claim."""
        entry = placed.entry
        body = bar(entry.count / scale, room.bar)
        claimed = trace(entry.recorded / scale, room.bar, body)
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
            has_room = entry.tied and room.remark > len(NEXT_TIED)
            said = [(tr(NEXT_TIED if has_room else NEXT), "pair")]
        elif entry.tied:
            said = [(tr(TIED), "tie")]
        else:
            said = change(placed)
        if not entry.stale:
            spare = room.remark - spans_width(said) - 2 * GAP
            parts = characters_of(frame, entry.pair, spare)
            said = [*said, (f"{' ' * GAP if said and parts else ''}{parts}", "dim")]
        return [(" " * min(GAP, max(room.remark - spans_width(said) - 1, 1)), ""), *said]

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
    return RowTable([*columns, Column("", room.remark, remark)], width, least=8)
