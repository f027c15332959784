"""Whitespace away at either end; a text put in front."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import Edit, EditingNormalizer
from engine.text.white_space import WHITE_SPACE


class Strip(EditingNormalizer):
    """Takes whitespace away at the left, at the right, or at both ends."""

    name = "Strip"

    def __init__(self, left: bool = True, right: bool = True) -> None:
        self.left = left
        self.right = right

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.flag("strip_left"), fields.flag("strip_right"))

    def settings(self) -> dict[str, object]:
        return {"strip_left": self.left, "strip_right": self.right}

    def edits(self, text: str) -> Iterator[Edit]:
        start = len(text) - len(text.lstrip(WHITE_SPACE)) if self.left else 0
        if start:
            yield Edit(0, start, "")
        end = len(text.rstrip(WHITE_SPACE)) if self.right else len(text)
        if start < len(text) and end < len(text):
            yield Edit(end, len(text), "")


class Prepend(EditingNormalizer):
    """Puts a text in front of what is not empty: SentencePiece's `▁` before the first word."""

    name = "Prepend"

    def __init__(self, prepend: str) -> None:
        self.prepend = prepend

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(fields.text("prepend"))

    def settings(self) -> dict[str, object]:
        return {"prepend": self.prepend}

    def edits(self, text: str) -> Iterator[Edit]:
        if text:
            # It goes with the first character, so that no span is empty.
            yield Edit(0, 1, self.prepend + text[0])

    def normalize(self, text: str) -> str:
        return self.prepend + text if text else text
