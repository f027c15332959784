"""The rows that explain a token, a piece that is none, and a pair of tokens.

The windows and panels that answer `w` share them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from bpe_tui.panels.token_detail import branches
from bpe_tui.shell.panel import TokenPainter
from bpe_tui.shell.targets import ToQuestion, ToStep, ToToken
from bpe_tui.widgets.language import plural, times, tr, tr_sentence
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import (
    Row,
    RowTable,
    Span,
    columns_of_spans,
    left,
    paragraph,
    spans_width,
    with_below,
)
from bpe_tui.widgets.visible import quoted, visible_bytes
from bpe_tui.words.narration import NO_CORPUS
from engine.analysis.explanation import Explanation
from engine.analysis.pair_history import PairHistory, PairLoss
from engine.analysis.why_not import always_inside
from engine.recording.playback import AnyMergeFrame

Painters = Callable[[AnyMergeFrame], TokenPainter]
"""Makes the painter of a frame's tokens."""

TAKEN_SHOWN = 6
WAY_SHOWN = 40
"""Most merges of a way that are shown; the last ones are."""
TREE_SHOWN = 12
TAKEN_COLUMNS = columns_of_spans(
    ("merge", 8), ("", 2), ("took of it", 0), ("took", 10), ("remain", 10)
)


# -- a piece, or a pair


def explanation_rows(
    painter: TokenPainter, explanation: Explanation, width: int
) -> tuple[list[Row], int]:
    """Return the rows of an explanation, and the row that Enter chooses first.

    These are its sentences, the way merge by merge, and the merges that took most of a pair.
    """
    role = "gain" if explanation.holds else ""
    rows = [
        row
        for sentence in explanation.sentences
        for row in paragraph(tr_sentence(sentence).describe(quoted), width, role)
    ]
    if explanation.way:
        rows += _way_rows(painter, explanation, width)
    first = max((at for at, row in enumerate(rows) if row.target is not None), default=0)
    for history in explanation.histories:
        if not explanation.stopped:
            is_named = any(merge.number == history.merged for merge in explanation.way)
            rows += _history_rows(painter, history, width, is_named)
        elif history.ever_occurs:
            name: list[Span] = [
                *painter.pair(history.pair),
                (tr("  its count at each step"), "dim"),
            ]
            rows.append(Row(left(name, width), ToQuestion(history.pair)))
    return rows, first


def describe_way(target: object) -> str:
    """Return where a row of an explanation leads: `merge 1,484`."""
    if isinstance(target, ToStep):
        return tr("to merge {step}", step=target.step)
    return tr("what became of the pair") if isinstance(target, ToQuestion) else tr("the vocabulary")


def _way_rows(painter: TokenPainter, explanation: Explanation, width: int) -> list[Row]:
    """Draw `merge 1,484  ·low┊est  ◂ here it stops`; merges later than this step are dim."""
    way = explanation.way[-WAY_SHOWN:]
    rows = [Row([]), Row([(tr("how far it comes"), "strong")])]
    if left_out := len(explanation.way) - len(way):
        rows.append(Row([(tr("after {merges}", merges=plural(left_out, "merge")), "dim")]))
    cells = max(len(number(merge.number)) for merge in way)
    for merge in way:
        end = f"  ◂ {tr(explanation.end)}" if merge is way[-1] else ""
        head = tr("merge {number}  ", number=f"{number(merge.number):>{cells}}")
        later = "dim" if merge.number > painter.frame.step else ""
        strip = painter.tokens(merge.ids)
        room = max(width - len(head) - len(end), 8)
        shown = left(strip, min(spans_width(strip), room))
        spans, *marks = with_below([(head, later), *shown, (end, "pair")])
        rows += [Row(spans, ToStep(merge.number)), *map(Row, marks)]
    return rows


