"""Texts of rows, with the borders between tokens that a screen without colours has."""

from collections.abc import Sequence

from bpe_tui.shell.panel import JOINING_ROLES
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import CHIPS_MEET, Span


def edged(spans: Sequence[Span]) -> str:
    """Return spans as text: `┊` where two chips meet, `+` where the two join next."""
    text = ""
    for place, span in enumerate(spans):
        beside = {role for _, role in spans[max(place - 1, 0) : place + 2 : 2]}
        joint = "+" if beside <= set(JOINING_ROLES) else "┊"
        text += joint if span == CHIPS_MEET else span[0]
    return text


def text_of(panel: Lines) -> list[str]:
    """Return the text of each row, with the borders between its tokens."""
    return [edged(panel.row(place).spans) for place in range(panel.row_count)]
