"""`TypedText`: a typed text at a step, in pretokens with their ids.

Several panels ask for the same text at each key and each step, so what they get is kept.
"""

from __future__ import annotations

from collections.abc import Callable
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


IdsAt = Callable[[Pretoken, int], tuple[int, ...]]
"""Gives the ids of a pretoken after a number of merges."""
LINE = 1_000
"""Characters of the longest text that counts as one line."""


class TypedText:
    """Encodes a text at a step, and keeps the last text and the ids of its pretokens.

    It keeps one line and one longer text, so that the line shown of a text does not replace the
    text.
    """

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter, ids_at: IdsAt) -> None:
        self._line = _TextAtStep(pattern, splitter, ids_at)
        self._longer = _TextAtStep(pattern, splitter, ids_at)
        self._lock = Lock()  # a long text is encoded in a thread of its own

    def encode(self, text: str, step: int) -> list[EncodedPretoken]:
        """Return the pretokens of the text, each with its ids."""
        with self._lock:
            return (self._line if len(text) <= LINE else self._longer).encode(text, step)


class _TextAtStep:
    """The text that was encoded last, and its step."""

    def __init__(self, pattern: Pattern, splitter: SpecialSplitter, ids_at: IdsAt) -> None:
        self._pattern, self._splitter, self._ids_at = pattern, splitter, ids_at
        self._step, self._text = 0, ""
        self._known: dict[str, tuple[int, ...]] = {}  # a long text repeats its words
        self._pretokens: list[Pretoken] = []
        self._encoded: list[EncodedPretoken] | None = []

    def encode(self, text: str, step: int) -> list[EncodedPretoken]:
        if text != self._text:
            self._pretokens = list(pretokens(text, self._pattern, self._splitter))
            self._text, self._encoded = text, None
        if step != self._step:
            self._step, self._encoded, self._known = step, None, {}
        if self._encoded is None:
            if len(self._known) > MOST_KNOWN:
                self._known = {}
            self._encoded = list(map(self._with_ids, self._pretokens))
        return self._encoded.copy()

    def _with_ids(self, pretoken: Pretoken) -> EncodedPretoken:
        if pretoken.special:
            return EncodedPretoken(pretoken, self._ids_at(pretoken, self._step))
        ids = self._known.get(pretoken.text)
        if ids is None:
            ids = self._known[pretoken.text] = self._ids_at(pretoken, self._step)
        return EncodedPretoken(pretoken, ids)
