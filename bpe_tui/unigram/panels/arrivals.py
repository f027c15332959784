"""Which piece arrives best at this node, and which way leads back from the end?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bpe_tui.unigram.numbers import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter
from bpe_tui.unigram.panels.walkthrough import WalkPanel, Walkthrough
from bpe_tui.widgets.columns import left, paragraph, right
from bpe_tui.widgets.lines import Row
from bpe_tui.widgets.visible import MINUS, plural, visible_text
from engine.unigram.encoder import Arrival, Reached

SUM_CELLS = 24
REMARK_CELLS = 8


class ArrivalsPanel(WalkPanel):
    """The Viterbi algorithm at one node: every piece that ends there, and the one that is kept."""

    NOTHING_TYPED = "Here → looks for the best way to cut the pretoken, piece by piece."

    def __init__(self) -> None:
        super().__init__("Viterbi", id="arrivals")

    def rows_of(self, frame: object, width: int) -> Sequence[Row]:
        if none := self.why_none(width):
            self.say("Viterbi")
            return none
        walk, place = self.walk, self.place
        assert walk is not None
        total = len(walk.steps)
        self.say(f"Viterbi  step {place} of {total}", "→ next  ← back  space plays")
        if not place:
            return [
                *paragraph("Node 0 is the empty beginning: its score is 0.", width),
                Row([]),
                *paragraph("→ goes to node 1 and asks which piece arrives best.", width, "dim"),
            ]
        if (reached := walk.arrivals(place)) is not None:
            return list(_arrival_rows(walk, reached, width))
        return list(_way_back_rows(walk, place, width))


def _arrival_rows(walk: Walkthrough, reached: Reached, width: int) -> Iterator[Row]:
    arrive = plural(len(reached.arrivals), "piece")
    verb = "ends" if len(reached.arrivals) == 1 else "end"
    yield Row([(f"Node {reached.node}: {arrive} {verb} here", "strong")])
    for arrival in sorted(reached.arrivals, key=lambda arrival: -arrival.score):
        yield _arrival_row(walk, reached, arrival, width)


def _arrival_row(walk: Walkthrough, reached: Reached, arrival: Arrival, width: int) -> Row:
    edge, is_kept = arrival.edge, arrival == reached.best
    before = arrival.score - edge.score
    text = visible_text(walk.word[edge.start : edge.end])
    behind = reached.best.score - arrival.score
    remark = "kept" if is_kept else f"{MINUS}{behind:.2f}" if behind > 0 else "tie"
    addition = (
        f"{score_text(before)} {MINUS if edge.score <= 0 else '+'} {abs(edge.score):.2f} "
        f"= {score_text(arrival.score)}"
    )
    piece_cells = max(width - SUM_CELLS - REMARK_CELLS - 6, 4)
    return Row(
        [
            ("▸ " if is_kept else "  ", "gain"),
            *left([(text, PiecePainter(walk.frame).role(edge.piece))], piece_cells),
            right(f"{edge.start}:", 4, "dim"),
            right(addition, SUM_CELLS),
            right(remark, REMARK_CELLS, "gain" if is_kept else "loss"),
        ]
    )


def _way_back_rows(walk: Walkthrough, place: int, width: int) -> Iterator[Row]:
    painter, taken = PiecePainter(walk.frame), walk.taken(place)
    is_over = not taken[-1].start
    said = "The best path" if is_over else f"Back to node {taken[-1].start}"
    yield from paragraph(f"{said}: the kept pieces, followed from the end", width, "strong")
    cut = painter.cut(walk.word, reversed(taken))
    start = visible_text(walk.word[: taken[-1].start])
    yield Row(left([(start, "dim"), *([("┊", "cut")] if start else []), *cut], width))
    yield Row([])
    for edge in taken:
        text = visible_text(walk.word[edge.start : edge.end])
        piece_cells = max(width - 26, 6)
        yield Row(
            [
                right(f"{edge.end} → {edge.start}", 9, "dim"),
                ("  ", ""),
                *left([(text, painter.role(edge.piece))], piece_cells),
                right(score_text(edge.score), 8),
            ]
        )
    if is_over:
        yield Row([right(f"score {score_text(walk.best.score)}", max(width - 7, 10), "pair")])
