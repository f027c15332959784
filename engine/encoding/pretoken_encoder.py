"""Encoding a text pretoken by pretoken, where each distinct pretoken is encoded only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeVar

from engine.text.patterns import PATTERNS, Pattern
from engine.text.pretokenize import to_bytes

# A bounded memory that is as fast as a dict for known keys
#
# A dict with `__missing__` is read at C speed, inside `map` too; Python code runs only for a key
# that is missing. Such a dict cannot record which entries are in use, so it has two generations.
# When the young one is full it becomes the old one, and entries that are used again come back from
# there. Entries unused for a whole generation are dropped all at once, so evicting costs nothing
# per entry. A text of few words never fills a generation.


Key = TypeVar("Key", bound=str | bytes)

LONGEST = 1 << 12
"""Bytes of the longest key that is kept; a longer one takes the room of hundreds of words."""

# CPython's overhead: headers of key and tuple, a slot in the dict; then a reference for each id.
ENTRY_BYTES = 192
ID_BYTES = 8


class BoundedMemo(dict[Key, tuple[int, ...]]):
    """Text → token ids: `compute` is called once, as long as the answer is remembered.

    `generation` is the size of one of its two generations, in bytes.

    >>> lengths = BoundedMemo(lambda key: (len(key),), generation=1 << 20)
    >>> lengths["abc"], lengths
    ((3,), {'abc': (3,)})
    """

    def __init__(self, compute: Callable[[Key], tuple[int, ...]], generation: int) -> None:
        self._compute = compute
        self._generation = self._room = generation
        self._old: dict[Key, tuple[int, ...]] = {}

    def __missing__(self, key: Key) -> tuple[int, ...]:
        ids = self._old.get(key)
        if ids is None:
            ids = self._compute(key)
            if len(key) > LONGEST:
                return ids
        self._room -= ENTRY_BYTES + len(key) + ID_BYTES * len(ids)
        if self._room < 0:
            self._old = self.copy()
            self.clear()
            self._room = self._generation
        self[key] = ids
        return ids


PRETOKENS = 1 << 25
"""Bytes of one generation of the memory."""


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
        self._ids_of = BoundedMemo[str](lambda text: tuple(encode(to_bytes(text))), PRETOKENS)

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text without special tokens and stray surrogates."""
        return list(chain.from_iterable(map(self._ids_of.__getitem__, self._split(text))))
