"""Encoding a text by its pieces, each of which is encoded in full only once.

Two memories stand one behind the other. A piece that is met again costs one look into the first.
A new piece is cut by the pattern's regex, and its pretokens are looked up in the second: `dog!`
is new where `dog` and `!` are not. Each holds what it has for as long as it has room, which is
bounded: see `engine.encoding.bounded_memo`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from engine.encoding.bounded_memo import Remembered
from engine.encoding.space_splitting import (
    Cutting,
    blocks,
    can_be_marked,
    cutting_for,
    restored_first,
)
from engine.text.patterns import Pattern
from engine.text.pretokenize import to_bytes, to_text

PIECES = 1 << 27
PRETOKENS = 1 << 25
"""Bytes for one generation of each memory. 20 MB of stories take 4 MB, of code in many languages
and prose in many scripts 130 MB."""

# What is made for one block should stay in the processor's cache while the next one is made.
BLOCK = 1 << 14


def remembering(
    pattern: Pattern, encode: Callable[[bytes], Sequence[int]]
) -> Callable[[str], list[int]]:
    """A function that encodes texts and keeps its memory from one to the next.

    Args:
        pattern: what cuts text into pretokens.
        encode: the ids of one pretoken.
    """
    cutting = cutting_for(pattern)
    if cutting is None:
        return PretokenEncoder(pattern, encode).encode
    return PieceEncoder(pattern, encode, cutting).encode


class PretokenEncoder:
    """Encodes text pretoken by pretoken, and remembers these.

    Args:
        pattern: what cuts text into pretokens.
        encode: the ids of one pretoken.
    """

    def __init__(self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]]) -> None:
        self._split = pattern.split
        self.ids_of = Remembered[str](lambda text: tuple(encode(to_bytes(text))), PRETOKENS)

    def encode(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        return list(chain.from_iterable(map(self.ids_of.__getitem__, self._split(text))))


class PieceEncoder:
    """Gives the ids that a `PretokenEncoder` gives, sooner.

    Args:
        pattern, encode: as there.
        cutting: the rules by which the pattern's text can be cut into pieces.
    """

    def __init__(
        self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]], cutting: Cutting
    ) -> None:
        self._pattern = pattern
        self._cutting = cutting
        self._pretokens = PretokenEncoder(pattern, encode)
        self._ids_of = Remembered[bytes](self._ids_of_piece, PIECES)

    def encode(self, text: str) -> list[int]:
        """The ids of a text without special tokens."""
        ids: list[int] = []
        for block in blocks(to_bytes(text), BLOCK):
            if not can_be_marked(block):
                ids += self._pretokens.encode(to_text(block))
                continue
            pieces = iter(self._cutting.pieces(block))
            # Only the first block has anything before its first space.
            if first := next(pieces):
                ids += self._pretokens.encode(to_text(restored_first(first)))
            ids.extend(chain.from_iterable(map(self._ids_of.__getitem__, pieces)))
        return ids

    def _ids_of_piece(self, piece: bytes) -> tuple[int, ...]:
        text = to_text(self._cutting.restored(piece))
        ids_of_pretoken = self._pretokens.ids_of
        # A pattern for which cuts are known covers any text: what is found is everything.
        pretokens = self._pattern.compiled.findall(text)
        if len(pretokens) == 1:
            return ids_of_pretoken[text]
        return tuple(chain.from_iterable(map(ids_of_pretoken.__getitem__, pretokens)))
