"""The pairs at one step with their scores: which is best, which are tied, which come next.

Every merge changes the counts of two pieces, and with them the score of *each* pair that holds
one, upwards, too: what is left of a piece becomes rarer. No heap survives that. But a step needs
the best pair only, and numpy finds it among all of them in one pass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from typing import Any

import numpy as np

from engine.core.arrays import Integers, Ints
from engine.core.events import Pair
from engine.recording.numbering import PairNumbers
from engine.wordpiece.score import NEARLY, Score, estimates, highest, standings


@dataclass(frozen=True)
class ScoredPair:
    """A pair with its score; `tied` says that it shares the highest score with another."""

    pair: Pair
    score: Score
    tied: bool


@dataclass(frozen=True)
class TieOrder:
    """A tie rule at work: `key` puts tied pairs in order, the least first.

    With `by_count` the more frequent come before the others, whatever their keys.
    """

    key: Callable[[Pair], Any]
    by_count: bool


class Scoreboard:
    """The pairs that may merge at one step.

    Args:
        pairs: number → pair.
        numbers: the pairs that stand often enough, by their numbers.
        counts: how often each of these stands.
        lefts, rights: how often its left and its right piece stand in the corpus.
    """

    def __init__(
        self, pairs: PairNumbers, numbers: Ints, counts: Integers, lefts: Integers, rights: Integers
    ) -> None:
        self._pairs = pairs
        self._numbers = numbers
        self._counts = counts.astype(np.int64)
        self._lefts = lefts.astype(np.int64)
        self._rights = rights.astype(np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    @cached_property
    def _leaders(self) -> Ints:
        """The places of the pairs that share the highest score."""
        return highest(self._counts, self._lefts, self._rights)

    @property
    def leader_count(self) -> int:
        """How many pairs share the highest score."""
        return len(self._leaders)

    @property
    def tied(self) -> list[Pair]:
        """All pairs of the highest score, in no order."""
        return [self._pair(place) for place in self._leaders.tolist()]

    def best(self, order: TieOrder) -> Pair | None:
        """The pair that merges next; `None` if there is none."""
        leaders = self._leaders
        if not len(leaders):
            return None
        if order.by_count:
            counts = self._counts[leaders]
            leaders = leaders[counts == counts.max()]
        if len(leaders) == 1:
            return self._pair(int(leaders[0]))
        return min(map(self._pair, leaders.tolist()), key=order.key)

    def most_frequent(self, order: TieOrder) -> ScoredPair | None:
        """The pair of the highest count, whatever its score; `None` if there is none."""
        if not len(self._numbers):
            return None
        most = np.flatnonzero(self._counts == self._counts.max()).tolist()
        place = min(most, key=lambda place: order.key(self._pair(place)))
        return self._scored(place)

    def top(self, limit: int, order: TieOrder) -> list[ScoredPair]:
        """The pairs of the highest scores, in the order in which they would be taken now."""
        near = self._near_the_top(limit)
        counts = self._counts[near]
        ranked = zip(
            standings(counts, self._lefts[near], self._rights[near]),
            (-counts if order.by_count else np.zeros_like(counts)).tolist(),
            map(order.key, map(self._pair, near.tolist())),
            near.tolist(),
            strict=True,
        )
        return [self._scored(place) for *_, place in nsmallest(limit, ranked)]

    @cached_property
    def _tied_places(self) -> frozenset[int]:
        """Those that share the highest score with another."""
        leaders: list[int] = self._leaders.tolist()
        return frozenset(leaders if len(leaders) > 1 else ())

    def _scored(self, place: int) -> ScoredPair:
        return ScoredPair(self._pair(place), self._score(place), place in self._tied_places)

    def _near_the_top(self, limit: int) -> Ints:
        """Places that hold the `limit` highest scores, and few others."""
        rounded = estimates(self._counts, self._lefts, self._rights)
        if not 0 < limit < len(rounded):
            return np.arange(len(rounded))
        least = np.partition(rounded, len(rounded) - limit)[len(rounded) - limit]
        return np.flatnonzero(rounded >= least * NEARLY)

    def _pair(self, place: int) -> Pair:
        return self._pairs[int(self._numbers[place])]

    def _score(self, place: int) -> Score:
        return Score(int(self._counts[place]), int(self._lefts[place]), int(self._rights[place]))
