"""Which pieces does a prune take away, and what stands in for each?"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_tui.unigram.numbers import score_text
from bpe_tui.unigram.panels.piece_panel import PiecePainter, loss_row
from bpe_tui.widgets.columns import left, paragraph, right
from bpe_tui.widgets.lines import Row, RowsOnDemand, Span
from bpe_tui.widgets.visible import number
from engine.unigram.events import Pruned, PruneRule, PruneStep
from engine.unigram.frame import UnigramFrame

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
