"""`TypedText`: a typed text at a step, in pretokens with their ids.

Several panels ask for the same text at each key and each step, so what they get is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

from engine.text.patterns import Pattern
from engine.text.pretokenize import Pretoken, SpecialSplitter, pretokens

MOST_KNOWN = 1 << 16
"""Most pretokens whose ids are kept from one text to the next."""


class EncodedPretoken(NamedTuple):
    """A pretoken of a typed text with its token ids."""

    pretoken: Pretoken
    ids: tuple[int, ...]


UNSPELLED = "{parts}: no token, dropped"
"""The template of a sentence about parts of a text that have no token."""


def unspelled_places(data: bytes, spelled: bytes) -> list[int]:
    """Return the places of the bytes that tokens leave out; they spell the others in order.

    >>> unspelled_places(b"mug", b"ug")
    [0]
    """
    at, places = 0, list[int]()
    for place, byte in enumerate(data):
        if at < len(spelled) and spelled[at] == byte:
            at += 1
        else:
            places.append(place)
    return places


class TypedText:
    """Encodes a text at a step, and keeps the last texts: a line shown of a text, and the text.

    Args:
        ids_at: gives the ids of a text after a number of merges; whether it is a special token.
    """

    def __init__(
        self,
        pattern: Pattern,
        splitter: SpecialSplitter,
        ids_at: Callable[[str, bool, int], tuple[int, ...]],
    ) -> None:
        self._cut = lru_cache(2)(lambda text: list(pretokens(text, pattern, splitter)))
        self._ids_at = lru_cache(MOST_KNOWN)(ids_at)  # a long text repeats its words
        self._encoded = lru_cache(2)(self._encode)
        self._lock = Lock()  # a long text is encoded in a thread of its own

    def encode(self, text: str, step: int) -> list[EncodedPretoken]:
        """Return the pretokens of the text, each with its ids."""
        with self._lock:
            return self._encoded(text, step).copy()

    def _encode(self, text: str, step: int) -> list[EncodedPretoken]:
        ids_at = self._ids_at
        return [
            EncodedPretoken(each, ids_at(each.text, each.special, step)) for each in self._cut(text)
        ]
