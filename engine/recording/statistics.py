"""Statistics that models share: frequencies of pretokens, tied steps, compression.

A series over steps has an entry for each step 0, 1, …, so an index is a step.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Generic, TypeVar

from engine.core.arrays import Floats, Ints
from engine.core.slow_modules import np
from engine.recording.merge_record import MergeRecord, copied

PretokenT = TypeVar("PretokenT")
MOST_FREQUENT = 10_000
"""Number of the most frequent pretokens that are listed."""


@dataclass(eq=False)
class PretokenStatistics(Generic[PretokenT]):
    """Statistics of pretoken counts.

    >>> statistics = PretokenStatistics({b"low": 5, b"the": 9, b"lower": 2})
    >>> statistics.pretoken_counts.tolist(), statistics.commonest_pretoken
    ([9, 5, 2], b'the')
    """

    _counts: Mapping[PretokenT, int]

    @cached_property
    def pretoken_counts(self) -> Ints:
        """Counts of the distinct pretokens, the highest first: the place is index + 1.

        By Zipf's law (Human Behavior and the Principle of Least Effort, 1949) the count falls about
        as 1 ÷ place: a straight line if both axes are logarithmic.
        """
        return self._unsorted[self._order]

    @cached_property
    def commonest_pretoken(self) -> PretokenT | None:
        """The most frequent pretoken, the first of several; `None` for an empty corpus."""
        if not self._counts:
            return None
        return next(islice(self._counts, int(np.argmax(self._unsorted)), None))

    @cached_property
    def most_frequent(self) -> list[tuple[PretokenT, int]]:
        """The most frequent pretokens with their counts; of equal ones the first counted leads.

        >>> PretokenStatistics({"low": 5, "the": 9, "a": 5}).most_frequent
        [('the', 9), ('low', 5), ('a', 5)]
        """
        pretokens, places = list(self._counts), self._order[:MOST_FREQUENT].tolist()
        counts = self.pretoken_counts[:MOST_FREQUENT].tolist()
        return list(zip(map(pretokens.__getitem__, places), counts, strict=True))

    @cached_property
    def _order(self) -> Ints:
        """Places of the pretokens, the most frequent first; of equal ones the first counted."""
        return np.argsort(-self._unsorted, kind="stable")

    @cached_property
    def _unsorted(self) -> Ints:
        return np.fromiter(self._counts.values(), dtype=np.int64, count=len(self._counts))


BLOCK = 512
"""Number of steps that numpy examines at once."""


class TiedSteps(Sequence[int]):
    """The steps at which the winning pair was tied, in order.

    They are searched in blocks, on demand. A subclass counts the pairs that shared the top.
    """

    def __init__(self, record: Sized) -> None:
        self._recorded = record
        self._known = 0
        self._steps: Ints = np.zeros(0, dtype=np.int64)

    @abstractmethod
    def pairs_at_top(self, start: int, stop: int) -> Ints:
        """Count the pairs that shared the top before each of the merges `start` … `stop` − 1."""

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

    def nearest(self, step: int, direction: int) -> int | None:
        """Return the nearest tied step after `step` (direction 1) or before it (−1)."""
        steps = self.steps
        found = steps[steps > step][:1] if direction == 1 else steps[steps < step][-1:]
        return int(found[0]) if len(found) else None


LEFT_OUT = -1
"""Length of a special token, which is not counted."""


class MergeStatistics(PretokenStatistics[bytes]):
    """The series of a training that merges pairs. A subclass adds winning counts and lengths.

    Args:
        record: the record of the steps.
        counts: the pretoken counts that were trained on.
        tokens_at_start: number of tokens in the corpus at step 0.
    """

    def __init__(
        self, record: MergeRecord[Any], counts: Mapping[bytes, int], tokens_at_start: int
    ) -> None:
        super().__init__(counts)
        self._record = record
        self._byte_count = sum(len(pretoken) * count for pretoken, count in counts.items())
        self._tokens_at_start = tokens_at_start
        self._lengths: Ints = np.zeros(0, dtype=np.int64)

    @abstractmethod
    def winning_counts(self, steps: int) -> Ints:
        """Return the count of the merged pair for each of the first `steps` merges."""

    @abstractmethod
    def lengths_between(self, first: int, last: int) -> list[int]:
        """Return the lengths of tokens `first` … `last` − 1 by place; `LEFT_OUT` if special."""

    def tokens_in_corpus(self, steps: int) -> Ints:
        """Return the number of tokens in the corpus at steps 0 … `steps`."""
        return self._tokens_at_start - copied(self._record.removed, steps + 1)

    def bytes_per_token(self, steps: int) -> Floats:
        """Return the compression at steps 0 … `steps`; 1.0 for an empty corpus."""
        if not self._byte_count:
            return np.ones(steps + 1)
        compression: Floats = self._byte_count / self.tokens_in_corpus(steps)
        return compression

    def token_lengths(self, step: int) -> Ints:
        """Count the tokens of each length at a step: index n has those of length n.

        Special tokens are left out, because they were not learnt.
        """
        wanted = self._record.first_id + step
        newer = self.lengths_between(len(self._lengths), wanted)  # none if all are known
        self._lengths = np.append(self._lengths, newer).astype(np.int64)
        learnt = self._lengths[:wanted]
        return np.bincount(learnt[learnt != LEFT_OUT]).astype(np.int64)
