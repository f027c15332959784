"""Merges that a trainer made, forced on the corpus whatever the rule says, in the kernel or not.

Forced merges make counts fall as the rule's own do, so the lazy heap of pairs stays exact.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.analysis.check.claim import Assignment
from engine.bpe.trainers import native
from engine.bpe.trainers.algorithm import TrainingTask
from engine.bpe.trainers.heap import queue_of
from engine.bpe.trainers.indexed import PairIndex
from engine.core.events import Pair


class _InPython:
    """The pairs of a corpus while merges are forced on it.

    Attributes:
        vocab: id → bytes, of all tokens made so far.
    """

    def __init__(self, assignment: Assignment) -> None:
        task: TrainingTask = assignment.task()
        self._task = task
        self.vocab = task.vocab
        self._index = index = PairIndex(task)
        self._queue, self._choose = queue_of(task, index.counts, index.first_seen)

    def pop_best(self) -> Pair | None:
        """Return the rule's choice among the pairs that it has not returned before, if any."""
        return self._queue.pop_best(self._choose)

    def count_of(self, pair: Pair) -> int:
        """Return the count of a pair now."""
        return self._index.counts.get(pair, 0)

    def merge(self, pair: Pair) -> int:
        """Merge a pair that occurs; return the id of its token."""
        new_id = self._task.join(pair)
        for changed in map(self._task.pairs.__getitem__, self._index.merge(pair, new_id).changed):
            if new_id in changed:
                self._queue.push(changed)
        return new_id

    def counts(self) -> Mapping[Pair, int]:
        """Return the pairs that occur now, with their counts."""
        return self._index.counts


class _InKernel:
    """The kernel's form of `_InPython`, with its methods."""

    def __init__(self, assignment: Assignment) -> None:
        self._task = task = assignment.task(kind=native.NativeTask)
        self.vocab = task.vocab
        self._merger = task.merger

    def pop_best(self) -> Pair | None:
        number = self._merger.pop()
        return None if number is None else self._merger.pair_of(number)

    def count_of(self, pair: Pair) -> int:
        number = self._merger.number_of(*pair)
        return 0 if number is None else self._merger.count_of(number)

    def merge(self, pair: Pair) -> int:
        number = self._merger.number_of(*pair)
        assert number is not None  # it occurs
        self._task.join(pair)
        return self._merger.merge(number)

    def counts(self) -> Mapping[Pair, int]:
        ids, counts = self._merger.counted()
        pairs = zip(ids[::2], ids[1::2], strict=True)
        return {pair: count for pair, count in zip(pairs, counts, strict=True) if count}


def forced_merges(assignment: Assignment) -> _InPython | _InKernel:
    """Return the corpus of an assignment before any merge."""
    in_kernel = native.ALGORITHM.can_solve(assignment.counts, assignment.tie_rule)
    return (_InKernel if in_kernel else _InPython)(assignment)
