"""Encoding a text pretoken by pretoken, where each distinct pretoken is encoded only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain

from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import to_bytes

REMEMBERED = 1 << 16
"""Number of pretokens whose ids are kept."""
LONGEST = 1 << 6
"""Characters of the longest pretoken whose ids are kept, so that all take 200 MB at most."""


class PretokenEncoder:
    """Encodes text pretoken by pretoken, and keeps its memory between texts.

    Args:
        pattern: cuts text into pretokens.
        encode: gives the ids of one pretoken.
    """

    def __init__(self, pattern: Pattern, encode: Callable[[bytes], Sequence[int]]) -> None:
        # Most such texts are one pretoken, already cut; a regex would take longer than all else.
        is_whole = pattern.source == PATTERNS["none"].source
        self._split = (lambda text: [text] if text else []) if is_whole else pattern.split
        self._encode = encode
        self._ids_of = lru_cache(REMEMBERED)(self._computed)

    def _computed(self, text: str) -> tuple[int, ...]:
        return tuple(self._encode(to_bytes(text)))

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens and stray surrogates."""
        pieces, ids_of, computed = self._split(text), self._ids_of, self._computed
        if len(max(pieces, key=len, default="")) <= LONGEST:
            return list(chain.from_iterable(map(ids_of, pieces)))
        found = (ids_of(each) if len(each) <= LONGEST else computed(each) for each in pieces)
        return list(chain.from_iterable(found))
