"""The lazily deleted heap of a run, rebuilt from the record of its counts.

Which entries a heap holds, and what each claims, follows from the steps alone (see `lazy_heap` for
the rule), whichever algorithm took them. Before a step its pair comes to the top; every stale entry
that stood above it has been popped and pushed back with its true count. Those are

* the entries that claim more than the pair's count, all of them stale, as nothing is more frequent;
* the stale entries that claim just that count and that the tie rule puts before the pair.

The top count only falls from step to step. So entries lie in buckets by what they claim, and each
bucket is emptied once, when the top count leaves it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from threading import Lock
from typing import Protocol

from engine.bpe.ties import Key, PairKey, TieRule
from engine.core.arrays import Integers
from engine.core.events import Pair, StaleEntry
from engine.recording.change_log import ChangeLog


class Replayed(Protocol):
    """What a replay asks of the record."""

    counts: ChangeLog
    tie_rule: TieRule
    tie_key: PairKey

    @property
    def pairs(self) -> Sequence[Pair]: ...

    def number_merged(self, index: int) -> int: ...

    def count_of(self, index: int) -> int: ...


class HeapReplay:
    """What the heap's entries claim at any step of a record, replayed as far as is asked."""

    def __init__(self, record: Replayed) -> None:
        self._record = record
        self._counts: list[int] = record.counts.at(0).tolist()  # number → true count
        self._claims = list(self._counts)  # number → what its entry claims; 0: no entry
        self._log = ChangeLog(self._claims, record.counts.integers)
        self._buckets: defaultdict[int, list[int]] = defaultdict(list)
        self._levels: list[int] = []  # a heap of minus the counts that have a bucket
        for number, count in enumerate(self._counts):
            self._enter(number, count)
        self._top = max(self._counts, default=0) + 1
        self._stale: list[tuple[Key, int]] = []  # a heap: stale entries that claim the top count
        self._replayed = 0
        self._lock = Lock()
        self._static = record.tie_rule.static
        # A heap cannot be ordered by keys that change; there it goes by the ids.
        self._key = record.tie_key if self._static else _by_ids

    def at(self, step: int) -> Integers:
        """What the entry of each pair claims after `step` steps, by its number; 0: no entry."""
        self._replay(step)
        return self._log.at(step)

    def discarded(self, index: int) -> tuple[StaleEntry, ...]:
        """The stale entries popped before step `index` found its pair, in their order."""
        claims, record = self.at(index), self._record
        self._replay(index + 1)
        numbers, set_to = self._log.changes(index)
        true_counts = dict(zip(numbers.tolist(), set_to.tolist(), strict=True))
        # The log says of the step's own pair that it is out; it may have been stale before that.
        true_counts[record.number_merged(index)] = record.count_of(index)
        entries = [
            StaleEntry(record.pairs[number], claim, true_count)
            for number, true_count in true_counts.items()
            if number < len(claims) and (claim := int(claims[number])) != true_count
        ]
        entries.sort(key=lambda entry: (-entry.recorded, self._key(entry.pair)))
        return tuple(entries)

    def _replay(self, step: int) -> None:
        with self._lock:
            while self._replayed < step:
                self._play(self._replayed)
                self._replayed += 1

    def _play(self, index: int) -> None:
        """One step: correct what stood above its pair, take the pair out, enter the new ones."""
        own, count = self._record.number_merged(index), self._record.count_of(index)
        set_to: dict[int, int] = {}
        if count < self._top:
            self._go_down_to(count, set_to)
        self._correct_before(own, set_to)
        self._claims[own] = set_to[own] = 0
        changed, after = self._record.counts.changes(index)
        known = len(self._counts)
        for number, true_count in zip(changed.tolist(), after.tolist(), strict=True):
            if number >= known:
                self._counts.append(true_count)
                self._claims.append(true_count)
                self._enter(number, true_count)
                set_to[number] = true_count
                continue
            self._counts[number] = true_count
            if self._claims[number] == count:
                heappush(self._stale, (self._key(self._record.pairs[number]), number))
        self._log.append(list(set_to), list(set_to.values()), width=len(self._counts))

    def _go_down_to(self, count: int, set_to: dict[int, int]) -> None:
        """Correct all entries that claim more; find the stale ones that claim just that."""
        while self._levels and -self._levels[0] > count:
            level = -heappop(self._levels)
            for number in self._buckets.pop(level):
                if self._claims[number] == level:
                    self._correct(number, set_to)
        self._top = count
        self._stale = [
            (self._key(self._record.pairs[number]), number)
            for number in self._buckets[count]
            if self._claims[number] == count != self._counts[number]
        ]
        heapify(self._stale)

    def _correct_before(self, own: int, set_to: dict[int, int]) -> None:
        """Correct the stale entries that claim the top count and come before the step's pair.

        Where the rule's keys change, all pairs of the top count are compared, so all are corrected.
        """
        own_key = self._key(self._record.pairs[own])
        while self._stale and (not self._static or self._stale[0][0] < own_key):
            number = heappop(self._stale)[1]
            if self._claims[number] == self._top:
                self._correct(number, set_to)

    def _correct(self, number: int, set_to: dict[int, int]) -> None:
        true_count = self._counts[number]
        self._claims[number] = set_to[number] = true_count
        if true_count:
            self._enter(number, true_count)

    def _enter(self, number: int, claim: int) -> None:
        if claim not in self._buckets:
            heappush(self._levels, -claim)
        self._buckets[claim].append(number)


def _by_ids(pair: Pair) -> Pair:
    return pair
