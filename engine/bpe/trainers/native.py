"""The algorithm of `fast` in C: the kernel trains, batch by batch, if it could be compiled.

To understand it read `fast`, which uses the same names. Only the queue differs: the kernel has a
heap, `fast` has buckets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.bpe.trainers import fast
from engine.bpe.trainers.algorithm import Algorithm, TrainingTask
from engine.core.arrays import Integers, SmallInts
from engine.core.events import Pair
from engine.core.gpt2_bytes import BYTE_TO_CHAR
from engine.core.slow_modules import np
from engine.native.merging import KERNEL_TIE_RULES, STEP, Merger, can_merge
from engine.recording.merge_record import MergeBatch, PairNumbers


class NativePairs(PairNumbers):
    """The pair numbers of the kernel, which also finds the number of a pair.

    Attributes:
        merger: the training, which is not pickled.
        ids: the ids of all pairs, in one row: left, right; left, right; …
    """

    def __init__(self, merger: Merger) -> None:
        self.merger = merger
        self.ids = merger.start_pairs[:]
        self._copied: SmallInts | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the pairs; the kernel stays in this process."""
        return PairNumbers, (list(self),)

    def __len__(self) -> int:
        return len(self.ids) // 2

    def __getitem__(self, number: int) -> Pair:  # type: ignore[override]
        return self.ids[2 * number], self.ids[2 * number + 1]

    def __iter__(self) -> Iterator[Pair]:
        return map(self.__getitem__, range(len(self)))

    def number_of(self, pair: Pair) -> int | None:
        return self.merger.number_of(*pair)

    def lefts(self, numbers: Integers) -> Integers:
        lefts: SmallInts = self._columns()[numbers, 0]
        return lefts

    def _columns(self) -> SmallInts:
        """Return the ids as numpy's array, a row for each pair."""
        if self._copied is None or self._copied.size < len(self.ids):
            # A copy: an array that numpy shares cannot grow, and a training may still append.
            self._copied = np.frombuffer(self.ids[:], np.int32).reshape(-1, 2)
        return self._copied


class NativeTask(TrainingTask):
    """A training task whose pairs the kernel numbers."""

    def _start(self) -> tuple[PairNumbers, list[int], list[int]]:
        tie_ids: Sequence[int] = range(256)  # the rank of each byte if ids break ties; see `ties`
        if self.tie_rule.name == "huggingface":
            by_char = sorted(BYTE_TO_CHAR.values())
            tie_ids = [by_char.index(BYTE_TO_CHAR[byte]) for byte in range(256)]
        self.merger = Merger(
            self.counts,
            self.vocab,
            tie_rule=self.tie_rule.name,
            tie_ids=tie_ids,
            min_count=self.min_count,
            max_token_length=self.max_token_length,
            most_words=self.most_words,
            earlier=self.earlier,
        )
        self.native_pairs = NativePairs(self.merger)
        return self.native_pairs, self.merger.start.tolist(), self.merger.uses.tolist()


def native(task: TrainingTask) -> Iterator[MergeBatch]:
    """Yield the merges in batches, up to those wanted, until no pair is left."""
    if not isinstance(task, NativeTask):
        raise TypeError("this algorithm needs a task of its `Algorithm.task_type`")
    for batch in task.merger.batches(task.wanted):
        task.native_pairs.ids.extend(batch.pairs)
        numbers, lefts, rights, counts, occurrences, pretokens, ends, widths = map(
            batch.column, range(STEP - 1)
        )
        yield MergeBatch(
            lefts,
            rights,
            numbers,
            counts,
            occurrences,
            pretokens,
            changed=batch.changed,
            after=batch.after,
            changes_ends=ends,
            widths=widths,
        )


ALGORITHM = Algorithm(
    "native",
    "what `fast` does, in C; the default where it could be compiled",
    native,
    fast.PSEUDOCODE,
    (),
    static_only=True,
    bytes_only=True,
    task_type=NativeTask,
    can_solve=lambda counts, tie_rule: tie_rule.name in KERNEL_TIE_RULES and can_merge(counts),
)
