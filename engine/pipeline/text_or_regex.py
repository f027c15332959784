"""`TextOrRegex`: what a stage of `tokenizer.json` looks for, found as Oniguruma's users find it.

An empty match is not taken where the last match ended, and after one the search goes on a
character further; Python's `finditer` does otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import regex

from engine.core.errors import PatternError
from engine.pipeline.json_fields import Fields
from engine.pipeline.oniguruma import alternatives


@dataclass(frozen=True)
class TextOrRegex:
    """What `Split` and `Replace` look for: a text as it stands, or a regex.

    Attributes:
        text: the text; `None` if it is a regex.
        regex: the regex, in Oniguruma's dialect; `None` if it is a text.
    """

    text: str | None = None
    regex: str | None = None

    @classmethod
    def from_json(cls, fields: Fields) -> TextOrRegex:
        """From `{"String": …}` or `{"Regex": …}`."""
        if fields.has("String"):
            return cls(text=fields.text("String"))
        found = cls(regex=fields.text("Regex"))
        try:
            alternatives(found.regex or "")
        except PatternError as error:
            raise fields.error("Regex", str(error)) from None
        return found

    def to_json(self) -> dict[str, str]:
        """The inverse of `from_json`."""
        return {"Regex": self.regex} if self.regex is not None else {"String": self.text or ""}

    @cached_property
    def _compiled(self) -> Any:
        if self.regex is None:
            return regex.compile(regex.escape(self.text or ""))
        return regex.compile("|".join(alternatives(self.regex)))

    def matches(self, text: str) -> Iterator[tuple[int, int]]:
        """Where it is found, from left to right; an empty text holds nothing."""
        if not text:
            return iter(())
        spans = [match.span() for match in self._compiled.finditer(text)]
        return iter(spans) if all(start < end for start, end in spans) else self._with_empty(text)

    def _with_empty(self, text: str) -> Iterator[tuple[int, int]]:
        place, last_end = 0, -1
        while place <= len(text) and (match := self._compiled.search(text, place)):
            start, end = match.span()
            if start == end == last_end:
                place += 1
            else:
                place = last_end = end
                yield start, end
