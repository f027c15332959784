"""Several normalizers, one after the other."""

from __future__ import annotations

from itertools import chain
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import ChainedNormalizer, Normalizer


class Sequence(ChainedNormalizer):
    name = "Sequence"

    @property
    def stages(self) -> tuple[Normalizer, ...]:
        return tuple(chain.from_iterable(part.stages for part in self.parts))

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        from engine.pipeline.normalizers import normalizer_from_json  # which knows this class, too

        return cls([normalizer_from_json(each) for each in fields.each("normalizers")])

    def settings(self) -> dict[str, object]:
        return {"normalizers": [part.to_json() for part in self.parts]}
