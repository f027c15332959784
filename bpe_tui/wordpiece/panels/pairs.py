"""The panel of the pairs with the highest scores, each with its three counts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bpe_tui.views.panel import sentence
from bpe_tui.views.targets import ToPair
from bpe_tui.widgets.bars import bar, bar_room, scale_of
from bpe_tui.widgets.numbers import number, plural, signed
from bpe_tui.widgets.rows import Row, RowColumn, RowsOnDemand, RowTable, Span, right
from bpe_tui.wordpiece.narration import score_text
from bpe_tui.wordpiece.panels.piece_panel import HUGGING_FACE, PiecePainter, PiecePanel
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.score import Score, ScoredPair

SHOWN = 100
WIDE = 58
"""From so many cells on the counts have columns, and the change of the score has one."""
ROOMY = 44
"""From so many cells on there is room for the score's value."""
ROOM_FOR_WORDS = 76
"""From so many cells on it is said in words, too, which pair is next and which are tied."""
PLACE_CELLS, PAIR_CELLS, SCORE_CELLS, CHANGE_CELLS, MARK_CELLS = 6, 11, 10, 7, 5


class ScoresPanel(PiecePanel):
    """The pairs in the order in which they would merge now, each score with its fraction."""

    ID, TITLE = "pairs", "scores"

    def rows_of(self, frame: WordPieceFrame, width: int) -> Sequence[Row]:
        self.say(f"scores  {plural(frame.candidates, 'pair')}", HUGGING_FACE[width < WIDE])
        pairs = frame.top_pairs(SHOWN)
        if not pairs:
            return sentence("No pair is left that stands often enough.", width)
        columns = _columns(frame, self.painter(frame), width, pairs[0].score.value)
        table = RowTable(columns, width, least=7)
        return RowsOnDemand(
            len(pairs),
            lambda place: table.row((place + 1, pairs[place]), ToPair(pairs[place].pair)),
            top=[table.header()],
        )


Placed = tuple[int, ScoredPair]
"""A pair behind its place from 1."""


def _columns(
    frame: WordPieceFrame, painter: PiecePainter, width: int, highest: Fraction
) -> list[RowColumn]:
    is_wide = width >= WIDE
    # Counts only fall, so the widest possible number keeps the columns still for good.
    cells = len(number(frame.highest_count))
    fraction_cells = 3 * cells + (9 if is_wide else 4)  # three counts, what stands between them

    def place(placed: Placed) -> list[Span]:
        place, scored = placed
        return [
            ("▸" if scored.pair == frame.next_pair else " ", "pair"),
            right(str(place), 3, "tie" if scored.tied else "dim"),
            ("= " if scored.tied else "  ", "tie"),
        ]

    def fraction(count: str, left: str, right_: str) -> list[Span]:
        """`ab / (a · b)` in columns, or without its blanks, aligned right."""
        if not is_wide:
            return [right(f"{count}/({left}·{right_})", fraction_cells)]
        return [
            right(count, cells + 1),
            (" / (", "dim"),
            right(left, cells),
            (" · ", "dim"),
            right(right_, cells),
            (")", "dim"),
        ]

    def counts(placed: Placed) -> list[Span]:
        score = placed[1].score
        return fraction(number(score.count), number(score.left), number(score.right))

    def score(placed: Placed) -> list[Span]:
        is_next = placed[1].pair == frame.next_pair
        return [(score_text(placed[1].score.value), "pair" if is_next else "")]

    def change(placed: Placed) -> list[Span]:
        """What the last merge did to the score: it rises where a part has become rarer."""
        if not frame.step:
            return [("", "")]
        before = frame.at(frame.step - 1).score_of(placed[1].pair)
        return [format_change(before, placed[1].score)]

    def mark(placed: Placed) -> list[Span]:
        if placed[1].pair == frame.next_pair:
            return [(" next", "pair")]
        return [(" tied" if placed[1].tied else "", "tie")]

    def length(placed: Placed) -> list[Span]:
        role = "pair" if placed[1].pair == frame.next_pair else "border"
        return [("  ", ""), (bar(float(placed[1].score.value) / scale, bar_cells), role)]

    mark_cells = MARK_CELLS if width >= ROOM_FOR_WORDS else 0
    others = PLACE_CELLS + PAIR_CELLS + fraction_cells + SCORE_CELLS + CHANGE_CELLS + mark_cells
    # Where there is little room the bar gives way, not the fraction.
    bar_cells = bar_room(width - others) if is_wide else 0
    scale = scale_of(float(highest))
    title = "".join(text for text, _ in fraction("ab", "a", "b"))
    columns = [
        RowColumn("", PLACE_CELLS, place),
        RowColumn("pair", 0, lambda placed: painter.pair(placed[1].pair, "│")),
        RowColumn(title, fraction_cells, counts),
    ]
    if width >= ROOMY:
        columns.append(RowColumn("score", SCORE_CELLS, score, is_number=True))
    if bar_cells:
        columns.append(RowColumn("", bar_cells + 2, length))
    if is_wide:
        columns.append(RowColumn("change", CHANGE_CELLS, change, is_number=True))
    if mark_cells:
        columns.append(RowColumn("", mark_cells, mark))
    return columns


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
