"""Which pairs have the highest scores, and of which three counts is each made?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bpe_tui.views.panel import ToPair, sentence
from bpe_tui.widgets.numbers import number, signed
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, right
from bpe_tui.wordpiece.narration import score_text
from bpe_tui.wordpiece.panels.piece_panel import HUGGING_FACE, PiecePainter, PiecePanel
from engine.core.events import Pair
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import Score, ScoredPair

SHOWN = 100
WIDE = 58
"""From so many cells on the counts have columns, and the change of the score has one."""
ROOMY = 44
"""From so many cells on there is room for the score's value."""


class ScoresPanel(PiecePanel):
    """The pairs in the order in which they would merge now, each score with its fraction."""

    ID, TITLE = "pairs", "scores"

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        self.say(f"scores  {number(frame.candidates)} pairs", HUGGING_FACE[width < WIDE])
        pairs = frame.top_pairs(SHOWN)
        if not pairs:
            return sentence("No pair is left that stands often enough.", width)
        table = _Table(self.painter(frame), width, frame.next_pair)
        return RowsOnDemand(
            1 + len(pairs),
            lambda place: table.row(place, pairs[place - 1]) if place else table.header(),
        )


@dataclass(frozen=True)
class _Table:
    painter: PiecePainter
    width: int
    next_pair: Pair | None

    PLACE, SCORE, CHANGE, MARK = 6, 10, 7, 6

    @property
    def count_cells(self) -> int:
        # Counts only fall, so the widest possible number keeps the columns still for good.
        return len(number(self.painter.frame.highest_count))

    @property
    def is_wide(self) -> bool:
        return self.width >= WIDE

    @property
    def fraction_cells(self) -> int:
        """`ab / (a · b)`: three counts, and eight cells between and around them."""
        return 3 * self.count_cells + (8 if self.is_wide else 4)

    @property
    def pair_cells(self) -> int:
        taken = self.PLACE + self.fraction_cells
        if self.width >= ROOMY:
            taken += self.SCORE
        if self.is_wide:
            taken += self.CHANGE + self.MARK
        return max(self.width - taken, 7)

    def header(self) -> Row:
        spans = [(" " * self.PLACE, ""), *left([("pair", "dim")], self.pair_cells)]
        spans += [(text, "dim") for text, _ in self._fraction("ab", "a", "b")]
        if self.width >= ROOMY:
            spans.append(right("score", self.SCORE, "dim"))
        if self.is_wide:
            spans.append(right("change", self.CHANGE, "dim"))
        return Row(spans)

    def row(self, place: int, scored: ScoredPair) -> Row:
        wins = scored.pair == self.next_pair
        score = scored.score
        spans: list[Span] = [
            ("▸" if wins else " ", "pair"),
            right(str(place), 3, "tie" if scored.tied else "dim"),
            ("= " if scored.tied else "  ", "tie"),
            *left(self.painter.pair(scored.pair, "│"), self.pair_cells),
            *self._fraction(number(score.count), number(score.left), number(score.right)),
        ]
        if self.width >= ROOMY:
            spans.append(right(score_text(score.value), self.SCORE, "pair" if wins else ""))
        if self.is_wide:
            change, role = self._change(scored)
            spans += [
                right(change, self.CHANGE, role),
                (" next" if wins else " tied" if scored.tied else "", "pair" if wins else "tie"),
            ]
        return Row(spans, ToPair(scored.pair))

    def _fraction(self, count: str, left_count: str, right_count: str) -> list[Span]:
        """The fraction in columns, or without its blanks, aligned right."""
        if not self.is_wide:
            text = f"{count}/({left_count}·{right_count})"
            return [right(text, self.fraction_cells)]
        return [
            right(count, self.count_cells + 1),
            (" / (", "dim"),
            right(left_count, self.count_cells),
            (" · ", "dim"),
            right(right_count, self.count_cells),
            (")", "dim"),
        ]

    def _change(self, scored: ScoredPair) -> Span:
        """What the last merge did to the score: it rises where a part has become rarer."""
        frame = self.painter.frame
        if not frame.step:
            return "", ""
        before = frame.at(frame.step - 1).score_of(scored.pair)
        return format_change(before, scored.score)


def format_change(before: Score | None, after: Score) -> Span:
    """A score's change in percent: `+25%`; `new` for a pair that was not there."""
    if before is None:
        return "new", "gain"
    share = after.value / before.value - 1
    if not share:
        return "", ""
    if abs(share) < Fraction(1, 200):
        return ("+<1%", "gain") if share > 0 else ("−<1%", "loss")
    return f"{signed(round(100 * share))}%", "gain" if share > 0 else "loss"
