"""The heap as an array and as a tree: the same entry at the same index in both."""

from __future__ import annotations

from bpe_tui.views.pieces import TokenPainter
from bpe_tui.views.targets import ToPair
from bpe_tui.widgets.columns import left
from bpe_tui.widgets.lines import Row, Span
from bpe_tui.widgets.visible import number, plural
from engine.bpe.frame import Frame
from engine.bpe.heap_walk import HeapMove, Move
from engine.bpe.pair_queue import QueueEntry

SHOWN = 127
"""Entries of the array that are shown: seven levels of the tree."""
TREE_LEVELS = 5
CELL = 24
"""Cells that an entry of the array takes."""
SIDE_BY_SIDE = 100
"""From so many cells on, tree and array stand beside each other."""
MOVES_SHOWN = 6


def array_rows(frame: Frame, painter: TokenPainter, width: int) -> list[Row]:
    """The moves of the next merge, and the array, several entries a row."""
    if width >= SIDE_BY_SIDE:
        return _beside_the_tree(frame, painter, width)
    entries = frame.queue.array(SHOWN, frame.moves_done)
    a_row = max(width // CELL, 1)
    rows = []
    for start in range(0, len(entries), a_row):
        spans: list[Span] = []
        for entry in entries[start : start + a_row]:
            spans += left([(f"{entry.place:>3} ", "dim"), *_entry(painter, entry)], CELL)
        rows.append(Row(spans))
    return [*_move_rows(frame, painter), Row([]), *rows]


def tree_rows(frame: Frame, painter: TokenPainter, width: int) -> list[Row]:
    """The upper levels of the tree, children under their parent."""
    if width >= SIDE_BY_SIDE:
        return _beside_the_tree(frame, painter, width)
    entries = frame.queue.array((1 << TREE_LEVELS) - 1, frame.moves_done)
    rows: list[Row] = []

    def grow(place: int, trunk: str, branch: str) -> None:
        if place >= len(entries):
            return
        entry = entries[place]
        label = (f"{place} ", "dim")
        spans = [(trunk + branch, "border"), label, *_entry(painter, entry)]
        rows.append(Row(spans, ToPair(entry.pair)))
        trunk += {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        has_sibling = 2 * place + 2 < len(entries)
        grow(2 * place + 1, trunk, "├─ " if has_sibling else "└─ ")
        grow(2 * place + 2, trunk, "└─ ")

    grow(0, "", "")
    return rows


def _beside_the_tree(frame: Frame, painter: TokenPainter, width: int) -> list[Row]:
    """Tree and array beside each other."""
    half = width // 2 - 1
    trees, arrays = tree_rows(frame, painter, half), array_rows(frame, painter, half)
    rows = []
    for place in range(max(len(trees), len(arrays))):
        tree = trees[place] if place < len(trees) else Row([])
        array = arrays[place] if place < len(arrays) else Row([])
        rows.append(Row([*left(tree.spans, half), ("│ ", "border"), *array.spans], tree.target))
    return rows


def _entry(painter: TokenPainter, entry: QueueEntry) -> list[Span]:
    spans: list[Span] = [
        *painter.pair(entry.pair, between="│"),
        (f" {number(entry.recorded)}", "stale" if entry.stale else ""),
    ]
    if entry.stale:
        spans.append((f" ✗{number(entry.count)}", "stale-truth"))
    return spans


def _move_rows(frame: Frame, painter: TokenPainter) -> list[Row]:
    """The moves of the next merge, with how far they are; before the first, how to make it."""
    moves = frame.queue.moves()
    if not moves:
        return [Row([("No merge follows: nothing moves.", "dim")])]
    done = frame.moves_done
    head = f"next: {plural(len(moves), 'move')}" + ("" if done else " (key . makes them)")
    rows = [Row([(head, "dim")])]
    first = max(0, min(done - MOVES_SHOWN // 2, len(moves) - MOVES_SHOWN))
    for place, move in enumerate(moves[first : first + MOVES_SHOWN], first + 1):
        rows.append(_move_row(painter, move, place, done))
    return rows


def _move_row(painter: TokenPainter, move: HeapMove, place: int, done: int) -> Row:
    says = {
        Move.POP_STALE: f"is stale, really {number(move.true)}",
        Move.PUSH_BACK: f"back with {number(move.true)}",
        Move.POP: "is true: it merges",
        Move.PUSH: "new",
    }
    verb = "pop " if move.move in (Move.POP, Move.POP_STALE) else "push"
    spans: list[Span] = [
        ("▸ " if place == done else "  ", "pair"),
        (f"{verb} ", "strong" if place == done else "dim"),
        *painter.pair(move.pair, between="│"),
        (f" {number(move.claimed)} ", ""),
        (says[move.move], "stale-truth" if move.move is Move.POP_STALE else "dim"),
    ]
    return Row(spans if place <= done else [(text, "dim") for text, _ in spans], ToPair(move.pair))
