"""Three lanes of one text: its characters, its bytes and its tokens, aligned byte by byte.

Tokens are bytes, not characters: one may end in the middle of a character, and a text may hold
bytes that belong to none. Everything here is a span of bytes, so the lanes align.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Character:
    """The character at bytes `start` to `end`; `text` is `None` for bytes that are not UTF-8.

    Such bytes are grouped as a decoder does: the bytes of an incomplete character form one.
    """

    start: int
    end: int
    text: str | None


@dataclass(frozen=True)
class Piece:
    """A part of a token: whole characters, or the token's part of one."""

    start: int
    end: int
    whole: bool


@dataclass(frozen=True)
class TokenSpan:
    """A token and its pieces."""

    start: int
    end: int
    token_id: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Lanes:
    """A text as bytes, characters and tokens; each lane covers all bytes, in order, without
    overlap.
    """

    data: bytes
    characters: tuple[Character, ...]
    tokens: tuple[TokenSpan, ...]


def align(tokens: Iterable[tuple[int, bytes]]) -> Lanes:
    r"""Return the lanes of the text that tokens (id, bytes) make.

    >>> lanes = align([(300, b" \xe6\xbc"), (162, b"\xa2")])   # " 漢" in two tokens
    >>> [(c.start, c.end, c.text) for c in lanes.characters]
    [(0, 1, ' '), (1, 4, '漢')]
    >>> [[(p.start, p.end, p.whole) for p in token.pieces] for token in lanes.tokens]
    [[(0, 1, True), (1, 3, False)], [(3, 4, False)]]
    """
    tokens = [(token_id, token) for token_id, token in tokens if token]
    data = b"".join(token for _, token in tokens)
    characters = tuple(_characters(data))
    character_at = [
        character for character in characters for _ in range(character.start, character.end)
    ]
    spans = []
    end = 0
    for token_id, token in tokens:
        start, end = end, end + len(token)
        spans.append(TokenSpan(start, end, token_id, tuple(_pieces(character_at, start, end))))
    return Lanes(data, characters, tuple(spans))


def _characters(data: bytes) -> Iterator[Character]:
    place = 0
    while place < len(data):
        rest = data[place:]
        try:
            text, broken = rest.decode(), b""
        except UnicodeDecodeError as error:
            text, broken = rest[: error.start].decode(), rest[error.start : error.end]
        for character in text:
            end = place + len(character.encode())
            yield Character(place, end, character)
            place = end
        if broken:
            yield Character(place, place + len(broken), None)
            place += len(broken)


def _pieces(character_at: list[Character], start: int, end: int) -> Iterator[Piece]:
    """Yield the pieces of the token at `start` to `end`; adjacent whole characters are one."""
    whole_from = place = start
    while place < end:
        character = character_at[place]
        stop = min(character.end, end)
        if character.text is None or character.start < start or character.end > end:
            if whole_from < place:
                yield Piece(whole_from, place, True)
            yield Piece(place, stop, False)
            whole_from = stop
        place = stop
    if whole_from < end:
        yield Piece(whole_from, end, True)
