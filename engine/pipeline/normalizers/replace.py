"""One text, or whatever a regex finds, replaced by another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

from engine.pipeline.json_fields import Fields
from engine.pipeline.normalizers.normalizer import Edit, EditingNormalizer
from engine.pipeline.text_or_regex import TextOrRegex


class Replace(EditingNormalizer):
    """Each match becomes `content`, literally; that comes from the last character of the match."""

    name = "Replace"

    def __init__(self, pattern: TextOrRegex, content: str) -> None:
        self.pattern = pattern
        self.content = content

    @classmethod
    def from_json(cls, fields: Fields) -> Self:
        return cls(TextOrRegex.from_json(fields.inner("pattern")), fields.text("content"))

    def settings(self) -> dict[str, object]:
        return {"pattern": self.pattern.to_json(), "content": self.content}

    def edits(self, text: str) -> Iterator[Edit]:
        for start, end in self.pattern.matches(text):
            last = max(start, end - 1)
            if start < last:
                yield Edit(start, last, "")
            yield Edit(last, end, self.content)

    def normalize(self, text: str) -> str:
        if self.pattern.text:
            return text.replace(self.pattern.text, self.content)
        return super().normalize(text)
