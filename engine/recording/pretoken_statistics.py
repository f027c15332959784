"""How frequent the pretokens of a corpus are, whatever is trained on them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import islice
from typing import Generic, TypeVar

import numpy as np

from engine.core.arrays import Ints

Pretoken = TypeVar("Pretoken")


class PretokenStatistics(Generic[Pretoken]):
    """The series of some pretoken counts.

    >>> statistics = PretokenStatistics({b"low": 5, b"the": 9, b"lower": 2})
    >>> statistics.pretoken_counts.tolist(), statistics.commonest_pretoken
    ([9, 5, 2], b'the')
    """

    def __init__(self, counts: Mapping[Pretoken, int]) -> None:
        self._counts = counts

    @cached_property
    def pretoken_counts(self) -> Ints:
        """How often each distinct pretoken occurs, the most frequent first: the rank is index + 1.

        By Zipf's law (Human Behavior and the Principle of Least Effort, 1949) the count falls about
        as 1 ÷ rank: a straight line where both axes are logarithmic.
        """
        return np.sort(self._unsorted)[::-1]

    @cached_property
    def commonest_pretoken(self) -> Pretoken | None:
        """The pretoken of rank 1, the first met of equals; `None` for an empty corpus."""
        if not self._counts:
            return None
        return next(islice(self._counts, int(np.argmax(self._unsorted)), None))

    @cached_property
    def _unsorted(self) -> Ints:
        return np.fromiter(self._counts.values(), dtype=np.int64, count=len(self._counts))
