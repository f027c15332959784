"""How wide each byte of three aligned lanes has to be, and where the lines break.

Bytes are the finest lane: each has a column of its own, and a character or token is as wide as
its bytes together. Where its text needs more room, its last byte gets what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bpe_tui.widgets.lines import Span
from bpe_tui.widgets.visible import shorten, visible_bytes, visible_text, width
from engine.encoding.lanes import Character, Lanes, TokenSpan

LEAST = 3
"""Cells of a byte: two digits and a blank."""


@dataclass(frozen=True)
class Label:
    """What a lane says of the bytes `start`…`end`."""

    start: int
    end: int
    text: str
    role: str


def character_text(lanes: Lanes, character: Character) -> str:
    """The character made visible, or its bytes if they are none: `漢`, `<E4 BD>`."""
    if character.text is not None:
        return visible_text(character.text)
    return stray_text(lanes.data[character.start : character.end])


def stray_text(data: bytes) -> str:
    """Bytes that are no whole character: b'\\xe4\\xbd' → '<E4 BD>'."""
    return f"<{data.hex(' ').upper()}>"


def token_text(lanes: Lanes, token: TokenSpan) -> str:
    """The token made visible, halves of characters by their bytes: `·<E6 BC>`."""
    return "".join(
        visible_bytes(lanes.data[piece.start : piece.end])
        if piece.whole
        else stray_text(lanes.data[piece.start : piece.end])
        for piece in token.pieces
    )


def byte_widths(lanes: Lanes) -> list[int]:
    """The cells of each byte, so that every character, token and id has room."""
    cells = [LEAST] * len(lanes.data)

    def widen(start: int, end: int, needed: int) -> None:
        cells[end - 1] += max(needed - sum(cells[start:end]), 0)

    for character in lanes.characters:
        widen(character.start, character.end, width(character_text(lanes, character)) + 1)
    for token in lanes.tokens:
        needed = max(width(token_text(lanes, token)) + 2, len(str(token.token_id)) + 1)
        widen(token.start, token.end, needed)
    return cells


def broken(lanes: Lanes, cells: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """The lines as (start, end) in bytes: broken between tokens, inside one only if it is wider."""
    start = end = used = 0
    for token in lanes.tokens:
        needed = sum(cells[token.start : token.end])
        if used and used + needed > room:
            yield start, end
            start, used = end, 0
        for place in range(token.start, token.end):
            if used and used + cells[place] > room:
                yield start, place
                start, used = place, 0
            used += cells[place]
        end = token.end
    if start < end:
        yield start, end


def flush_left(
    labels: Sequence[Label], cells: Sequence[int], start: int, end: int
) -> Iterator[Span]:
    """The labels of a line, each where its bytes begin; a label that began earlier is a blank."""
    for label in labels:
        if label.start < end and start < label.end:
            room = sum(cells[max(label.start, start) : min(label.end, end)])
            text = shorten(label.text, room - 1) if label.start >= start else ""
            yield text, label.role
            yield " " * (room - width(text)), ""


def bracketed(
    labels: Sequence[Label], cells: Sequence[int], start: int, end: int
) -> Iterator[Span]:
    """The labels of a line between `├` and `┤`; an open side says that it goes on elsewhere."""
    for label in labels:
        if label.start < end and start < label.end:
            room = sum(cells[max(label.start, start) : min(label.end, end)])
            text = shorten(label.text, room - 2)
            before = (room - 2 - width(text)) // 2
            after = room - 2 - width(text) - before
            yield ("├" if label.start >= start else "─") + "─" * before, "border"
            yield text, label.role
            yield "─" * after + ("┤" if label.end <= end else "─"), "border"
