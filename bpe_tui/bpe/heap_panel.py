"""The panel of the heap: its table, array and tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from textual import events

from bpe_tui.bpe.narration import why_no_heap
from bpe_tui.panels.heap_table import EntryTable, LinePart, TableLine
from bpe_tui.shell.panel import HIDDEN, Panel, TokenPainter, sentence
from bpe_tui.shell.targets import ToPair
from bpe_tui.widgets.language import listed, plural, tr
from bpe_tui.widgets.lines import ShownInRows
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, spans_width, wrapped
from bpe_tui.widgets.textual_private import do_after
from bpe_tui.words.narration import NO_CORPUS
from engine.bpe.frame import Frame
from engine.bpe.heap_replay import HeapMove
from engine.bpe.pair_queue import QueueEntry
from engine.bpe.trainers.pseudocode import Move

ARRAY_SHOWN = 127
"""Number of array entries shown: seven levels of the tree."""
TABLE_SHOWN = 200
CELL = 28
"""Width of one entry of the array, in cells."""
MOVES_SHOWN = 6
HIDDEN_SHOWN = 24
"""Number of entries shown while the merges to come are hidden."""
SLICE_SECONDS = 0.02
"""Time for one slice of replaying the heap to a distant step."""
ROOMY = 44
"""Least width, in cells, for the names of the views in their order."""


SAYS = {
    Move.POP_STALE: "is stale, true {n}",
    Move.PUSH_BACK: "back with {n}",
    Move.POP: "is true: it merges",
    Move.PUSH: "new",
}
TABLE = "table"
"""The first view."""


def array_rows(frame: Frame, painter: TokenPainter, width: int) -> list[Row]:
    """Return the moves of the next merge, then the array with several entries a row."""
    moves, done = frame.queue.moves(), frame.moves_done
    if moves:
        head = tr("next: {moves}", moves=plural(len(moves), "move"))
        rows = [Row([(head, "dim")])]
        first = max(0, min(done - MOVES_SHOWN // 2, len(moves) - MOVES_SHOWN))
        for place, move in enumerate(moves[first : first + MOVES_SHOWN], first + 1):
            rows.append(_move_row(painter, move, place, done))
    else:
        rows = [Row([(tr("No merge follows: nothing moves."), "dim")])]
    rows.append(Row([]))
    entries = frame.queue.array(ARRAY_SHOWN, done)
    a_row = max(width // CELL, 1)
    for start in range(0, len(entries), a_row):
        spans: list[Span] = []
        for entry in entries[start : start + a_row]:
            spans += left([(f"{entry.position:>3} ", "dim"), *_entry(painter, entry)], CELL)
        rows.append(Row(spans))
    return rows


def tree_rows(frame: Frame, painter: TokenPainter, width: int) -> list[Row]:
    """Return each entry with its two children, `1 ·+t 4,111  ├3 t+h 3,389  └4 ·+s 2,649`."""
    entries = frame.queue.array(ARRAY_SHOWN, frame.moves_done)
    cell = width // 3
    rows = []
    for place in range(max(len(entries) // 2, 1)):
        spans: list[Span] = []
        for branch, each in zip(" ├└", (place, 2 * place + 1, 2 * place + 2), strict=True):
            if each < len(entries):
                named = [(branch, "border"), (f"{each} ", "dim"), *_entry(painter, entries[each])]
                if entries[each].stale and spans_width(named) >= cell:
                    named.pop()
                if spans_width(named) > cell:  # a count is wanted more than its place
                    del named[1]
                spans += left(named, cell)
        rows.append(Row(spans, ToPair(entries[place].pair)))
    return rows


def _entry(painter: TokenPainter, entry: QueueEntry) -> list[Span]:
    spans: list[Span] = [
        *painter.pair(entry.pair),
        (" ", ""),
        (number(entry.recorded), "stale" if entry.stale else ""),
    ]
    if entry.stale:
        true = tr("true {n}", n=entry.count)
        spans.append((f" {true}", "stale-truth"))
    return spans


def _move_row(painter: TokenPainter, move: HeapMove, place: int, done: int) -> Row:
    said = tr(SAYS[move.move], n=move.true)
    verb = "pop " if move.move in (Move.POP, Move.POP_STALE) else "push"
    spans: list[Span] = [
        ("▸ " if place == done else "  ", "pair"),
        (f"{tr(verb)} ", "strong" if place == done else "dim"),
        *painter.pair(move.pair),
        (f" {number(move.claimed)} ", ""),
        (said, "stale-truth" if move.move is Move.POP_STALE else "dim"),
    ]
    return Row(spans if place <= done else [(text, "dim") for text, _ in spans], ToPair(move.pair))


class PairsPanel(Panel):
    """The heap as a table of its best entries, as an array, or as a tree.

    In the table a stale entry has the place of the count that it claims.
    """

    COUNTS = True

    ID, SHORT = "pairs", "heap"
    WIDEST = 160
    LEAST_FOR_HEAD = 2

    view: ShownInRows[str] = ShownInRows(TABLE)

    def foot_at(self, row: Row) -> str:
        """Return the foot for the cursor's row: where Enter goes, and the keys of the panel."""
        frame, target = self.frame, row.target
        if frame is None or not isinstance(target, ToPair):
            return self._foot
        merges_at = frame.step_of(target.pair)
        goes = tr("does not merge")
        if merges_at is not None:
            goes = tr("Enter its merge ({n})", n=merges_at)
        others = listed(tr(view) for view in VIEWS if view != self.view)
        return f"{goes} │ w {tr('why')} │ v {others}"

    _row_before = 0
    """The cursor's row before the heap was replayed."""

    _is_in_use = False
    """Whether a row was clicked since the panel has the focus."""

    def on_click(self, event: events.Click) -> None:
        self._is_in_use = True  # Textual calls the base's method, too

    def on_blur(self) -> None:
        self._is_in_use = False

    @property
    def next_view(self) -> str:
        """The view after the present one: table, array, tree."""
        return VIEWS[(VIEWS.index(self.view) + 1) % len(VIEWS)]

    def turn(self) -> None:
        self.view = self.next_view

    def watch_frame(self, old: Frame | None, new: Frame | None) -> None:
        super().watch_frame(old, new)
        if new is None or self.view != TABLE:
            return
        if new.moves_done:
            # Scroll to the entry that was pushed; a popped one was at the top.
            target = ToPair(new.queue.moves()[new.moves_done - 1].pair)
            places = (place for place in range(self.row_count) if self.row(place).target == target)
            last = max(places, default=0)
            self.scroll_to_row(last)
            self.cursor = last
        elif old is None or old.step != new.step:
            self._show_next(new)

    def on_resize(self) -> None:  # Textual calls the base's method, too
        self.call_after_refresh(self._show_next, self.frame)

    def _show_next(self, frame: Frame | None) -> None:
        """Scroll to the pair that merges next, since stale entries may come before it.

        The panel does not scroll while its own cursor is in use.
        """
        if frame is None or self.view != TABLE or self.hides_next:
            return
        if self.has_focus and (self.cursor or self._is_in_use):
            return
        if frame.queue.prepare(0) < 1:
            return  # `_go_on` scrolls once the heap is replayed
        entries = frame.queue.entries(TABLE_SHOWN)
        lines = EntryTable(frame, self.painter(frame), self.room).lines(entries)
        pairs, row = [entry.pair for entry in entries], 0
        if frame.next_pair in pairs:
            row = lines.index(TableLine(pairs.index(frame.next_pair), LinePart.OWN))
        below = row + 2 + self.head_height - self.size.height
        self.scroll_to(y=below, animate=False, immediate=True)

    def rows_of(self, frame: Frame, width: int) -> Sequence[Row]:
        queue = frame.queue
        names = list(VIEWS)
        if width < ROOMY:  # the present one comes first, as the last ones may be cut
            place = names.index(self.view)
            names = [*names[place:], *names[:place]]
        views = " │ ".join(f"[{tr(each)}]" if each == self.view else tr(each) for each in names)
        if coming := self._replaying(queue.prepare(SLICE_SECONDS)):
            self.say(tr("heap"), f"v  {views}")
            return coming
        if frame.given:
            title = tr("pairs  {n}", n=number(queue.size))
            self.say(title, f"v  {views}")
        else:
            entries = "heap  {n} entry" if queue.size == 1 else "heap  {n} entries"
            stale = tr("{n} stale", n=queue.stale_count)
            title = tr(entries, n=queue.size)
            title = title if width >= ROOMY else f"{tr('heap')}  {number(queue.size)}"
            self.say(f"{title} │ {stale}", f"v  {views}")
        if not frame.has_corpus:
            return sentence(NO_CORPUS, width)
        if frame.given and frame.merges_nothing:
            template = "No pairs are counted: {n}."
            return sentence(tr(template, n=frame.run.obstacle or "there are no merges"), width)
        if not queue.size:
            return sentence(tr("No pair is left: every pretoken is one token."), width)
        if self.hides_next and not frame.moves_done:
            self.say(title, "")
            return hidden_rows(frame, self.painter(frame), width)
        if self.view != TABLE and (instead := self._instead_of_array(frame)):
            return instead
        painter = self.painter(frame)
        if self.view != TABLE:
            return DRAWN[self.view](frame, painter, width)
        table = EntryTable(frame, painter, width)
        self.name_columns(table.header().spans)
        return table_rows(frame, painter, table)

    def _instead_of_array(self, frame: Frame) -> list[Row]:
        """Return rows for the case that the heap's array does not exist, or not yet."""
        if not frame.run.record.has_heap_array:
            template = "Under {title} the order changes with the corpus: no heap keeps it."
            text = (
                tr(template, title=frame.tie_rule.title)
                if frame.run.record.by_rule
                else why_no_heap(frame)
            )
            return sentence(text, self.room)
        return self._replaying(frame.queue.prepare(SLICE_SECONDS))

    def _replaying(self, done: float) -> list[Row]:
        """Return a row until all of the heap is replayed, and go on with it after other work."""
        if done == 1:
            return []
        self._row_before = max(self.cursor, self._row_before)  # there is one row until then
        do_after(SLICE_SECONDS, self, self._go_on)
        return [Row([(tr("Replaying the heap: {done}", done=f"{done:.0%}"), "dim")])]

    def _go_on(self) -> None:
        self.cursor, self._row_before = self._row_before or self.cursor, 0
        self.rebuild()
        self._show_next(self.frame)