def _history_rows(
    painter: TokenPainter, history: PairHistory, width: int, is_named: bool
) -> list[Row]:
    """Return the merge of a pair unless it `is_named`, and the merges that took most of it."""
    rows: list[Row] = []
    if history.merged is not None and not is_named:
        spans: list[Span] = [(tr("its own  merge "), "dim"), (f"{number(history.merged)}  ", "")]
        rows += [Row([]), Row([*spans, *painter.pair(history.pair)], ToStep(history.merged))]
    if taken := sorted(
        history.largest_losses(history.last)[:TAKEN_SHOWN], key=lambda one: one.step
    ):
        table = RowTable(TAKEN_COLUMNS, width, least=12)
        rows += [Row([]), table.header()]
        rows += [table.row(_taken(painter, history, one), ToStep(one.step)) for one in taken]
        if more := len(history.losses) - len(taken):
            template = "and {merges} that took less"
            rows.append(Row([(tr(template, merges=plural(more, "merge")), "dim")]))
    return rows


def _taken(painter: TokenPainter, history: PairHistory, loss: PairLoss) -> list[Sequence[Span]]:
    """Return the cells of a merge that took of a pair; merges later than this step are dim."""
    return [
        [(number(loss.step), "" if loss.step <= history.step else "dim")],
        [],
        painter.pair(loss.merged),
        [(f"−{number(loss.count)}", "loss")],
        [(number(history.count_at(loss.step)), "")],
    ]


# -- a token


def token_rows(painter: TokenPainter, token_id: int, width: int) -> list[Row]:
    """Return the description of a token, its origin and its merge tree."""
    frame = painter.frame
    token = frame.any_token(token_id)
    data = f"{token[:12].hex(' ').upper()}{' …' if len(token) > 12 else ''}"
    name: list[Span] = [*painter.spans(token_id), ("   ", ""), (tr("id {n}", n=token_id), "dim")]
    rows = [Row([*name, (tr(" │ bytes {data}", data=data), "dim")], ToToken(token_id))]
    if not frame.has_token(token_id):
        step = frame.step_making(token_id)
        template = "Merge {step} makes it, later than this step."
        return [*rows, *paragraph(tr(template, step=step), width)]
    rows += [row for text in _sentences(frame, token_id) for row in paragraph(text, width)]
    if frame.vocabulary.rank_of(token_id) is None:
        return rows
    lines = frame.vocabulary.merge_tree(token_id)
    rows.append(Row([]))
    for line in islice(lines, TREE_SHOWN):
        spans: list[Span] = [(branches(line.trunk), "border"), painter.token(line.token_id)]
        target: object = ToToken(line.token_id)
        if line.rank is not None:
            spans.append((tr("   merge {rank}", rank=line.rank + 1), "dim"))
            target = ToStep(line.rank + 1)
        rows.append(Row(spans, target))
    if next(lines, None) is not None:
        rows.append(Row([(tr("… and more: Enter above shows all of it"), "dim")]))
    return rows


def _sentences(frame: AnyMergeFrame, token_id: int) -> Iterator[str]:
    if frame.is_special(token_id):
        yield tr("A special token: one id, cut out before anything merges.")
        return
    vocabulary = frame.vocabulary
    count, rank = vocabulary.count_of(token_id), vocabulary.rank_of(token_id)
    built = vocabulary.built_on(token_id)
    used = tr("used in {merges}", merges=plural(len(built), "merge"))
    if count is None:
        yield f"{NO_CORPUS} {used}."
    else:
        yield tr("It occurs {times} in the corpus now; {used}.", times=times(count), used=used)
    if count == 0 and built:
        inside = always_inside(list(map(frame.any_token, built)), is_unit=rank is None)
        yield tr_sentence(inside).describe(visible_bytes)
    if rank is None:
        yield tr("It was there before the first merge.")
    else:
        merge = frame.merge_at(rank)
        parts = " + ".join(visible_bytes(frame.any_token(part)) for part in merge.pair)
        template = ", which occurred {times}"
        counted = tr(template, times=times(merge.count)) if frame.has_corpus else ""
        template = "Merge {rank} made it of {parts}{counted}."
        yield tr(template, rank=rank + 1, parts=parts, counted=counted)
