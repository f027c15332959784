"""Rows about a training that removes one n-gram a step: the seed, a removal, one n-gram."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import exp

from bpe_tui.unigram.narration import probability_text, score_text
from bpe_tui.unigram.pieces import PiecePainter, loss_row
from bpe_tui.views.targets import ToPiece
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import (
    Row,
    RowsOnDemand,
    RowTable,
    columns_of_spans,
    left,
    paragraph,
    right,
)
from bpe_tui.widgets.visible import visible_text
from engine.unigram.frame import UnigramFrame, count_changes
from engine.unigram.pieces import UNKNOWN, UNKNOWN_PENALTY, Edge
from engine.unigram.record import PruneStep
from engine.unigram.textbook import TextbookRecord

RULE = (
    "The n-gram goes whose absence raises the loss least; of equals, the one with the smallest "
    "bytes. Then all are counted again, in the best segmentations."
)


def seed_rows(frame: UnigramFrame, record: TextbookRecord, width: int) -> list[Row]:
    """Return the rows about the seed: its n-grams, their shares, the loss."""
    total = number(float(frame.expected_counts.sum()))
    texts = (
        f"The seed: all {plural(frame.size, 'n-gram')} of {record.length}, with the places of all "
        f"of them. These are {total}, and P of an n-gram is its count ÷ {total}.",
        f"The loss is {score_text(frame.loss, 3)} nats. A sentence costs the sum of −log P over "
        f"its best segmentation. What no n-gram covers costs {UNKNOWN_PENALTY:g}, uncounted.",
        RULE,
    )
    rows = []
    for text in texts:
        rows += [*paragraph(text, width), Row([])]
    ahead = "→ removes the first." if frame.size > record.vocab_size else "None has to go."
    return [*rows, *paragraph(ahead, width, "dim")]


def removal_rows(
    frame: UnigramFrame, record: TextbookRecord, step: PruneStep, width: int
) -> Sequence[Row]:
    """Return the rows about a removal: why this n-gram, and all shares before and after."""
    (gone,) = step.removed
    name = visible_text(gone.text)
    before, after = frame.at(frame.step - 1), frame
    without = score_text(step.loss_before + gone.loss_increase, 3)
    equals = record.equals_at(step.index)
    why = f"Without {name} it is {without}, +{score_text(gone.loss_increase, 3)}: the least."
    if not gone.loss_increase:
        why = f"No best segmentation uses {name}: without it the loss stays."
    if len(equals) > 1:
        why += f" {number(len(equals))} tie, and {name} has the smallest bytes."
    totals = [number(float(each.expected_counts.sum())) for each in (before, after)]
    columns = columns_of_spans(
        ("n-gram", 0),
        ("P before", max(2 * len(totals[0]) + 3, 10)),
        ("after", max(2 * len(totals[1]) + 3, 7)),
        ("−log P", 8),
    )
    table = RowTable(columns, width - 1, least=6)  # a blank before the scrollbar
    top = [loss_row(frame), *paragraph(why, width), Row([]), table.header()]
    painter, changes = PiecePainter(frame), count_changes(frame)

    def row(place: int) -> Row:
        piece = int(changes.numbers[place])
        text, role = painter.piece(piece)
        was, now = (number(float(each[place])) for each in (changes.before, changes.after))
        at = after.index_of(piece)
        cost = "gone" if at is None else score_text(-float(after.scores[at]), 3)
        share = f"{now}/{totals[1]}" if at is not None else ""
        spans = [(text, "stale" if at is None else role)], [(f"{was}/{totals[0]}", "dim")]
        return table.row([*spans, [(share, "")], [(cost, "")]], ToPiece(piece))

    return RowsOnDemand(len(changes.numbers), row, top)


def gram_rows(frame: UnigramFrame, record: TextbookRecord, piece: int, width: int) -> Iterator[Row]:
    """Yield the rows about one n-gram: its share, and the loss without it."""
    at = frame.index_of(piece)
    assert at is not None
    score, count = float(frame.scores[at]), float(frame.expected_counts[at])
    total = number(float(frame.expected_counts.sum()))
    yield Row([(f"P = {number(count)} ÷ {total} = {probability_text(exp(score))}", "")])
    yield Row([(f"−log P = {score_text(-score, 3)} nats", "")])
    yield Row([])
    yield Row([("what its removal costs", "strong")])
    increase = float(record.increases_at(frame.step)[at])
    if not count:
        yield from paragraph("Nothing: no best segmentation uses it.", width)
        return
    without = score_text(frame.loss + increase, 3)
    yield from paragraph(
        f"loss {score_text(frame.loss, 3)}; without it {without}, +{score_text(increase, 3)}",
        width,
        "loss",
    )
    yield Row([])
    other = frame.alternative(record.texts[piece])
    edges = other.edges if other is not None else ()
    yield from instead_rows(frame, edges, lambda score: score_text(-score, 3), width)


def instead_rows(
    frame: UnigramFrame, edges: Iterable[Edge], write: Callable[[float], str], width: int
) -> Iterator[Row]:
    """Yield the pieces in the place of another, each with its score as `write` gives it."""
    yield Row([("in its place", "strong")])
    painter = PiecePainter(frame)
    for edge in edges:
        is_known = edge.piece != UNKNOWN
        name = painter.piece(edge.piece) if is_known else ("unknown", "loss")
        yield Row(
            [*left([name], width - 8), right(write(edge.score), 8)],
            ToPiece(edge.piece) if is_known else None,
        )
