"""Where each pair has been seen to start.

A merge makes many pairs at once, numbered one after the other, and brings their starts grouped in
the same order. So the starts are kept merge by merge as they came, and a pair's are found by its
number. They are true when they are added; later merges may break some up, and whoever uses them
looks at the cells to see which still stand.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Protocol

from engine.change_log import Integers, Ints


class Groups(Protocol):
    """Starts of several pairs; those of each in ascending order."""

    def __getitem__(self, group: int, /) -> list[int] | Integers: ...


class Grouped(Groups):
    """Groups of starts, one after the other in one array. `ends`: where each group ends."""

    def __init__(self, starts: Integers, ends: Ints) -> None:
        self._starts = starts
        self._ends = ends

    def __getitem__(self, group: int, /) -> Integers:
        return self._starts[self._ends[group - 1] if group else 0 : self._ends[group]]


class Occurrences:
    """number of a pair → the cells where it starts."""

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._groups: list[Groups] = []

    def add(self, first: int, groups: Groups) -> None:
        """The starts of the pairs with the numbers `first`, `first` + 1, …"""
        self._firsts.append(first)
        self._groups.append(groups)

    def of(self, number: int) -> list[int] | Integers:
        place = bisect_right(self._firsts, number) - 1
        return self._groups[place][number - self._firsts[place]]
