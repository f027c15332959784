"""Characters that are written otherwise inside of a word: WordPiece's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

from engine.alphabets.alphabet import Alphabet
from engine.text.pretokenize import to_bytes, to_text


class ContinuationAlphabet(Alphabet):
    """A character is one token where it begins a pretoken, and another inside: `a` and `##a`.

    Args:
        first: character → id of it at the beginning.
        inside: character → id of it elsewhere.
        unknown: the id for a character that is not there.

    >>> ContinuationAlphabet({"a": 5}, {"a": 7, "b": 8}, unknown=0).spell(b"abac")
    [5, 8, 7, 0]
    """

    def __init__(self, first: Mapping[str, int], inside: Mapping[str, int], unknown: int) -> None:
        self._first = first
        self._inside = inside
        self._unknown = unknown

    @property
    def token_ids(self) -> Sequence[int]:
        return [*self._first.values(), *self._inside.values(), self._unknown]

    def spell(self, pretoken: bytes) -> list[int]:
        text, unknown, inside = to_text(pretoken), self._unknown, self._inside
        spelled = [inside.get(character, unknown) for character in text]
        if text:
            spelled[0] = self._first.get(text[0], unknown)
        return spelled

    def edges(self, pretoken: bytes) -> Sequence[int]:
        widths = (len(to_bytes(character)) for character in to_text(pretoken))
        return list(accumulate(widths, initial=0))

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "continuations", (dict(self._first), dict(self._inside), self._unknown)
