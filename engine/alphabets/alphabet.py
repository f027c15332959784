"""`Alphabet`: the tokens that a pretoken is made of before any merge.

Byte-level BPE starts from the 256 bytes, so it can spell anything. Other vocabularies start from
characters; what they cannot spell is written in bytes or as an unknown token.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any


class Alphabet(ABC):
    """What stands for the smallest parts of a text. `token_ids` are all that it can give."""

    @property
    @abstractmethod
    def token_ids(self) -> Sequence[int]:
        """The ids of the tokens that no merge makes."""

    @abstractmethod
    def spell(self, pretoken: bytes) -> list[int]:
        """The ids of a pretoken before any merge."""

    @abstractmethod
    def edges(self, pretoken: bytes) -> Sequence[int]:
        """Where each of these ids begins, in bytes, and last where the pretoken ends."""

    @abstractmethod
    def as_message(self) -> tuple[str, tuple[Any, ...]]:
        """Its name in `ALPHABETS` and its arguments, in values that can be marshalled."""

    @classmethod
    def of_message(cls, *arguments: Any) -> Alphabet:
        """The inverse, of the arguments."""
        return cls(*arguments)

    @property
    def unit(self) -> str:
        """What one of its tokens stands for, in a word."""
        return "character"

    @property
    def marker(self) -> int | None:
        """The id of a token of no bytes that stands behind each pretoken; `None`: there is none."""
        return None

    @property
    def inside(self) -> Alphabet:
        """What spells a part of a pretoken that does not reach its end."""
        return self

    @property
    def spells_apart(self) -> bool:
        """Whether each character is spelled as if it stood alone, whatever is beside it."""
        return False

    def token_count(self, counts: Mapping[bytes, int]) -> int:
        """How many tokens the pretokens are before any merge.

        >>> from engine.alphabets import BYTES
        >>> BYTES.token_count({"né".encode(): 2})
        6
        """
        return sum(len(self.spell(pretoken)) * count for pretoken, count in counts.items())
