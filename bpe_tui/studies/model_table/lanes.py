"""Texts behind a label, and tokens over their ids, in as many lines as they need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from bpe_tui.views.pieces import PRETOKEN_BORDER
from bpe_tui.widgets.columns import left, spans_width, wrapped
from bpe_tui.widgets.lines import Row, Span
from bpe_tui.widgets.roles import TOKEN_HUES
from bpe_tui.widgets.visible import visible_bytes
from engine.analysis.model_table.candidate import Contender

MARGIN = 10
"""Cells of the labels."""
NARROWEST = 8


def token(contender: Contender, token_id: int) -> Span:
    """A token as the vocabulary has it; the unknown one stands out."""
    role = "loss" if token_id == contender.unknown_id else f"token-{token_id % TOKEN_HUES}"
    return visible_bytes(contender.piece(token_id)), role


def bordered(contender: Contender, ids: Iterable[int]) -> list[list[Span]]:
    """Tokens, each with a border behind it."""
    return [[token(contender, token_id), PRETOKEN_BORDER] for token_id in ids]


def labelled(label: str, words: Iterable[Sequence[Span]], width: int) -> Iterator[Row]:
    """Words of spans behind a label, in as many rows as they need."""
    for place, line in enumerate(wrapped(words, room_beside(width))):
        yield Row([_label("" if place else label), *line])


def said(label: str, text: str, role: str, width: int) -> Iterator[Row]:
    """A visible text behind a label, broken at blanks."""
    return labelled(label, ([(f"{word} ", role)] for word in text.split()), width)


def lanes(
    labels: Sequence[str], columns: Iterable[Sequence[Span]], width: int
) -> Iterator[tuple[Row, ...]]:
    """Lanes with a label each, such as tokens over their ids, line by line.

    A column has a span for each lane; it is as wide as the widest of them.
    """
    lines_of_lanes: list[list[Sequence[Span]]] = [[] for _ in labels]
    for column in columns:
        cells = max(spans_width([span]) for span in column)
        for lane, span in zip(lines_of_lanes, column, strict=True):
            lane.append([*left([span], cells), PRETOKEN_BORDER])
    wrapped_lanes = (wrapped(lane, room_beside(width)) for lane in lines_of_lanes)
    for place, lines in enumerate(zip(*wrapped_lanes, strict=True)):
        yield tuple(
            Row([_label("" if place else label), *line])
            for label, line in zip(labels, lines, strict=True)
        )


def over_ids(label: str, contender: Contender, text: str, width: int) -> Iterator[Row]:
    """A text in its tokens, each over its id."""
    columns = ((token(contender, some), (str(some), "dim")) for some in contender.encode(text))
    return chain.from_iterable(lanes((label, "ids"), columns, width))


def room_beside(width: int) -> int:
    """Cells beside a label."""
    return max(width - MARGIN, NARROWEST)


def _label(label: str) -> Span:
    return label.ljust(MARGIN), "dim"