def hidden_rows(frame: Frame, painter: TokenPainter, width: int) -> list[Row]:
    """Return the best entries without their counts, in an order that does not tell the winner."""
    entries = frame.queue.entries(HIDDEN_SHOWN)
    pairs = sorted((entry.pair for entry in entries), key=lambda p: tuple(map(frame.any_token, p)))
    words = [[*painter.pair(pair), ("   ", "")] for pair in pairs]
    rows = [Row(line) for line in wrapped(words, width)]
    return [*sentence(tr(HIDDEN), width), Row([]), *rows]


def table_rows(frame: Frame, painter: TokenPainter, table: EntryTable) -> Sequence[Row]:
    """Return the best entries, one a row; between two merges, the last move comes first."""
    entries = frame.queue.entries(TABLE_SHOWN, frame.moves_done)
    top = []
    if frame.moves_done:
        move = frame.queue.moves()[frame.moves_done - 1]
        top.append(_move_row(painter, move, frame.moves_done, frame.moves_done))
    lines = table.lines(entries)

    return RowsOnDemand(len(lines), lambda row: table.row(entries, lines[row]), top=top)


DRAWN: dict[str, Callable[[Frame, TokenPainter, int], Sequence[Row]]] = {
    "array": array_rows,
    "tree": tree_rows,
}
VIEWS = TABLE, *DRAWN
