"""What did this step do, and by which arithmetic?"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp

from bpe_tui.unigram.narration import count_text, percent, score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, PiecePanel, loss_row
from bpe_tui.views.panel import ToPiece
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowsOnDemand, Span, left, paragraph, right
from engine.unigram.changes import CountChanges, count_changes, m_step
from engine.unigram.frame import UnigramFrame
from engine.unigram.record import EmStep, Pruned, PruneRule, PruneStep

# Which pieces does a prune take away, and what stands in for each?

INCREASE_CELLS = 11


def prune_rows(
    frame: UnigramFrame, step: PruneStep, width: int, *, has_room: bool
) -> Sequence[Row]:
    pruned = step.pruned
    top = [
        loss_row(frame),
        *paragraph(
            f"{number(step.size_before)} → {number(step.size_after)} pieces: "
            f"{number(len(pruned))} removed{_unused(pruned)}",
            width,
        ),
        *([*paragraph(RULES[step.rule], width, "dim"), Row([])] if has_room else []),
        Row([*left([("piece → instead", "dim")], width - INCREASE_CELLS), _increase_head()]),
    ]
    earlier = PiecePainter(frame.at(frame.step - 1))

    def row(index: int) -> Row:
        if index < len(top):
            return top[index]
        piece = pruned[index - len(top)]
        other = earlier.frame.alternative(piece.text)
        instead = earlier.cut(piece.text, other.edges) if other is not None else []
        spans: list[Span] = [
            (earlier.piece(piece.number)[0], "stale"),
            (" → ", "dim"),
            *((text, "" if role == "stale" else role) for text, role in instead),
        ]
        return Row([*left(spans, width - INCREASE_CELLS), _increase(piece.loss_increase)])

    return RowsOnDemand(len(top) + len(pruned), row)


def _unused(pruned: Sequence[Pruned]) -> str:
    unused = sum(not piece.loss_increase for piece in pruned)
    return f", {number(unused)} of them unused" if unused else ""


def _increase_head() -> Span:
    return right("loss", INCREASE_CELLS, "dim")


def _increase(increase: float) -> Span:
    """What a removal was expected to cost; nothing, where no best segmentation used the piece."""
    if not increase:
        return right("unused", INCREASE_CELLS, "dim")
    return right(("+" if increase > 0 else "") + score_text(increase, 6), INCREASE_CELLS)


RULES = {
    PruneRule.LOSS: "Those go whose removal was expected to raise the loss least; first those that "
    "no best segmentation uses.",
    PruneRule.SCORE: "The last prune: the least probable go, down to the size asked for.",
}


ROOMY = 9
"""From more rows than this there is room to say by which rule a prune chooses."""
COUNT_CELLS = 10


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
        """The arithmetic is at another piece now."""
        if self.frame is not None and isinstance(self.frame.came_by, EmStep):
            self._rows = self.rows_of(self.frame, self.room)
        super().watch_cursor()

    def _em_rows(self, frame: UnigramFrame, step: EmStep, width: int) -> Sequence[Row]:
        changes = count_changes(frame)
        top = [
            loss_row(frame),
            Row([(_vanished(step), "")]),
            Row([]),
            *self._arithmetic(frame, changes, width),
            Row([]),
            _change_header(width),
        ]
        painter = PiecePainter(frame)

        def row(index: int) -> Row:
            if index < len(top):
                return top[index]
            return _change_row(painter, changes, index - len(top), width)

        return RowsOnDemand(len(top) + len(changes.numbers), row)

    def _arithmetic(self, frame: UnigramFrame, changes: CountChanges, width: int) -> list[Row]:
        """E and M for the piece under the cursor, or for the one that changed most."""
        place = max(self.cursor - EM_TOP, 0)
        while place < len(changes.numbers):
            piece = int(changes.numbers[place])
            if (made := m_step(frame, piece)) is not None:
                break
            place += 1
        else:
            return [Row([]) for _ in range(ARITHMETIC_ROWS)]
        text, role = PiecePainter(frame).piece(piece)
        return [
            Row(
                [
                    ("E  ", "strong"),
                    (text, role),
                    (f" is used {count_text(made.expected)} times on average,", ""),
                ]
            ),
            Row([(f"   all pieces together {count_text(made.total)} times", "")]),
            Row(
                [
                    ("M  ", "strong"),
                    (
                        f"score = ψ({count_text(made.expected)}) − ψ({count_text(made.total)})",
                        "",
                    ),
                ]
            ),
            Row(
                [
                    (
                        f"   = {score_text(made.digamma_of_expected, 3)} − "
                        f"{score_text(made.digamma_of_total, 3)} = {score_text(made.score, 3)}, "
                        f"P = {percent(exp(made.score))}",
                        "",
                    )
                ]
            ),
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
        return f"{number(step.size_after)} pieces, none too rare to keep"
    return (
        f"{number(step.size_before)} → {number(step.size_after)} pieces: "
        f"{number(gone)} too rare (under ½)"
    )


def _change_header(width: int) -> Row:
    return Row(
        [
            *left([("expected counts", "dim")], _piece_cells(width)),
            right("before", COUNT_CELLS, "dim"),
            right("after", COUNT_CELLS, "dim"),
        ]
    )


def _change_row(painter: PiecePainter, changes: CountChanges, place: int, width: int) -> Row:
    piece = int(changes.numbers[place])
    before, after = float(changes.before[place]), float(changes.after[place])
    is_gone = painter.frame.index_of(piece) is None
    text, role = painter.piece(piece)
    role_after = "stale-truth" if is_gone else "gain" if after > before else "loss"
    return Row(
        [
            *left([(text, "stale" if is_gone else role)], _piece_cells(width)),
            right(count_text(before), COUNT_CELLS),
            right("gone" if is_gone else count_text(after), COUNT_CELLS, role_after),
        ],
        ToPiece(piece),
    )


def _piece_cells(width: int) -> int:
    return max(width - 2 * COUNT_CELLS, 6)
