"""Training in the kernel: `Merger` makes merges, batch by batch."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from ctypes import Structure, byref, c_char_p, c_int32, c_int64, c_void_p
from itertools import accumulate, chain
from threading import Lock
from typing import NamedTuple

from engine.core.events import Pair
from engine.native import KERNEL, PADDING, KernelObject, address, random_seed

KERNEL_TIE_RULES = frozenset(("lexicographic", "smallest-ids", "huggingface", "sentencepiece"))
"""Names of the tie rules that the kernel knows; `fast` trains by any other rule."""
MOST_CELLS = 1_500_000_000
"""The limit of cells: starts, at most 8/3 times as many, are numbered in 32 bits."""
MOST_COUNTED = 2**62
"""The limit of all counts."""

MOST_SCORED = 2**32
"""The limit of all counts of units whose pairs scores choose."""

STEP = 9
"""Integers of a step: number of its pair, left id, right id, count, occurrences, pretokens, number
of changes of all steps up to this one, number of pairs after it, pairs with the highest score."""
FIRST_STEPS = 16
MOST_STEPS = 4096
MOST_CHANGES = 1 << 16
"""Changed counts that end a batch: it takes some milliseconds, whatever the corpus."""
_ANY_LENGTH = 2**62


class Batch(NamedTuple):
    """The record of some steps.

    Attributes:
        steps: `STEP` 64-bit integers for each step.
        changed, after: the numbers of changed pairs (32 bits) and their new counts (64 bits).
        pairs: the new pairs: left id, right id (32 bits).
    """

    steps: array[int]
    changed: array[int]
    after: array[int]
    pairs: array[int]

    def column(self, place: int) -> array[int]:
        """Return one integer of each step, by its place among the `STEP`."""
        return self.steps[place::STEP]


class _Choice(Structure):
    """`Choice` of merger.c."""

    _fields_ = (
        *(("text", c_char_p), ("ends", c_void_p), ("units", c_int64), ("prefix", c_int64)),
        *(("by_score", c_int64), ("min_count", c_int64), ("longest", c_int64)),
        *(("most_words", c_int64), ("tie_rule", c_char_p), ("tie_ids", c_void_p)),
    )


def can_merge(counts: Mapping[bytes, int]) -> bool:
    """Whether the kernel exists and its integers are wide enough for these pretokens."""
    if KERNEL is None:
        return False
    cells = sum(map(len, counts)) + len(counts) + 1
    return cells <= MOST_CELLS and max(counts.values(), default=0) < MOST_COUNTED // cells


class Merger(KernelObject):
    """A training, which makes merges batch by batch.

    Args:
        counts: pretoken → count; ask `can_merge` first.
        vocab: the tokens before the first step; bytes have the ids below 256.
        tie_rule: a name in `KERNEL_TIE_RULES`.
        tie_ids: byte → its rank where ids break ties.
        min_count, max_token_length, most_words, earlier: as in `TrainingTask`.
        spelled: the pretokens in ids if these are not bytes; then scores choose the pairs.
        prefix: the bytes that a token loses when it becomes the right part of another.

    Attributes:
        start: the counts of the pairs before the first merge.
        start_pairs: these pairs, as in `Batch`.
        uses: the number of occurrences of each token of `vocab` before the first step.

    Raises:
        KernelMemoryError: from here and from `batches`, if there is not enough memory.
    """

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab: Sequence[bytes],
        tie_rule: str,
        tie_ids: Sequence[int] = range(256),
        min_count: int = 1,
        max_token_length: int | None = None,
        most_words: int | None = None,
        earlier: Sequence[Pair] = (),
        spelled: Sequence[Sequence[int]] | None = None,
        prefix: int = 0,
    ) -> None:
        memory_error = (
            "there is not enough memory to train; use a smaller corpus, or a machine with more "
            "memory"
        )
        times, token_ends = array("q", counts.values()), array("q", accumulate(map(len, vocab)))
        ranks, longest = array("i", tie_ids), max_token_length
        choice = _Choice(
            b"".join(vocab),
            address(token_ends),
            len(vocab),
            prefix,
            spelled is not None,
            min(min_count, MOST_COUNTED),
            min(_ANY_LENGTH if longest is None else longest, _ANY_LENGTH),
            min(most_words or 0, _ANY_LENGTH // 4),
            tie_rule.encode(),
            address(ranks),
        )
        ends = array("q", accumulate(map(len, counts if spelled is None else spelled)))
        ids = array("i", () if spelled is None else chain.from_iterable(spelled))
        units: object = address(ids)
        if spelled is None:
            # Of whole documents a copy would take longer than the addresses.
            units = (c_char_p * len(counts))(*counts) if earlier else b"".join((*counts, PADDING))
        rules = _rules_of(earlier, len(vocab) - len(earlier), memory_error) if earlier else None
        super().__init__(
            "merger",
            memory_error,
            units,
            spelled is not None,
            address(ends),
            address(times),
            len(counts),
            None if rules is None else rules.handle,
            byref(choice),
            random_seed(),
        )
        self.uses = self.integers("merger_uses", len(vocab))
        self._lock = Lock()  # a pair may be looked up while a batch is made
        self._returned_pairs = 0
        self._returned_changes = 0
        self._finished = False
        self.start = self.integers("merger_counts", self.call("merger_pair_count"))
        self.start_pairs = self._new_pairs()

    def batches(self, steps: int) -> Iterator[Batch]:
        """Make up to `steps` steps, fewer if no pair is left. The first batch is small and fast.

        Call it once: at its end, or when closed, it frees everything but the pairs.
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
                self.kernel.merger_finish(self.handle)

    def number_of(self, left: int, right: int) -> int | None:
        """Return the number of a pair, `None` for a pair that has never occurred."""
        if not (0 <= left < 2**31 and 0 <= right < 2**31):
            return None
        with self._lock:
            number: int = self.kernel.merger_number_of(self.handle, left, right)
        return None if number < 0 else number

    # Merges one by one, of any pairs, in place of `batches`

    def pop(self) -> int | None:
        """Take out the best pair that has not been taken out yet; return its number."""
        number = self.call("merger_pop")
        return None if number < 0 else number

    def ties(self) -> array[int]:
        """Return the numbers of the pairs with the highest count."""
        return self.integers("merger_ties", self.call("merger_find_ties"), "i")

    def first_cell(self, number: int) -> int:
        """Return the place of a pair's first occurrence; it ascends with the text."""
        return self.call("merger_first_cell", number)

    @property
    def pair_count(self) -> int:
        """The number of pairs that ever occurred."""
        return self.call("merger_pair_count")

    def merge(self, number: int) -> int:
        """Merge a pair, by its number; return the id of the new token."""
        return self.call("merger_merge", number)

    def count_of(self, number: int) -> int:
        """Return the count of a pair now, by its number."""
        return c_int64.from_address(self.call("merger_counts") + 8 * number).value

    def pair_of(self, number: int) -> Pair:
        """Return the ids of a pair, by its number."""
        at = self.call("merger_pairs") + 8 * number
        return c_int32.from_address(at).value, c_int32.from_address(at + 4).value

    def counted(self) -> tuple[array[int], array[int]]:
        """Return the ids of all pairs that ever occurred, and their counts now."""
        pairs = self.pair_count
        return self.integers("merger_pairs", 2 * pairs, "i"), self.integers("merger_counts", pairs)

    def _batch(self, steps: int) -> Batch | None:
        """Make at most `steps` steps; `None` if no pair is left."""
        with self._lock:
            done = 0 if self._finished else self.call("merger_run", steps, MOST_CHANGES)
        if not done:
            return None
        made = self.integers("merger_steps", STEP * done)
        before, self._returned_changes = self._returned_changes, made[-3]
        changes = self._returned_changes - before
        return Batch(
            made,
            self.integers("merger_changed", changes, "i"),
            self.integers("merger_after", changes),
            self._new_pairs(),
        )

    def _new_pairs(self) -> array[int]:
        """Return the pairs that are new since the last call."""
        known, self._returned_pairs = self._returned_pairs, self.call("merger_pair_count")
        return self.integers("merger_pairs", 2 * (self._returned_pairs - known), "i", 2 * known)


def _rules_of(merges: Sequence[Pair], first_id: int, memory_error: str) -> KernelObject:
    """Return merges of bytes in the kernel, which make the ids from the first one on."""
    byte_ids, pairs = array("i", range(256)), array("i", chain.from_iterable(merges))
    made = array("i", chain.from_iterable(enumerate(range(first_id, first_id + len(merges)))))
    columns = address(byte_ids), address(pairs), address(made)
    return KernelObject("rules", memory_error, None, *columns, len(merges), random_seed())
