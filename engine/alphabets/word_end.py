"""The marked ends of words: an alphabet with `</w>` behind each pretoken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.alphabets.alphabet import Alphabet
from engine.alphabets.messages import from_message
from engine.text.pretokenize import to_text
from engine.text.white_space import WHITE_SPACE


class WordEndAlphabet(Alphabet):
    """Another alphabet, and behind each pretoken a token that says that it ends there: `</w>`.

    What is nothing but whitespace is no word, and is spelled in no tokens at all.

    >>> from engine.alphabets import CharacterAlphabet
    >>> characters = CharacterAlphabet({"a": 5, "b": 6}, unknown=0)
    >>> alphabet = WordEndAlphabet(characters, marker=9)
    >>> alphabet.spell(b"ab"), list(alphabet.edges(b"ab")), alphabet.spell(b" ")
    ([5, 6, 9], [0, 1, 2, 2], [])
    """

    def __init__(self, inner: Alphabet, marker: int) -> None:
        self._inner = inner
        self._marker = marker

    @property
    def token_ids(self) -> Sequence[int]:
        return [*self._inner.token_ids, self._marker]

    @property
    def marker(self) -> int:
        return self._marker

    @property
    def inside(self) -> Alphabet:
        return self._inner

    def spell(self, pretoken: bytes) -> list[int]:
        return [] if is_blank(pretoken) else [*self._inner.spell(pretoken), self._marker]

    def edges(self, pretoken: bytes) -> Sequence[int]:
        return [0] if is_blank(pretoken) else [*self._inner.edges(pretoken), len(pretoken)]

    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        return "word ends", (self._inner.as_message(), self._marker)

    @classmethod
    def of_message(cls, *arguments: Any) -> Alphabet:
        inner, marker = arguments
        return cls(from_message(inner), marker)


def is_blank(pretoken: bytes) -> bool:
    """Whether there is nothing but whitespace in a pretoken.

    >>> is_blank(b" \\n"), is_blank(b" low")
    (True, False)
    """
    return not to_text(pretoken).strip(WHITE_SPACE)
