"""A bounded memory that costs nothing where it knows the answer.

A dict with `__missing__` is read at C speed, inside `map` too; Python code runs only for a key
that is not there. Such a dict cannot note which entries are in use, so it keeps two generations:
when the young one is full it becomes the old one, and what is asked for again comes back from
there. What nobody asked for during a whole generation is forgotten, all at once: evicting costs
nothing for each entry. A text of few words never fills a generation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Key = TypeVar("Key", bound=str | bytes)

LONGEST = 1 << 12
"""Longer keys are not kept: one of them takes the room of hundreds of words."""

# CPython's own: headers of key and tuple, a slot in the dict; then a reference for each id.
ENTRY_BYTES = 192
ID_BYTES = 8


class BoundedMemo(dict[Key, tuple[int, ...]]):
    """Text → token ids: `compute` is asked once, as long as the answer is remembered.

    `generation` is what one generation may take, in bytes; there are two.

    >>> lengths = BoundedMemo(lambda key: (len(key),), generation=1 << 20)
    >>> lengths["abc"], lengths
    ((3,), {'abc': (3,)})
    """

    def __init__(self, compute: Callable[[Key], tuple[int, ...]], generation: int) -> None:
        super().__init__()
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
