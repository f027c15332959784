"""Several pre-tokenizers: each cuts the pieces of the one before."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from itertools import chain
from typing import Any, Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import Aligned
from engine.pipeline.pretokenizers.pretokenizer import PreTokenizer


class Sequence(PreTokenizer):
    name = "Sequence"
    parts_key = "pretokenizers"

    def __init__(self, parts: SequenceOf[PreTokenizer]) -> None:
        self.parts = tuple(parts)

    @classmethod
    def of_parts(cls, parts: SequenceOf[Any], fields: Fields) -> Self:
        return cls(parts)

    def settings(self) -> dict[str, object]:
        return {"pretokenizers": [part.to_json() for part in self.parts]}

    @property
    def stages(self) -> tuple[PreTokenizer, ...]:
        return tuple(chain.from_iterable(part.stages for part in self.parts))

    @property
    def asks_where(self) -> bool:  # type: ignore[override]
        return any(stage.asks_where for stage in self.stages)

    def split_aligned(self, aligned: Aligned) -> list[Aligned]:
        pieces = [aligned] if aligned.text else []
        for stage in self.stages:
            pieces = list(chain.from_iterable(map(stage.split_aligned, pieces)))
        return pieces

    def split(self, text: str, first: bool) -> list[str]:
        if not self.stages:
            return [text] if text else []
        return [*chain.from_iterable(self.stages[-1].split(*p) for p in self._before(text, first))]

    def cut(self, text: str, first: bool) -> list[str]:
        if not self.stages:
            return [text] if text else []
        return [*chain.from_iterable(self.stages[-1].cut(*p) for p in self._before(text, first))]

    def _before(self, text: str, first: bool) -> list[tuple[str, bool]]:
        """The pieces that the last stage is given, each with whether it stands first."""
        if any(stage.asks_where for stage in self.stages[1:]):
            # What stands first after several cuts is known from where it comes.
            aligned = [Aligned.of(text, start=0 if first else 1)]
            for stage in self.stages[:-1]:
                aligned = list(chain.from_iterable(map(stage.split_aligned, aligned)))
            return [(piece.text, piece.span(0, 0)[0] == 0) for piece in aligned]
        pieces = [text] if text else []
        for number, stage in enumerate(self.stages[:-1]):
            pieces = [*chain.from_iterable(stage.split(p, first and not number) for p in pieces)]
        return [(piece, first) for piece in pieces]
