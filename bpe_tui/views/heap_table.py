"""The table of the heap's entries: their recorded and true counts, and who took the difference."""

from __future__ import annotations

from typing import NamedTuple

from bpe_tui.views.corpus import layout_step
from bpe_tui.views.panel import BETWEEN_PAIR, TokenPainter
from bpe_tui.widgets.numbers import LONGEST_BAR, SHORTEST_BAR, bar, number, signed, trace
from bpe_tui.widgets.rows import (
    RowColumn,
    RowTable,
    Span,
    right,
    right_aligned,
    spans_width,
    without_middle,
)
from engine.bpe.frame import Frame
from engine.bpe.pair_queue import QueueEntry
from engine.bpe.trainers.algorithm import Move


def highest_shown(frame: Frame) -> int:
    """Return the highest count that columns have room for.

    Counts only fall within a phase. The width follows at steps that are powers of two, as the line
    breaks of the corpus do. So numbers keep their columns from one step to the next.
    """
    step = layout_step(frame.step)
    if frame.phase_began:
        step = max(step, frame.phase_began + 1)
    if not step or step > frame.recorded_steps or not frame.run.record.by_rule or frame.given:
        return frame.highest_count
    return frame.merge_at(step - 1).count


WIDE = 80
"""Least width, in cells, for a column of changes."""
PLACE_CELLS = 5
LEAST_PAIR, WIDEST_PAIR = 11, 29
NAME_CELLS = 6
"""Cells of the token that made an entry stale, before it is shortened."""
GAP = 2


RankedEntry = tuple[int, QueueEntry]
"""An entry with its place, from 1; 0 for none."""


