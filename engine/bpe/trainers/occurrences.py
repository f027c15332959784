"""Where each pair has been seen to start.

A merge makes many pairs at once, numbered one after the other, and brings their starts grouped in
the same order. So the starts are kept merge by merge as they came, and a pair's are found by its
number. They are true when they are added; later merges may break some up, and whoever uses them
looks at the cells to see which still stand.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from engine.core.arrays import Integers, Ints


class Grouped:
    """Groups of starts, one after the other in one array. `ends`: where each group ends."""

    def __init__(self, starts: Integers, ends: Ints) -> None:
        self._starts = starts
        self._ends = ends

    def __getitem__(self, group: int) -> Integers:
        return self._starts[self._ends[group - 1] if group else 0 : self._ends[group]]


Groups = Sequence[list[int] | Integers] | Grouped
"""The starts of several pairs; those of each in ascending order."""


class Occurrences:
    """number of a pair → the cells where it starts."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._groups: list[Groups] = []
        self._end = 0

    def add(self, groups: Groups, pairs: int) -> None:
        """The starts of so many pairs more, numbered on."""
        self._firsts.append(self._end)
        self._groups.append(groups)
        self._end += pairs

    def of(self, number: int) -> list[int] | Integers:
        # Additions of no pairs share their first number with the next one, which is found.
        place = bisect_right(self._firsts, number) - 1
        return self._groups[place][number - self._firsts[place]]
