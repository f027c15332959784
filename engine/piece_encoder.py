"""Encoding a text by its pieces, each of which is encoded in full only once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from engine.pieces import NUL, Cutting, blocks
from engine.pretokenize import to_bytes, to_text
from engine.remembered import Remembered

# What is made for one block should stay in the processor's cache while the next one is made.
BLOCK = 1 << 14


class PieceEncoder:
    """Gives the ids that `encode_slowly` gives, sooner.

    Args:
        cutting: the rules that hold for the pattern.
        encode_slowly: the ids of a text, by the pattern's regex.
    """

    def __init__(self, cutting: Cutting, encode_slowly: Callable[[str], list[int]]) -> None:
        self._cutting = cutting
        self._encode_slowly = encode_slowly
        self._remembered = Remembered(self._ids_of_piece)

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        for block in blocks(to_bytes(text), BLOCK):
            if NUL in block:  # which stands for a space in a piece
                ids += self._encode_slowly(to_text(block))
                continue
            pieces = iter(self._cutting.pieces(block))
            # Only the first block has anything before its first space.
            if first := next(pieces):
                ids += self._encode_slowly(to_text(first.replace(NUL, b" ")))
            ids.extend(chain.from_iterable(map(self._remembered.__getitem__, pieces)))
        return ids

    def _ids_of_piece(self, piece: bytes) -> tuple[int, ...]:
        return tuple(self._encode_slowly(to_text(self._cutting.restored(piece))))
