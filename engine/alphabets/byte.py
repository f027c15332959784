"""Single bytes: what byte-level BPE starts from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.alphabets.alphabet import Alphabet


class ByteAlphabet(Alphabet):
    """Every byte is a token.

    >>> ByteAlphabet(range(256)).spell("é".encode())
    [195, 169]
    """

    def __init__(self, byte_ids: Sequence[int]) -> None:
        self._ids = byte_ids

    @property
    def token_ids(self) -> Sequence[int]:
        return self._ids

    def spell(self, pretoken: bytes) -> list[int]:
        ids = self._ids
        return [ids[byte] for byte in pretoken]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return range(len(pretoken) + 1)

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "bytes", (list(self._ids),)

    @property
    def unit(self) -> str:
        return "byte"

    def token_count(self, counts: Mapping[bytes, int]) -> int:
        return sum(len(pretoken) * count for pretoken, count in counts.items())


BYTES = ByteAlphabet(range(256))
"""Each byte is its own id, as in training."""
