"""Several post-processors."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Any, Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.post_processors.byte_level import ByteLevel
from engine.pipeline.post_processors.post_processor import Ids, Piece, Placed, PostProcessor


class Sequence(PostProcessor):
    """Post-processors of which at most one adds something."""

    name = "Sequence"
    parts_key = "processors"

    def __init__(self, parts: SequenceOf[PostProcessor]) -> None:
        self.parts = tuple(parts)

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        if sum(not isinstance(part, ByteLevel) for part in parts) > 1:
            raise fields.error("processors", "more than one that adds tokens is not supported")
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"processors": [part.to_json() for part in self.parts]}

    @property
    def _adding(self) -> PostProcessor:
        adding = (part for part in self.parts if not isinstance(part, ByteLevel))
        return next(adding, ByteLevel())

    def template(self, texts: int) -> SequenceOf[Piece]:
        return self._adding.template(texts)

    def ids_of(self, token: str) -> Ids:
        return self._adding.ids_of(token)

    def texts_of(self, token: str) -> SequenceOf[str]:
        return self._adding.texts_of(token)

    def placed(self, tokens: SequenceOf[Placed]) -> list[Placed]:
        for part in self.parts:
            tokens = part.placed(tokens)
        return list(tokens)
