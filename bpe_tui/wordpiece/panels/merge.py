"""The panel of the merge: its score worked out, what lost to it, the counts that it changed."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.views.narration import first_fitting
from bpe_tui.views.targets import ToPair, ToToken
from bpe_tui.views.training_panels import (
    ChangedCount,
    change_columns,
    describe_occurrences,
    merge_row,
)
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowTable, left, paragraph, right
from bpe_tui.widgets.visible import visible_bytes
from bpe_tui.wordpiece.narration import why_lost
from bpe_tui.wordpiece.panels.training import HUGGING_FACE, PiecePainter, PiecePanel
from engine.wordpiece.frame import WordPieceFrame
from engine.wordpiece.record import WordPieceStep
from engine.wordpiece.score import ScoredPair, score_text

RUNNERS_UP = 4
"""Rows about those that nearly won, the tie rule's included."""
CHANGES_SHOWN = 500
NOTE_CELLS = 6
FORMULAS = (
    "score(a, b) = count(ab) / (count(a) · count(b))",
    "count(ab) / (count(a) · count(b))",
)
SCORE_CELLS = 10


class ScoreMergePanel(PiecePanel):
    """The merge: its score worked out, the runners-up, what counts alone would have taken."""

    ID = "merge"
    WIDEST = 64

    def rows_of(self, frame: WordPieceFrame, width: int) -> list[Row]:
        merge = frame.merge
        if merge is None:
            self.say("merge")
            return _start_rows(frame, width)
        self.say(f"merge {number(frame.step)}", "↵ where a pair merges")
        painter = self.painter(frame)
        earlier = frame.at(frame.step - 1)
        return [
            merge_row(painter, merge),
            *paragraph(describe_occurrences(merge, "word"), width),
            Row([]),
            *_arithmetic(frame, merge, width),
            Row([]),
            *_runners_up(painter, earlier, merge, width),
            Row([]),
            *_by_count(painter, earlier, merge, width),
            Row([]),
            *_changes(painter, merge, width),
        ]


def _start_rows(frame: WordPieceFrame, width: int) -> list[Row]:
    return [
        *paragraph(
            f"Step 0: every word is in single characters, those inside of it behind ##: "
            f"{plural(frame.first_id - len(frame.special_tokens), 'piece')}. The pair with the "
            "highest score merges, which is not the most frequent one:",
            width,
        ),
        Row([]),
        Row([(first_fitting(width, *FORMULAS), "strong")]),
        Row([]),
        *paragraph(
            "It is high where a and b stand together more often than chance would have it: "
            "pointwise mutual information without the logarithm. → makes the first merge.",
            width,
        ),
        Row([]),
        *paragraph(f"{': '.join(HUGGING_FACE)}. Here is the algorithm of its course.", width),
    ]


def _arithmetic(frame: WordPieceFrame, merge: WordPieceStep, width: int) -> Iterator[Row]:
    """The score with names, with numbers, and what it comes to."""
    a, b = (visible_bytes(frame.any_token(piece)) for piece in merge.pair)
    score = merge.score
    named = first_fitting(
        width - 6,
        f"= count({a} {b}) / (count({a}) · count({b}))",
        "= count(ab) / (count(a) · count(b))",
        "= ab / (a · b)",
    )
    yield Row([("score ", "strong"), (named, "dim")])
    yield Row([(f"      = {score}", "")])
    product = f"{number(score.count)} / {number(score.left * score.right)} = "
    yield Row([(f"      = {product}", ""), (score_text(score.value), "pair")])


def _runners_up(
    painter: PiecePainter, earlier: WordPieceFrame, merge: WordPieceStep, width: int
) -> Iterator[Row]:
    """The pairs of the next highest scores, and the rule where they were tied."""
    best = earlier.top_pairs(RUNNERS_UP + 1)
    others = [scored for scored in best if scored.pair != merge.pair]
    if not others:
        yield Row([("No other pair could have merged.", "dim")])
        return
    rule = earlier.tie_rule
    said = f"Tie rule {rule.name}: {rule.summary}."
    decided = paragraph(said, width, "tie") if others[0].tied else []
    yield Row([("runners-up", "dim")])
    for scored in others[: max(RUNNERS_UP - len(decided), 1)]:  # what follows keeps its place
        yield _scored_row(painter, scored, width)
    yield from decided


def _scored_row(painter: PiecePainter, scored: ScoredPair, width: int) -> Row:
    fraction = f"{scored.score}"
    cells = max(width - len(fraction) - SCORE_CELLS - 3, 7)
    return Row(
        [
            *left(painter.pair(scored.pair), cells),
            (f" {fraction}", ""),
            right(score_text(scored.score.value), SCORE_CELLS, "tie" if scored.tied else ""),
            (" =" if scored.tied else "", "tie"),
        ],
        ToPair(scored.pair),
    )


def _by_count(
    painter: PiecePainter, earlier: WordPieceFrame, merge: WordPieceStep, width: int
) -> Iterator[Row]:
    """What BPE would have merged here, and why it lost."""
    frequent = earlier.most_frequent
    assert frequent is not None, "a pair merged, so there was one"
    if frequent.pair == merge.pair:
        yield from paragraph("BPE would have merged the same pair: none is more frequent.", width)
        return
    yield Row([("by count alone, as BPE chooses", "dim")])
    yield _scored_row(painter, frequent, width)
    yield from paragraph(why_lost(painter.frame, frequent, merge.score), width)


def _changes(painter: PiecePainter, merge: WordPieceStep, width: int) -> Iterator[Row]:
    """The counts of parts, then of pairs, before → after."""
    changes = merge.changes
    # No count is ever higher than the highest of a piece at step 0: the columns stand still.
    table = RowTable(change_columns(painter.frame.highest_count, NOTE_CELLS), width, least=7)
    yield Row([("counts of the parts and of the new piece", "dim")])
    for piece, before, after in merge.piece_changes:
        spans, is_new = painter.spans(piece), piece == merge.new_id
        yield table.row(ChangedCount(spans, before, after, is_new), ToToken(piece))
    yield Row([("counts of pairs", "dim")])
    for pair, before, after in changes[:CHANGES_SHOWN]:
        spans, is_new = painter.pair(pair), merge.new_id in pair
        yield table.row(ChangedCount(spans, before, after, is_new), ToPair(pair))
    if len(changes) > CHANGES_SHOWN:
        yield Row([(f"and {number(len(changes) - CHANGES_SHOWN)} more", "dim")])
