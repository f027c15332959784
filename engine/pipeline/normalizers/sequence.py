"""Several normalizers, one after the other."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from itertools import chain
from typing import Any, Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import ChainedNormalizer, Normalizer


class Sequence(ChainedNormalizer):
    name = "Sequence"
    parts_key = "normalizers"

    @property
    def stages(self) -> tuple[Normalizer, ...]:
        return tuple(chain.from_iterable(part.stages for part in self.parts))

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"normalizers": [part.to_json() for part in self.parts]}
