"""The rows of a chat: the part of each message in the colour of its role, with its tokens.

user       [<|im_start|>]user⏎the·cat·sat[<|im_end|>]⏎          11 tokens
assistant  [<|im_start|>]assistant⏎                              3  14 in all
"""

from __future__ import annotations

from collections.abc import Iterator

from bpe_tui.widgets.language import plural, tr
from bpe_tui.widgets.numbers import number
from bpe_tui.widgets.rows import GAP, Row, Span, left, right, wrapped
from bpe_tui.widgets.visible import shorten, visible_text, width
from engine.formats.chats import Chat

COLOURS = {"system": "mark-3", "developer": "mark-3", "user": "mark-0", "assistant": "mark-1"}
"""Role of a message → role of its text; that of others, such as tools, is `mark-2`."""
WIDEST_ROLE = 12
LONGEST_SHOWN = 4000
"""Most characters of a message that are shown."""
ELSEWHERE = "no part of its own: it is in the next one, or left out"


def chat_rows(chat: Chat, cells: int, budget: int | None = None) -> Iterator[Row]:
    """Yield the rows of all parts, and a row for the sum.

    Args:
        cells: the width of a row.
        budget: the most tokens that are wanted.
    """
    counts = list(map(len, chat.tokens))
    roles = [shorten(visible_text(part.role), WIDEST_ROLE) for part in chat.parts]
    indent = max(map(width, roles)) + GAP
    column = max(width(plural(count, "token")) for count in (*counts, sum(counts)))
    room = max(cells - indent - column - GAP, 2 * GAP)
    for place, role in enumerate(roles):
        colour = COLOURS.get(chat.parts[place].role, "mark-2")
        lines = wrapped(_words(chat, place, colour), room) if counts[place] else []
        for at, line in enumerate(lines or [[(tr(ELSEWHERE), "dim")]]):
            head: list[Span] = [(role if at == 0 else "", colour)]
            spans = [*left(head, indent), *left(line, room)]
            if at == max(len(lines) - 1, 0):
                spans.append(right(plural(counts[place], "token"), column + GAP, colour))
            yield Row(spans)
    exceeds = budget is not None and sum(counts) > budget
    yield Row([(describe_sum(sum(counts), budget), "loss" if exceeds else "strong")])


def describe_sum(count: int, budget: int | None) -> str:
    """Return the number of tokens, and of those that are left of a budget.

    >>> describe_sum(32, 4096)
    '32 tokens of a budget of 4,096: 4,064 are left'
    """
    tokens = plural(count, "token")
    if budget is None:
        return tr("{tokens} in all", tokens=tokens)
    if count > budget:
        template = "{tokens}: {more} more than the budget of {budget}"
        return tr(template, tokens=tokens, more=number(count - budget), budget=number(budget))
    template = "{tokens} of a budget of {budget}: {rest} are left"
    return tr(template, tokens=tokens, budget=number(budget), rest=number(budget - count))


def _words(chat: Chat, place: int, colour: str) -> Iterator[list[Span]]:
    """Yield the words of a part; a special token is one, in brackets."""
    shown = 0
    for text, is_special in chat.pieces(place):
        if is_special:
            yield [(f"[{visible_text(text)}]", "special")]
            continue
        if shown >= LONGEST_SHOWN:
            yield [("…", colour)]
            return
        for word in text[: LONGEST_SHOWN - shown].replace(" ", " \0").split("\0"):
            yield [(visible_text(word), colour)]
        shown += len(text)