class TableRoom(NamedTuple):
    """The cells of the table's columns; 0 for a column without room.

    Attributes:
        first: cells for the left token of a pair, so that all separators are in one column.
        pair: cells for a whole pair.
        recorded: the count in the entry; 0 if merges that were given have no heap.
        true: the count of the pair.
        bar: the longest bar.
        change: the change by the last merge.
        remark: the words after the numbers.
    """

    first: int
    pair: int
    recorded: int
    true: int
    bar: int
    change: int
    remark: int

    @classmethod
    def within(cls, width: int, digits: int, has_heap: bool, has_forbidden: bool) -> TableRoom:
        """Share the cells of a row; bars get all that pairs, numbers and words leave.

        Args:
            width: the cells of a row.
            digits: the cells of the longest count.
            has_heap: whether entries have a count of their own, which may be old.
            has_forbidden: whether some entries have the remark that they are forbidden.
        """
        recorded = max(digits, len(RECORDED)) + 1 if has_heap else 0
        true = max(digits, len(TRUE if has_heap else COUNT)) + 1
        change = max(digits, len("change")) + GAP if width >= WIDE else 0
        spare = width - PLACE_CELLS - recorded - true - change
        least = 1 + len("forbidden" if has_forbidden else "pushed")
        pair = max(min(max(spare // 4, LEAST_PAIR), WIDEST_PAIR, spare - least), 3)
        rest = spare - pair
        said = GAP + len("next, tied")
        if has_heap:
            said = GAP + len("stale:  took ") + NAME_CELLS + digits
            others = len(", others ") + digits
            said += others if rest >= said + others + GAP + LONGEST_BAR else 0
        remark = min(said, rest - GAP - SHORTEST_BAR)
        if remark < GAP + len("next, tied"):  # no room for bars
            return cls((pair - 1) // 2, pair, recorded, true, 0, change, rest)
        longest = rest - remark - GAP
        wider = 1 if longest > SHORTEST_BAR else 0  # a second blank before the true count
        return cls((pair - 1) // 2, pair, recorded, true + wider, longest - wider, change, remark)


RECORDED, TRUE, COUNT = "recorded", "true", "count"
"""Names of the columns: the count in the entry and that of the pair; COUNT if there is no heap."""


def why_stale(frame: Frame, painter: TokenPainter, entry: QueueEntry, cells: int) -> list[Span]:
    """Return which merge's token took how many occurrences since the count was recorded.

    In few cells it is shorter: `stale: he took 2,450`, `he took 2,450`, `stale`.
    """
    losses = frame.queue.losses(entry)
    stale: list[Span] = [("stale", "stale-truth")]
    if not losses:
        return stale
    most = max(losses, key=lambda loss: loss.taken)
    others = sum(loss.taken for loss in losses) - most.taken
    name = painter.spans(frame.merge_at(most.step - 1).new_id)
    took = f" took {number(most.taken)}"
    more = f", others {number(others)}" if others else ""
    for start, end in (("stale: ", more), ("stale: ", ""), ("", "")):
        room = cells - len(start + took + end)
        if room >= min(spans_width(name), NAME_CELLS):
            shown = without_middle(name, room)
            return [(start, "stale-truth"), *shown, (took + end, "stale-truth")]
    return stale


def entry_table(frame: Frame, painter: TokenPainter, width: int) -> RowTable:
    """Return the table of the entries, with the columns that there is room for."""
    has_heap = not frame.given
    digits = len(number(highest_shown(frame)))
    room = TableRoom.within(width, digits, has_heap, frame.run.record.fork_rules is not None)
    move = frame.queue.moves()[frame.moves_done - 1] if frame.moves_done else None
    is_push = move is not None and move.move in (Move.PUSH, Move.PUSH_BACK)
    pushed = move.pair if move is not None and is_push else None
    scale = max(highest_shown(frame), 1)

    def place(placed: RankedEntry) -> list[Span]:
        is_next = placed[1].pair == frame.next_pair
        return [("▸" if is_next else " ", "pair"), right(str(placed[0] or ""), 3, "dim")]

    def pair(placed: RankedEntry) -> list[Span]:
        first, second = placed[1].pair
        spans = without_middle(painter.spans(first), room.first)
        return [
            *right_aligned(spans, room.first),
            BETWEEN_PAIR,
            *without_middle(painter.spans(second), room.pair - room.first - 1),
        ]

    def recorded(placed: RankedEntry) -> list[Span]:
        return [(number(placed[1].recorded), "stale" if placed[1].stale else "")]

    def true(placed: RankedEntry) -> list[Span]:
        return [(number(placed[1].count), "strong" if placed[1].stale else "")]

    def length(placed: RankedEntry) -> list[Span]:
        """Return the true count as a bar, then a trace up to a stale entry's claim."""
        entry = placed[1]
        body = bar(entry.count / scale, room.bar)
        claimed = trace(entry.recorded / scale, room.bar, body)
        role = "pair" if entry.pair == frame.next_pair else "border"
        return [("  ", ""), (body, role), (claimed, "stale-truth")]

    def change(placed: RankedEntry) -> list[Span]:
        delta = placed[1].delta
        return [(signed(delta) if delta else "", "gain" if delta > 0 else "loss")]

    def remark(placed: RankedEntry) -> list[Span]:
        entry = placed[1]
        if entry.pair == pushed:
            said: list[Span] = [("pushed", "fresh")]
        elif entry.forbidden:
            said = [("forbidden", "stale-truth")]
        elif entry.stale:
            said = why_stale(frame, painter, entry, room.remark - GAP)
        elif entry.pair == frame.next_pair:
            has_room = entry.tied and room.remark - GAP >= len("next, tied")
            said = [("next, tied" if has_room else "next", "pair")]
        elif entry.tied:
            said = [("tied", "tie")]
        else:
            said = [] if room.change else change(placed)
        return [(" " * min(GAP, max(room.remark - spans_width(said), 1)), ""), *said]

    columns = [
        RowColumn("", PLACE_CELLS, place),
        RowColumn(" " * max(room.first - 3, 0) + "pair", room.pair, pair),
    ]
    if has_heap:
        columns.append(RowColumn(RECORDED, room.recorded, recorded, is_number=True))
    columns.append(RowColumn(TRUE if has_heap else COUNT, room.true, true, is_number=True))
    if room.bar:
        columns.append(RowColumn("", room.bar + GAP, length))
    if room.change:
        columns.append(RowColumn("change", room.change, change, is_number=True))
    return RowTable([*columns, RowColumn("", room.remark, remark)], width, least=8)
