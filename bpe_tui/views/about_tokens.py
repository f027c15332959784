"""What there is to say about a token, or about two side by side: rows that lead further."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from bpe_tui.views.narration import NO_CORPUS, times
from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.targets import ToQuestion, ToStep, ToToken
from bpe_tui.views.token_detail import drawn, twin_rows
from bpe_tui.widgets.numbers import number, plural
from bpe_tui.widgets.rows import Row, RowColumn, RowTable, Span, left, paragraph
from bpe_tui.widgets.visible import visible_bytes
from engine.analysis.pair_history import PairHistory, Taken, pair_history
from engine.recording.playback import AnyMergeFrame

Painters = Callable[[AnyMergeFrame], TokenPainter]
"""Makes what draws the tokens of a frame."""

TAKEN_SHOWN = 6
TREE_SHOWN = 12
TITLE_CELLS = 8
NUMBER_CELLS = 10


# -- a pair


def pair_rows(painter: TokenPainter, history: PairHistory, width: int) -> list[Row]:
    """What became of a pair: sentences, its own merge, and the merges that took most of it."""
    told = history.describe(lambda token_id: visible_bytes(painter.frame.any_token(token_id)))
    rows = [row for said in told for row in paragraph(said, width)]
    if history.merged is not None:
        own = _merge_spans(painter, history.merged, history.pair)
        rows += [Row([]), Row([("its own  ", "dim"), *own], ToStep(history.merged))]
    if taken := sorted(history.most_taken(history.last)[:TAKEN_SHOWN], key=lambda one: one.step):
        table = RowTable(_taken_columns(painter, history), width, least=12)
        rows += [Row([]), table.header()]
        rows += [table.row(one, ToStep(one.step)) for one in taken]
        if more := len(history.taken) - len(taken):
            rows.append(Row([(f"and {plural(more, 'merge')} that took less", "dim")]))
    return rows


def _merge_spans(painter: TokenPainter, step: int, pair: tuple[int, int]) -> list[Span]:
    return [("merge ", "dim"), (f"{number(step)}  ", ""), *painter.pair(pair, between=" + ")]


def _taken_columns(painter: TokenPainter, history: PairHistory) -> list[RowColumn]:
    def count_after(taken: Taken) -> list[Span]:
        return [(number(history.count_at(taken.step)), "")]

    def role(taken: Taken) -> str:
        return "" if taken.step <= history.step else "dim"

    return [
        RowColumn("merge", TITLE_CELLS, lambda one: [(number(one.step), role(one))], True),
        RowColumn("", 2, lambda one: [("", "")]),
        RowColumn("took of it", 0, lambda one: painter.pair(one.merged, between=" + ")),
        RowColumn("took", NUMBER_CELLS, lambda one: [(f"−{number(one.count)}", "loss")], True),
        RowColumn("left", NUMBER_CELLS, count_after, True),
    ]


# -- a token


def token_rows(
    painter: TokenPainter,
    token_id: int,
    width: int,
    beside: tuple[int | None, int | None] = (None, None),
) -> list[Row]:
    """What a token is, where it comes from, of what it is the twin; then its merge tree.

    Where it stands `beside` others in a word: why it is a token of its own there.
    """
    frame = painter.frame
    rows = [
        Row([*painter.spans(token_id), ("   ", ""), *_measures(frame, token_id)], ToToken(token_id))
    ]
    if not frame.has_token(token_id):
        step = frame.step_making(token_id)
        return [*rows, *paragraph(f"Merge {number(step)} makes it, later than this step.", width)]
    rows += [row for said in _sentences(frame, token_id) for row in paragraph(said, width)]
    rows += _here_rows(painter, token_id, beside, width)
    rows += twin_rows(painter, token_id, width)
    lines = frame.vocabulary.merge_tree(token_id)
    tree = [
        Row(
            [(drawn(line.trunk), "border"), painter.token(line.token_id), *_made_at(line.rank)],
            ToToken(line.token_id) if line.rank is None else ToStep(line.rank + 1),
        )
        for line in islice(lines, TREE_SHOWN)
    ]
    if len(tree) > 1:
        rows += [Row([]), *tree]
        if next(lines, None) is not None:
            rows.append(Row([("… and more: Enter above shows all of it", "dim")]))
    return rows


def _here_rows(
    painter: TokenPainter, token_id: int, beside: tuple[int | None, int | None], width: int
) -> list[Row]:
    """Why a token has not merged with those left and right of it."""
    if not painter.frame.has_corpus:
        return []
    before, after = beside
    rows: list[Row] = []
    for pair in ((before, token_id), (token_id, after)):
        if pair[0] is None or pair[1] is None:
            continue
        joined = pair[0], pair[1]
        outcome = pair_history(painter.frame, joined).outcome
        name: list[Span] = [*painter.pair(joined), ("   ", "")]
        told = paragraph(outcome, width - 2, "dim")
        rows.append(Row(left(name, width), ToQuestion(joined)))
        rows += [Row([("  ", ""), *row.spans]) for row in told]
    return [Row([]), Row([("why here", "strong")]), *rows] if rows else []


def _measures(frame: AnyMergeFrame, token_id: int) -> Iterator[Span]:
    token = frame.any_token(token_id)
    yield f"id {number(token_id)}", "dim"
    yield f" · bytes {token[:12].hex(' ').upper()}{' …' if len(token) > 12 else ''}", "dim"


def _made_at(rank: int | None) -> list[Span]:
    return [] if rank is None else [(f"   merge {number(rank + 1)}, rank {number(rank)}", "dim")]


def _sentences(frame: AnyMergeFrame, token_id: int) -> Iterator[str]:
    if frame.is_special(token_id):
        yield "A special token: one id, cut out before anything merges."
        return
    vocabulary = frame.vocabulary
    count, rank = vocabulary.count_of(token_id), vocabulary.rank_of(token_id)
    stands = f"It stands {times(count)} in the corpus now" if count is not None else ""
    used = f"{plural(len(vocabulary.built_on(token_id)), frame.TOKEN)} built on it"
    yield f"{stands}; {used}." if stands else f"{NO_CORPUS} {used}."
    if rank is None:
        yield "It was there before the first merge."
    else:
        merge = frame.merge_at(rank)
        parts = " + ".join(visible_bytes(frame.any_token(part)) for part in merge.pair)
        counted = f", side by side {times(merge.count)}" if frame.has_corpus else ""
        yield f"Merge {number(rank + 1)} (rank {number(rank)}) made it of {parts}{counted}."
