"""A bounded memory that costs nothing where it knows the answer.

A dict with `__missing__` is read at C speed, inside `map` too, and Python code runs only for a key
that is not there. Such a dict cannot note which entries are in use (a hit runs none of our code), so it
keeps two generations: when the young one is full it becomes the old one, and what is asked
for again comes back from there. What was not asked for during a whole generation is forgotten. An eviction
moves one reference a generation, and so costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable

GENERATION = 1 << 26
"""Bytes, about, that one generation may take; there are two."""

LONGEST = 128
"""Longer keys hardly ever come again: they are not kept."""

# CPython's own: the headers of a bytes object and a tuple and a slot in a dict; a reference an id.
ENTRY_BYTES = 192
ID_BYTES = 8


class Remembered(dict[bytes, tuple[int, ...]]):
    """bytes → token ids: `compute` is asked once, as long as the answer is remembered.

    >>> lengths = Remembered(lambda key: (len(key),))
    >>> lengths[b"abc"], lengths
    ((3,), {b'abc': (3,)})
    """

    def __init__(
        self, compute: Callable[[bytes], tuple[int, ...]], generation: int = GENERATION
    ) -> None:
        super().__init__()
        self._compute = compute
        self._generation = self._room = generation
        self._old: dict[bytes, tuple[int, ...]] = {}

    def __missing__(self, key: bytes) -> tuple[int, ...]:
        ids = self._old.get(key)
        if ids is None:
            ids = self._compute(key)
            if len(key) > LONGEST:
                return ids
        self._room -= ENTRY_BYTES + len(key) + ID_BYTES * len(ids)
        if self._room < 0:
            self._begin_generation()
        self[key] = ids
        return ids

    def _begin_generation(self) -> None:
        self._old = self.copy()
        self.clear()
        self._room = self._generation
