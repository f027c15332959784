"""The panel of the step: the seed, the arithmetic of an EM iteration, or a prune."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from bpe_tui.unigram.narration import cost_text, count_text, percent, score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel, loss_row
from bpe_tui.views.narration import first_fitting
from bpe_tui.views.targets import ToPiece
from bpe_tui.widgets.numbers import bar, bar_room, number, plural, scale_of
from bpe_tui.widgets.rows import (
    Row,
    RowColumn,
    RowsOnDemand,
    RowTable,
    Span,
    left,
    paragraph,
    right,
)
from engine.unigram.changes import CountChanges, count_changes, m_step
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import EmStep, Pruned, PruneRule, PruneStep

INCREASE_CELLS = 11
PIECE_CELLS = 22
"""What a piece and its stand-in keep for themselves before there are bars."""


def prune_rows(
    frame: UnigramFrame, step: PruneStep, width: int, *, has_room: bool
) -> Sequence[Row]:
    """Which pieces a prune takes away, and what stands in for each.

    `has_room` is whether it can be said by which rule they are chosen.
    """
    pruned = step.pruned
    bar_cells = bar_room(width - PIECE_CELLS - INCREASE_CELLS)
    piece_cells = width - INCREASE_CELLS - (bar_cells + 2 if bar_cells else 0)
    scale = scale_of(max((piece.loss_increase for piece in pruned), default=0.0))
    top = [
        loss_row(frame),
        *paragraph(
            f"{number(step.size_before)} → {plural(step.size_after, 'piece')}: "
            f"{number(len(pruned))} removed{_unused(pruned)}",
            width,
        ),
        *([*paragraph(RULES[step.rule], width, "dim"), Row([])] if has_room else []),
        Row(
            [
                *left([("piece → instead", "dim")], piece_cells),
                right("loss", INCREASE_CELLS, "dim"),
            ]
        ),
    ]
    earlier = PiecePainter(frame.at(frame.step - 1))

    def row(place: int) -> Row:
        piece = pruned[place]
        other = earlier.frame.alternative(piece.text)
        instead = earlier.cut(piece.text, other.edges) if other is not None else []
        spans: list[Span] = [
            (earlier.piece(piece.number)[0], "stale"),
            (" → ", "dim"),
            *((text, "" if role == "stale" else role) for text, role in instead),
        ]
        length = bar(piece.loss_increase / scale, bar_cells)
        return Row(
            [*left(spans, piece_cells), _increase(piece.loss_increase), (f"  {length}", "border")]
        )

    return RowsOnDemand(len(pruned), row, top)


def _unused(pruned: Sequence[Pruned]) -> str:
    unused = sum(not piece.loss_increase for piece in pruned)
    return f", {number(unused)} of them unused" if unused else ""


def _increase(increase: float) -> Span:
    """What a removal was expected to cost; nothing, where no best segmentation used the piece."""
    if not increase:
        return right("unused", INCREASE_CELLS, "dim")
    return right(("+" if increase > 0 else "") + cost_text(increase), INCREASE_CELLS)


RULES = {
    PruneRule.LOSS: "Those go whose removal was expected to raise the loss least; first those that "
    "no best segmentation uses.",
    PruneRule.SCORE: "The last prune: the least probable go, down to the size asked for.",
}


ROOMY = 9
"""From more rows than this there is room to say by which rule a prune chooses."""


class StepPanel(PiecePanel):
    """The step in numbers: an EM iteration with its arithmetic for one piece, or a prune.

    The arithmetic is that of the piece under the cursor.
    """

    ID = "step"
    WIDEST = 100

    def rows_of(self, frame: UnigramFrame, width: int) -> Sequence[Row]:
        step = frame.came_by
        if step is None:
            self.say("seed")
            return _seed_rows(frame, width)
        if isinstance(step, EmStep):
            self.say(
                f"EM {step.iteration + 1} of round {step.round + 1}",
                "↑ ↓ whose arithmetic · ↵ the piece",
            )
            return self._em_rows(frame, step, width)
        self.say(f"prune {step.round + 1}", "what stands in for each")
        return prune_rows(frame, step, width, has_room=self.size.height > ROOMY)

    def watch_cursor(self) -> None:
        """Work out the arithmetic of the piece that the cursor is on now."""
        if self.frame is not None and isinstance(self.frame.came_by, EmStep):
            self._rows = self.rows_of(self.frame, self.room)
        super().watch_cursor()

    def _em_rows(self, frame: UnigramFrame, step: EmStep, width: int) -> Sequence[Row]:
        changes = count_changes(frame)
        painter = PiecePainter(frame)
        table = RowTable(_count_columns(painter), width, least=6)
        top = [
            loss_row(frame),
            Row([(_vanished(step), "")]),
            Row([]),
            *self._arithmetic(painter, changes, width),
            Row([]),
            table.header(),
        ]

        def row(place: int) -> Row:
            piece = int(changes.numbers[place])
            before, after = float(changes.before[place]), float(changes.after[place])
            return table.row((piece, before, after), ToPiece(piece))

        return RowsOnDemand(len(changes.numbers), row, top)

    def _arithmetic(self, painter: PiecePainter, changes: CountChanges, width: int) -> list[Row]:
        """E and M for the piece under the cursor, or for the first after it that is still there."""
        below = changes.numbers[max(self.cursor - EM_TOP, 0) :]
        worked_out = ((piece, m_step(painter.frame, piece)) for piece in map(int, below))
        piece, made = next((found for found in worked_out if found[1] is not None), (0, None))
        if made is None:
            return [Row([]) for _ in range(ARITHMETIC_ROWS)]
        expected, total = count_text(made.expected), count_text(made.total)
        psi = score_text(made.digamma_of_expected, 3), score_text(made.digamma_of_total, 3)
        score, probability = score_text(made.score, 3), percent(exp(made.score))
        result = f"   = {psi[0]} − {psi[1]} = {score}"
        return [
            Row(
                [
                    ("E  ", "strong"),
                    painter.piece(piece),
                    (f" is used {expected} times on average", ""),
                ]
            ),
            Row([(f"   all pieces together {total} times", "")]),
            Row([("M  ", "strong"), (f"score = ψ({expected}) − ψ({total})", "")]),
            Row([(first_fitting(width, f"{result}, P = {probability}", result), "")]),
        ]


ARITHMETIC_ROWS = 4
EM_TOP = 5 + ARITHMETIC_ROWS
"""Rows above the changes of an EM iteration."""


def _seed_rows(frame: UnigramFrame, width: int) -> list[Row]:
    characters = frame.record.characters
    substrings = frame.size - characters
    return [
        *paragraph(
            f"The seed: {plural(characters, 'character')}, and {number(substrings)} substrings "
            "that the pretokens hold more than once. Far too many: what follows gives each a "
            "probability, and takes away what is needed least.",
            width,
        ),
        Row([]),
        *paragraph(
            f"The loss is {score_text(frame.loss, 3)} nats a pretoken: −log P of a pretoken on "
            "average, P being the sum over all its segmentations.",
            width,
        ),
        Row([]),
        *paragraph("→ makes the first iteration of EM.", width, "dim"),
    ]


def _vanished(step: EmStep) -> str:
    gone = step.size_before - step.size_after
    if not gone:
        return f"{plural(step.size_after, 'piece')}, none too rare to keep"
    return (
        f"{number(step.size_before)} → {plural(step.size_after, 'piece')}: "
        f"{number(gone)} too rare (under ½)"
    )


def _count_columns(painter: PiecePainter) -> list[RowColumn]:
    """Pieces with their expected counts before an iteration and after it."""

    def piece(changed: tuple[int, float, float]) -> list[Span]:
        text, role = painter.piece(changed[0])
        return [(text, "stale" if is_gone(changed[0]) else role)]

    def after(changed: tuple[int, float, float]) -> list[Span]:
        number, before, after = changed
        if is_gone(number):
            return [("gone", "stale-truth")]
        return [(count_text(after), "gain" if after > before else "loss")]

    def is_gone(number: int) -> bool:
        return painter.frame.index_of(number) is None

    return [
        RowColumn("expected counts", 0, piece),
        RowColumn("before", 10, lambda changed: [(count_text(changed[1]), "")], is_number=True),
        RowColumn("after", 10, after, is_number=True),
    ]
