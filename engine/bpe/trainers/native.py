"""What `fast` does, by the kernel: in C, batch by batch, where it could be compiled.

To know what it does read `fast`, whose names it has. Only the queue is another: a heap in place of
the buckets.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from engine.bpe.trainers import fast
from engine.bpe.trainers.problem import Algorithm, Problem
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.native.merging import STEP, TIE_RULES, Batch, Merger, can_merge
from engine.recording.merge_record import Merge, MergeBatch
from engine.recording.numbering import STRIDE, PairNumbers

_ANY = 2**62
"""More steps than there can be."""


class NativePairs(PairNumbers):
    """The numbers that the kernel gives. It is asked for the number of a pair, too."""

    def __init__(self, merger: Merger) -> None:
        self._keys = self._column = array("q")
        self._merger = merger
        self.extend(merger.start_pairs)

    def extend(self, pairs: bytes) -> None:
        """Pairs that the kernel has numbered, as in `Batch`."""
        keys = np.frombuffer(pairs, np.int32).astype(np.int64).reshape(-1, 2) @ (STRIDE, 1)
        self._column.frombytes(keys.astype(np.int64).tobytes())

    def number_of(self, pair: Pair) -> int | None:
        return self._merger.number_of(*pair)


class NativeProblem(Problem):
    """A problem whose pairs the kernel numbers."""

    def _start(self) -> tuple[PairNumbers, list[int]]:
        self.merger = Merger(
            *(self.counts, len(self.vocab), self.tie_rule.name, _tie_ids(self.tie_rule.name)),
            *(self.min_count, self.max_token_length),
        )
        self.native_pairs = NativePairs(self.merger)
        return self.native_pairs, array("q", self.merger.start).tolist()


def _tie_ids(tie_rule: str) -> Sequence[int]:
    """byte → what it counts for where ids break ties; see `ties`."""
    if tie_rule != "huggingface":
        return range(256)
    by_char = sorted(BYTE_TO_CHAR.values())
    return [by_char.index(BYTE_TO_CHAR[byte]) for byte in range(256)]


def native(problem: Problem) -> Iterator[Merge]:
    """The merges one by one, for whoever keeps no record."""
    for batch in batches(problem, _ANY):
        ends = (0, *batch.changes_ends.tolist())
        numbers, counts = batch.numbers.tolist(), batch.counts.tolist()
        occurrences, pretokens = batch.occurrences.tolist(), batch.pretokens.tolist()
        for index, (begin, end) in enumerate(pairwise(ends)):
            left, right = batch.pairs[index].tolist()
            problem.join((left, right))
            yield Merge(
                *(numbers[index], counts[index], batch.changed[begin:end], batch.after[begin:end]),
                *(occurrences[index], pretokens[index]),
            )


def batches(problem: Problem, steps: int) -> Iterator[MergeBatch]:
    """The merges in batches, so many or until no pair is left."""
    if not isinstance(problem, NativeProblem):
        raise TypeError("this algorithm needs a problem of its own kind: `Algorithm.problem`")
    for batch in problem.merger.batches(steps):
        problem.native_pairs.extend(batch.pairs)
        yield _as_columns(batch, problem.native_pairs)


def _as_columns(batch: Batch, pairs: PairNumbers) -> MergeBatch:
    steps = np.frombuffer(batch.steps, np.int64).reshape(-1, STEP)
    numbers, counts, occurrences, pretokens, ends, widths = steps.T
    return MergeBatch(
        np.array([pairs[number] for number in numbers.tolist()], np.int64),
        *(numbers, counts, occurrences, pretokens),
        np.frombuffer(batch.changed, np.int32),
        np.frombuffer(batch.after, np.int64),
        *(ends, widths),
    )


ALGORITHM = Algorithm(
    "native",
    "what `fast` does, in C; the default where it could be compiled",
    native,
    fast.PSEUDOCODE,
    (),
    static_only=True,
    bytes_only=True,
    problem=NativeProblem,
    batches=batches,
    can_solve=lambda counts, tie_rule: tie_rule.name in TIE_RULES and can_merge(counts),
)
