"""Bars beside pairs: each with its number, and a word about what becomes of the pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bpe_tui.views.panel import TokenPainter
from bpe_tui.views.telling import LEAST_BAR, REMARK
from bpe_tui.widgets.numbers import bar, trace
from bpe_tui.widgets.rows import Span, left, right, spans_width
from bpe_tui.widgets.visible import ending, shorten, width
from engine.core.events import Pair

SIGNS = {"pair": "▶ ", "tie": "= ", "chosen": "❯ "}


@dataclass(frozen=True)
class Bar:
    """A pair with its count, and a bar beside it.

    Attributes:
        value: how long the bar is, by the scale of its neighbours.
        number: the count as it is told, `?` where it is not.
        before: how long the bar was before the last merge; what it lost is traced.
        change: what is said about that.
        mark: a role that says what becomes of the pair: `pair`, `tie`, `loss`; or `chosen`.
        remark: a word behind the bar; `no` is that of a wrong answer.
        fraction: what the number is made of.
    """

    pair: Pair
    value: float
    number: str
    before: float = 0
    change: str = ""
    mark: str = ""
    remark: str = ""
    fraction: str = ""


@dataclass(frozen=True)
class Columns:
    """Cells of a pair, of what its number is made of, and of the number."""

    pair: int
    fraction: int
    number: int


def bar_row(
    painter: TokenPainter, drawn: Bar, columns: Columns, room: int, scale: float
) -> list[Span]:
    """A bar in its row, `▶ ·│m  601  ▄▄▄▄▄▄▄▄▄▄ picked`; `scale` is what a full one stands for."""
    is_picked = drawn.mark == "pair"
    role = "pair" if drawn.mark == "chosen" else drawn.mark
    pair = touching(painter.pair(drawn.pair, between="│"), columns.pair)
    if is_picked:
        pair[:] = [(text, "pair" if own != "border" else own) for text, own in pair]
    number_role = "dim" if drawn.number == "?" else "pair" if is_picked else "strong"
    spans: list[Span] = [(SIGNS.get(drawn.mark, "  "), role), *left(pair, columns.pair)]
    if columns.fraction:
        spans += [right(drawn.fraction, columns.fraction, "dim"), ("  ", "")]
    spans += [right(drawn.number, columns.number, number_role), ("  ", "")]
    longest = room - spans_width(spans) - REMARK
    if longest < LEAST_BAR:  # what the number is made of matters more
        return left(spans, room)
    body = bar(drawn.value / scale, longest)
    spans.append((body, "pair" if is_picked else "border"))
    spans.append((trace(drawn.before / scale, longest, body), "loss"))
    said = drawn.remark or drawn.change
    said_role = {"new": "gain", "no": "loss"}.get(said, role if drawn.remark else "loss")
    return left([*spans, (f" {said}" if said else "", said_role)], room)


def touching(pair: Sequence[Span], cells: int) -> list[Span]:
    """A pair in so many cells: of what is too long, the parts that touch are kept.

    >>> touching([("under", ""), ("│", "border"), ("standing", "")], 9)
    [('…der', ''), ('│', 'border'), ('sta…', '')]
    """
    if spans_width(pair) <= cells:
        return list(pair)
    border = next(place for place, span in enumerate(pair) if span == ("│", "border"))
    (first, role), (second, other) = map(_in_one, (pair[:border], pair[border + 1 :]))
    room = cells - 1
    first = ending(first, max(room // 2, room - width(second)))
    return [(first, role), pair[border], (shorten(second, room - width(first)), other)]


def _in_one(spans: Sequence[Span]) -> Span:
    return "".join(text for text, _ in spans), spans[-1][1]
