"""Which bytes are this character, and which token has them?"""

from __future__ import annotations

from collections.abc import Iterator

from textual.reactive import reactive

from bpe_tui.panels.lane_layout import (
    Label,
    bracketed,
    broken,
    byte_widths,
    character_text,
    flush_left,
    token_text,
)
from bpe_tui.panels.panel import Panel
from bpe_tui.pieces import TokenPainter
from bpe_tui.visible import number, plural, visible_bytes
from bpe_tui.widgets.lines import Row, Span
from engine.byte_chars import BYTE_TO_CHAR
from engine.frame import Frame
from engine.lanes import Lanes, align

TOKENS_SHOWN = 1000
NAME_CELLS = 12
EXPLAINED = 4
"""How many of GPT-2's stand-ins are spelled out."""


class LanesPanel(Panel):
    """Characters, bytes and tokens of `token_ids`, aligned; also how GPT-2 spells the bytes."""

    WIDEST = 1000

    token_ids: reactive[tuple[int, ...]] = reactive((), repaint=False)

    def __init__(self) -> None:
        super().__init__("three lanes", id="lanes")

    def watch_token_ids(self) -> None:
        self.rebuild()

    def rows_of(self, frame: Frame, width: int) -> list[Row]:
        ids = [token_id for token_id in self.token_ids if frame.has_token(token_id)]
        if not ids:
            self.say("three lanes")
            return [Row([("No token to show: type a text, or choose a token.", "dim")])]
        lanes = align((token_id, frame.token(token_id)) for token_id in ids[:TOKENS_SHOWN])
        self.say(
            f"three lanes  {plural(len(lanes.characters), 'character')} · "
            f"{plural(len(lanes.data), 'byte')} · {plural(len(lanes.tokens), 'token')}",
            explained(lanes.data),
        )
        rows = list(lane_rows(self.painter(frame), lanes, max(width - NAME_CELLS, 8)))
        if len(ids) > TOKENS_SHOWN:
            of = f"The first {number(TOKENS_SHOWN)} of {number(len(ids))} tokens."
            rows.append(Row([(of, "dim")]))
        return rows


def explained(data: bytes) -> str:
    """How GPT-2 spells those of the bytes that do not look like themselves.

    b' \\xe6' → "GPT-2's files write · as Ġ, E6 as æ"
    """
    odd = [byte for byte in dict.fromkeys(data) if not 0x21 <= byte < 0x7F]
    if not odd:
        return "GPT-2's files write these bytes as they are"
    shown = ", ".join(
        f"{visible_bytes(bytes([byte])) if byte < 0x80 else f'{byte:02X}'} as {BYTE_TO_CHAR[byte]}"
        for byte in odd[:EXPLAINED]
    )
    more = ", …" if len(odd) > EXPLAINED else ""
    return f"GPT-2's files write {shown}{more}"


def lane_rows(painter: TokenPainter, lanes: Lanes, room: int) -> Iterator[Row]:
    """Five rows for each line of the text, and a blank one between two."""
    characters = [
        Label(c.start, c.end, character_text(lanes, c), "" if c.text is not None else "loss")
        for c in lanes.characters
    ]
    data = [Label(n, n + 1, f"{byte:02X}", "dim") for n, byte in enumerate(lanes.data)]
    spelled = [Label(n, n + 1, BYTE_TO_CHAR[byte], "dim") for n, byte in enumerate(lanes.data)]
    tokens = [
        Label(t.start, t.end, token_text(lanes, t), painter.role(t.token_id)) for t in lanes.tokens
    ]
    ids = [Label(t.start, t.end, str(t.token_id), "dim") for t in lanes.tokens]
    cells = byte_widths(lanes)
    for place, (start, end) in enumerate(broken(lanes, cells, room)):
        if place:
            yield Row([])
        for name, labels, draw in (
            ("characters", characters, flush_left),
            ("bytes", data, flush_left),
            ("GPT-2", spelled, flush_left),
            ("tokens", tokens, bracketed),
            ("ids", ids, flush_left),
        ):
            title: Span = (name.ljust(NAME_CELLS), "strong")
            yield Row([title, *draw(_within(labels, start, end), cells, start, end)])


def _within(labels: list[Label], start: int, end: int) -> list[Label]:
    """The labels that stand on a line, wholly or in part."""
    return [label for label in labels if label.start < end and start < label.end]
