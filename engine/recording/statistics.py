"""Statistics that models share: how frequent pretokens are, which steps were tied, compression.

Series over steps have an entry for each step 0, 1, …, so that an index is a step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence, Sized
from functools import cached_property
from itertools import islice
from typing import Generic, TypeVar

from engine.core.arrays import Floats, Ints, np

PretokenT = TypeVar("PretokenT")


class PretokenStatistics(Generic[PretokenT]):
    """The series of some pretoken counts.

    >>> statistics = PretokenStatistics({b"low": 5, b"the": 9, b"lower": 2})
    >>> statistics.pretoken_counts.tolist(), statistics.commonest_pretoken
    ([9, 5, 2], b'the')
    """

    def __init__(self, counts: Mapping[PretokenT, int]) -> None:
        self._counts = counts

    @cached_property
    def pretoken_counts(self) -> Ints:
        """How often each distinct pretoken occurs, the most frequent first: the rank is index + 1.

        By Zipf's law (Human Behavior and the Principle of Least Effort, 1949) the count falls about
        as 1 ÷ rank: a straight line where both axes are logarithmic.
        """
        return np.sort(self._unsorted)[::-1]

    @cached_property
    def commonest_pretoken(self) -> PretokenT | None:
        """The pretoken of rank 1, the first met of equals; `None` for an empty corpus."""
        if not self._counts:
            return None
        return next(islice(self._counts, int(np.argmax(self._unsorted)), None))

    @cached_property
    def _unsorted(self) -> Ints:
        return np.fromiter(self._counts.values(), dtype=np.int64, count=len(self._counts))


BLOCK = 512
"""Steps looked at together, so that numpy has enough to do."""


class TiedSteps(Sequence[int]):
    """The steps at which the winning pair was tied, in order.

    They are looked for in blocks, when somebody asks. A subclass says how many pairs shared the
    top.
    """

    def __init__(self, record: Sized) -> None:
        self._recorded = record
        self._known = 0
        self._steps: Ints = np.zeros(0, dtype=np.int64)

    @abstractmethod
    def pairs_at_top(self, start: int, stop: int) -> Ints:
        """How many pairs shared the top before each of the merges `start` … `stop` − 1."""

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> int:  # type: ignore[override]
        return int(self.steps[index])

    @property
    def steps(self) -> Ints:
        """Step numbers, from 1, of the merges whose pair shared the top with another."""
        while self._known < len(self._recorded):
            stop = min(self._known + BLOCK, len(self._recorded))
            tied = np.flatnonzero(self.pairs_at_top(self._known, stop) > 1)
            self._steps = np.append(self._steps, tied + self._known + 1)
            self._known = stop
        return self._steps

    def is_tied(self, step: int) -> bool:
        """Whether the merge that led to a step was tied."""
        steps = self._steps if step <= self._known else self.steps
        index = int(np.searchsorted(steps, step))
        return index < len(steps) and int(steps[index]) == step

    def until(self, step: int) -> int:
        """How many of the first `step` merges were tied."""
        return int(np.searchsorted(self.steps, step, side="right"))

    def nearest(self, step: int, direction: int) -> int | None:
        """The nearest tied step after `step` (1) or before it (−1)."""
        if direction > 0:
            index = int(np.searchsorted(self.steps, step, side="right"))
        else:
            index = int(np.searchsorted(self.steps, step, side="left")) - 1
        return int(self.steps[index]) if 0 <= index < len(self.steps) else None


LEFT_OUT = -1
"""Stands for the length of a token that is not counted: a special one."""


class MergeStatistics(PretokenStatistics[bytes]):
    """The series that every training has which merges pairs.

    `counts` are the pretoken counts that it was trained on, `byte_count` the bytes in all of them.
    A subclass says how often the winners stood, how many tokens that left, and how long they are.
    """

    def __init__(self, counts: Mapping[bytes, int], byte_count: int, ties: TiedSteps) -> None:
        super().__init__(counts)
        self._byte_count = byte_count
        self._ties = ties
        self._lengths: Ints = np.zeros(0, dtype=np.int64)

    @abstractmethod
    def winning_counts(self, steps: int) -> Ints:
        """The count of the pair that merged, for each of the first `steps` merges."""

    @abstractmethod
    def tokens_in_corpus(self, steps: int) -> Ints:
        """How many tokens the corpus has at steps 0 … `steps`."""

    @abstractmethod
    def token_count(self, step: int) -> int:
        """How many tokens the vocabulary has at a step."""

    @abstractmethod
    def lengths_between(self, first: int, last: int) -> list[int]:
        """How long the tokens from one place to another are, `LEFT_OUT` for special ones."""

    def bytes_per_token(self, steps: int) -> Floats:
        """The compression at steps 0 … `steps`; 1.0 throughout for an empty corpus."""
        if not self._byte_count:
            return np.ones(steps + 1)
        compression: Floats = self._byte_count / self.tokens_in_corpus(steps)
        return compression

    def ties(self, steps: int) -> Ints:
        """How many merges were tied by steps 0 … `steps`."""
        tied = self._ties.steps
        tied_at = np.bincount(tied[tied <= steps], minlength=steps + 1)
        return np.cumsum(tied_at).astype(np.int64)

    def token_lengths(self, step: int) -> Ints:
        """How many tokens are so long at a step, by the length.

        Special tokens are left out: nothing learnt them.
        """
        known, wanted = len(self._lengths), self.token_count(step)
        if known < wanted:
            newer = self.lengths_between(known, wanted)
            self._lengths = np.append(self._lengths, newer).astype(np.int64)
        learnt = self._lengths[:wanted]
        return np.bincount(learnt[learnt != LEFT_OUT]).astype(np.int64)
