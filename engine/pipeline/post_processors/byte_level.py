"""`ByteLevel`: what byte-level BPE has after its model."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.post_processors.post_processor import (
    Ids,
    Piece,
    Placed,
    PostProcessor,
    without_spaces,
)
from engine.pipeline.pretokenizers.byte_level import ByteLevel as ByteLevelPreTokenizer


class ByteLevel(PostProcessor):
    """Leaves spaces out of offsets, and the ids as they are."""

    name = "ByteLevel"

    def __init__(self, settings: ByteLevelPreTokenizer | None = None) -> None:
        self._settings = settings or ByteLevelPreTokenizer()

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(ByteLevelPreTokenizer.from_json(fields))

    def settings(self) -> dict[str, object]:
        return self._settings.settings()

    def template(self, texts: int) -> SequenceOf[Piece]:
        return [Piece(text, "", text) for text in range(texts)]

    def ids_of(self, token: str) -> Ids:
        raise LookupError(token)  # its template has none

    def placed(self, tokens: SequenceOf[Placed]) -> list[Placed]:
        if not self._settings.trim_offsets:
            return list(tokens)
        return without_spaces(tokens, self._settings.add_prefix_space)
