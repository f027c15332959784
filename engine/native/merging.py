"""`Merger`: the kernel's training, batch by batch."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Lock

from engine.core.errors import KernelMemoryError
from engine.native import KERNEL, address, integers_at, kernel, random_seed

TIE_RULES = frozenset(("lexicographic", "smallest-ids", "huggingface", "sentencepiece"))
"""The tie rules that the kernel knows, by their names."""
MOST_CELLS = 2**31 - 1
MOST_COUNTED = 2**62
"""No count may reach this."""

STEP = 8
"""Numbers of a step: of its pair, left id, right id, count, occurrences, pretokens, where its
changes end among those of all steps, how many pairs have a number by then."""
FIRST_STEPS = 16
MOST_STEPS = 4096
MOST_CHANGES = 1 << 16
"""A batch ends when so many counts have changed: after some milliseconds, whatever the corpus."""
_ANY_LENGTH = 2**62


@dataclass(frozen=True)
class Batch:
    """What the kernel tells of some steps.

    Attributes:
        steps: `STEP` integers of 64 bits for each.
        changed, after: the numbers of pairs, of 32 bits, and their new counts, of 64.
        pairs: those that are new: left id, right id, of 32 bits.
    """

    steps: array[int]
    changed: array[int]
    after: array[int]
    pairs: array[int]

    def column(self, place: int) -> array[int]:
        """One of the numbers of each step."""
        return self.steps[place::STEP]


def can_merge(counts: Mapping[bytes, int]) -> bool:
    """Whether the kernel is there, and its integers are wide enough for these pretokens."""
    if KERNEL is None:
        return False
    cells = sum(map(len, counts)) + len(counts) + 1
    return cells <= MOST_CELLS and max(counts.values(), default=0) < MOST_COUNTED // cells


class Merger:
    """Finds the merges of a training.

    Args:
        counts: pretoken → how often it occurs; `can_merge` says whether they will do.
        first_id: the id of the first merge; bytes have the ids below 256.
        tie_rule: a name in `TIE_RULES`.
        tie_ids: byte → what it counts for where ids break ties.
        min_count, max_token_length: as in `Trainer`.

    Attributes:
        start: the counts of the pairs before the first merge.
        start_pairs: these pairs, as in `Batch`.

    Raises:
        KernelMemoryError: by this and by `batches`, if there is not enough memory.
    """

    def __init__(
        self,
        counts: Mapping[bytes, int],
        first_id: int,
        tie_rule: str,
        tie_ids: Sequence[int],
        min_count: int = 1,
        max_token_length: int | None = None,
    ) -> None:
        self._kernel = kernel()
        ends, times = array("q", accumulate(map(len, counts))), array("q", counts.values())
        byte_ids = array("i", tie_ids)
        longest = _ANY_LENGTH if max_token_length is None else max_token_length
        self._handle = self._kernel.merger_new(
            *(b"".join(counts), address(ends), address(times), len(counts), first_id),
            *(tie_rule.encode(), address(byte_ids), min(min_count, MOST_COUNTED)),
            *(min(longest, _ANY_LENGTH), random_seed()),
        )
        if not self._handle:
            raise _no_memory()
        self._lock = Lock()  # a pair may be looked up while a batch is made
        self._pairs_told = 0
        self._changes_told = 0
        self._finished = False
        self.start = self._column("q", "merger_counts", self._pair_count())
        self.start_pairs = self._new_pairs()

    def batches(self, steps: int) -> Iterator[Batch]:
        """So many steps, fewer if no pair is left; the first batch is small, to be there soon.

        When it ends, or is closed, what only merging needs is freed: call it once.
        """
        most = FIRST_STEPS
        try:
            while steps > 0 and (batch := self._batch(min(steps, most))) is not None:
                yield batch
                steps -= len(batch.steps) // STEP
                most = MOST_STEPS
        finally:
            with self._lock:
                self._finished = True
                self._kernel.merger_finish(self._handle)

    def number_of(self, left: int, right: int) -> int | None:
        """The number of a pair; `None` for one that never stood side by side."""
        if not (0 <= left < 2**31 and 0 <= right < 2**31):
            return None
        with self._lock:
            number: int = self._kernel.merger_number_of(self._handle, left, right)
        return None if number < 0 else number

    def _batch(self, steps: int) -> Batch | None:
        """The next steps, at the most so many; `None` if there are none."""
        with self._lock:
            done = (
                0 if self._finished else self._kernel.merger_run(self._handle, steps, MOST_CHANGES)
            )
        if done < 0:
            raise _no_memory()
        if not done:
            return None
        told = self._column("q", "merger_steps", STEP * done)
        before, self._changes_told = self._changes_told, told[-2]
        changes = self._changes_told - before
        return Batch(
            told,
            self._column("i", "merger_changed", changes),
            self._column("q", "merger_after", changes),
            self._new_pairs(),
        )

    def _new_pairs(self) -> array[int]:
        told, self._pairs_told = self._pairs_told, self._pair_count()
        return self._column("i", "merger_pairs", 2 * (self._pairs_told - told), 2 * told)

    def _pair_count(self) -> int:
        count: int = self._kernel.merger_pair_count(self._handle)
        return count

    def _column(self, kind: str, name: str, length: int, skipped: int = 0) -> array[int]:
        """A copy of the integers that a function of the kernel points to."""
        at = getattr(self._kernel, name)(self._handle) or 0
        return integers_at(at + skipped * array(kind).itemsize, length, kind)

    def __del__(self) -> None:
        if handle := getattr(self, "_handle", None):
            self._kernel.merger_free(handle)


def _no_memory() -> KernelMemoryError:
    return KernelMemoryError(
        "there is not enough memory to train; use a smaller corpus, or a machine with more memory"
    )
