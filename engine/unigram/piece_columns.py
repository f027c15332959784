"""What never changes about the pieces of the seed, in columns by their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from engine.core.arrays import Ints
from engine.unigram.lattices import Flags
from engine.unigram.metaspace import SPACE


class PieceColumns:
    """Columns of the pieces `texts`, each made when it is first asked for.

    >>> columns = PieceColumns(["a", "A", "▁a", "b"])
    >>> columns.lengths.tolist(), columns.alphabetical.tolist()
    ([1, 1, 2, 1], [1, 0, 3, 2])
    >>> columns.have_twins(np.array([True, True, False, True])).tolist()
    [True, True, False, False]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    @cached_property
    def lengths(self) -> Ints:
        """Characters of each piece."""
        return np.fromiter(map(len, self._texts), dtype=np.int64, count=len(self._texts))

    @cached_property
    def alphabetical(self) -> Ints:
        """The place of each piece among all of them sorted."""
        places = np.empty(len(self._texts), dtype=np.int64)
        order = sorted(range(len(self._texts)), key=self._texts.__getitem__)
        places[order] = np.arange(len(self._texts))
        return places

    @cached_property
    def are_runs(self) -> Flags:
        """Which pieces are one character again and again, such as `!!!!`."""
        are = (len(text) > 1 and text == text[0] * len(text) for text in self._texts)
        return np.fromiter(are, dtype=np.bool_, count=len(self._texts))

    @cached_property
    def are_partial(self) -> Flags:
        """Which pieces hold a byte that is no UTF-8."""
        return np.fromiter(map(_is_partial, self._texts), dtype=np.bool_, count=len(self._texts))

    def have_twins(self, alive: Flags) -> Flags:
        """Which of the pieces alive differ from another only by case, or by a ▁ in front."""
        groups = self._case_groups
        sizes = np.bincount(groups[alive], minlength=len(groups))
        found = alive & (sizes[groups] > 1)
        spaced, bare = self._with_and_without_space
        both = alive[spaced] & alive[bare]
        found[spaced[both]] = found[bare[both]] = True
        return found

    @cached_property
    def _case_groups(self) -> Ints:
        """The same number for pieces that are the same in lower case."""
        group_of: dict[str, int] = {}
        groups = (group_of.setdefault(text.lower(), len(group_of)) for text in self._texts)
        return np.fromiter(groups, dtype=np.int64, count=len(self._texts))

    @cached_property
    def _with_and_without_space(self) -> tuple[Ints, Ints]:
        """The pieces with a ▁ in front of another piece, and these others."""
        number_of = {text: number for number, text in enumerate(self._texts)}
        pairs = [
            (number, number_of[text[1:]])
            for text, number in number_of.items()
            if text.startswith(SPACE) and text[1:] in number_of
        ]
        spaced, bare = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
        return spaced, bare


def _is_partial(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
