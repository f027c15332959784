"""What a stage made of a text, in lines: borders drawn, and what belongs to one token marked.

`│` stands between pretokens, `┊` between the tokens of one; the mark is `«»` without colour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby

from bpe_tui.views.pieces import PRETOKEN_BORDER, TOKEN_BORDER
from bpe_tui.widgets.columns import left, spans_width, wrapped
from bpe_tui.widgets.lines import Span
from bpe_tui.widgets.roles import TOKEN_HUES
from bpe_tui.widgets.visible import number, visible_text, width
from engine.pipeline.pipeline import OutputToken, Part


def character_lines(text: str, marked: range, marks: bool, room: int) -> list[list[Span]]:
    """A text with some of its characters marked, in lines."""
    return wrapped(anywhere_broken([_marked(text, marked.__contains__, marks)]), room)


def _marked(text: str, is_marked: Callable[[int], bool], marks: bool, role: str = "") -> list[Span]:
    """A text with the characters marked whose places are."""
    spans: list[Span] = []
    for marked, run in groupby(range(len(text)), key=is_marked):
        places = list(run)
        part = visible_text(text[places[0] : places[-1] + 1])
        spans.append(_mark(part, marks) if marked else (part, role))
    return spans


def _mark(text: str, marks: bool) -> Span:
    return (f"«{text}»" if marks else text), "fresh"


def anywhere_broken(lines: Iterable[Sequence[Span]]) -> Iterator[list[Span]]:
    """Spans cut to a few cells each, so that a line may be broken anywhere."""
    for spans in lines:
        for text, role in spans:
            yield from ([(text[start : start + 8], role)] for start in range(0, len(text), 8))


def section_spans(part: Part, chosen: OutputToken | None, marks: bool) -> list[Span]:
    """What the normalizer hands on; marked is what comes from the text of the token chosen."""
    start, end = chosen.span if chosen else (0, 0)
    spans = part.aligned.spans

    def is_marked(at: int) -> bool:
        return spans[at][0] < end and start < spans[at][1]

    return _marked(part.text, is_marked, marks, "special" if part.token else "")


def piece_spans(part: Part, place: int, chosen: OutputToken | None, marks: bool) -> list[Span]:
    """A pretoken; marked is the token's part of it."""
    within = range(*chosen.within) if chosen and chosen.piece == place else range(0)
    role = "special" if part.token else f"token-{place % TOKEN_HUES}"
    return _marked(part.text, within.__contains__, marks, role)


def token_lines(
    tokens: Sequence[OutputToken],
    chosen: OutputToken | None,
    marks: bool,
    room: int,
    types: bool = False,
) -> list[list[Span]]:
    """Tokens over their ids, or over their types, in as many pairs of lines as needed."""
    lines: list[list[Span]] = []
    upper: list[Span] = []
    lower: list[Span] = []
    for place, token in enumerate(tokens):
        text = visible_text(token.text) or "␣"
        span = (text, _role(token))
        if token is chosen:
            span = _mark(text, marks)
        label = number(token.type_id) if types else str(token.token_id)
        cells = min(max(width(span[0]), len(label)), room - 1)
        if upper and spans_width(upper) + cells + 1 > room:
            lines += [upper, lower]
            upper, lower = [], []
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        within = following is not None and following.piece == token.piece is not None
        upper += [*left([span], cells), TOKEN_BORDER if within else PRETOKEN_BORDER]
        lower += [*left([(label, "dim")], cells), (" ", "")]
    return [*lines, upper, lower] if upper else lines


def _role(token: OutputToken) -> str:
    return "special" if token.from_template else f"token-{token.token_id % TOKEN_HUES}"
