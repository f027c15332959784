"""The lazily deleted heap of a run at any step, rebuilt from the record of its counts.

When the count of a pair falls, a lazily deleted heap (see `engine.bpe.trainers.heap`) leaves its
entry alone: the entry becomes *stale* and claims too much. The entries and their claims follow from
the recorded steps, whichever algorithm made them:

* `HeapReplay` finds the claim of every entry at a step, without an order;
* `HeapWalk` rebuilds the heap's array as `heapq` orders it, and each single push and pop.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import islice
from math import inf
from threading import Lock
from time import monotonic
from typing import NamedTuple, Protocol

from engine.bpe.ties import PairKey, TieKey, TieRule
from engine.bpe.trainers.algorithm import Move
from engine.core.arrays import Integers
from engine.core.events import Pair
from engine.recording.change_log import ChangeLog
from engine.recording.merge_record import PairNumbers, PairsInIds


class CountRecord(Protocol):
    """The data that the heap is rebuilt from: all pair counts at every step, and the tie rule."""

    counts: ChangeLog
    tie_rule: TieRule
    merged: array[int]
    winning_counts: array[int]
    pairs: PairNumbers | PairsInIds

    @property
    def by_rule(self) -> bool: ...
    @property
    def tie_key(self) -> PairKey: ...


TURN = 64
"""Steps that a thread replays before another thread gets the lock."""


class HeapReplay:
    """The claims of the heap's entries at any step of a record, replayed on demand.

    Before a step its pair comes to the top. By then every stale entry above it has been popped and
    pushed back with its true count. These are

    * the entries that claim more than the pair's count: all are stale, as no pair is more frequent;
    * the stale entries that claim exactly this count and that the tie rule puts before the pair.

    The top count only falls from step to step. So entries are in buckets by their claims, and each
    bucket is emptied once, when the top count falls below it. Where all counts are set, as at the
    start of a phase, the heap is built again.
    """

    def __init__(self, record: CountRecord) -> None:
        self._record = record
        self._lock = Lock()
        self._static = record.tie_rule.static
        # A heap cannot be ordered by keys that change; it uses the ids then.
        self._key: PairKey = record.tie_key if self._static else lambda pair: pair
        self._build(0)
        self._log = ChangeLog(self._claims, record.counts.integers)

    def _build(self, step: int) -> None:
        """Make the heap of all pairs after the first `step` merges."""
        self._counts: list[int] = self._record.counts.at(step).tolist()  # number → true count
        self._claims = list(self._counts)  # number → claim of its entry; 0: no entry
        self._buckets: defaultdict[int, list[int]] = defaultdict(list)
        self._levels: list[int] = []  # a heap of minus the counts that have a bucket
        for number, count in enumerate(self._counts):
            if count:
                self._enter(number, count)
        self._top: float = inf
        self._stale: list[tuple[TieKey, int]] = []  # a heap: stale entries that claim the top count
        self._built_at = self._replayed = step

    def at(self, step: int) -> Integers:
        """Return the claim of each pair's entry after `step` steps, by pair number; 0: no entry."""
        self.replay(step)
        return self._log.at(step)

    def replay(self, step: int, seconds: float = 3600.0) -> float:
        """Replay towards a step for some seconds; return the part done, 1.0 for all of it.

        Two threads may call; neither waits for more than its own step. A far jump takes up to some
        tenths of a second; a screen does it in slices.
        """
        deadline = monotonic() + seconds
        restarts = self._record.counts.restarts
        while self._replayed < step or (self._replayed in restarts and self._is_old):
            if monotonic() > deadline:
                return self._replayed / max(step, 1)
            with self._lock:
                if self._replayed in restarts and self._is_old:
                    self._build(self._replayed)
                    self._log.restart(self._claims)
                later = (start for start in restarts if start > self._replayed)
                until = min(step, self._replayed + TURN, *later)
                for index in range(self._replayed, until):
                    self._play(index)
                    self._replayed = index + 1
                    if monotonic() > deadline:
                        break
        return 1.0

    @property
    def _is_old(self) -> bool:
        """Whether steps were replayed since the heap was built."""
        return self._replayed > self._built_at

    def _play(self, index: int) -> None:
        """Replay one step: correct the entries above its pair, pop the pair, push the new pairs."""
        own, count = self._record.merged[index], self._record.winning_counts[index]
        set_to: dict[int, int] = {}
        if count < self._top:
            self._go_down_to(count, set_to)
        # Correct the stale entries that claim the top count and come before the step's pair. If
        # the rule's keys change, all pairs of the top count are compared, so all are corrected.
        own_key = self._key(self._record.pairs[own])
        while self._stale and (not self._static or self._stale[0][0] < own_key):
            number = heappop(self._stale)[1]
            if self._claims[number] == count:
                self._correct(number, set_to)
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
        """Correct all entries that claim more; find the stale entries that claim exactly this."""
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

    def _correct(self, number: int, set_to: dict[int, int]) -> None:
        true_count = self._counts[number]
        self._claims[number] = set_to[number] = true_count
        if true_count:
            self._enter(number, true_count)

    def _enter(self, number: int, claim: int) -> None:
        if claim not in self._buckets:
            heappush(self._levels, -claim)
        self._buckets[claim].append(number)


class Loss(NamedTuple):
    """A merge that lowered the count of a pair.

    Attributes:
        step: the number of the merge, from 1.
        taken: the number of occurrences that it took from the pair.
    """

    step: int
    taken: int


FIRST_WINDOW = 16
"""Steps to look back at first, to find when a count was still what an entry claims."""


def losses_of(counts: ChangeLog, number: int, claim: int, step: int) -> tuple[Loss, ...]:
    """Return the merges that lowered a pair's count since it was `claim`, in their order.

    It looks back in windows, each longer and earlier than the one before.

    Args:
        counts: the count of each pair at each step.
        number: the number of the pair.
        claim: the count in its entry; the entry has it since the count was this high.
        step: the number of merges made.
    """
    built = counts.last_restart(step)
    since, window = max(step - FIRST_WINDOW, built), FIRST_WINDOW
    while True:
        states, values = counts.history(number, step, since)
        if claim in values or since == built:
            break
        window *= 4
        since = max(step - window, built)
    losses, before = [], claim
    for state, value in zip(states.tolist(), values.tolist(), strict=True):
        if value < before:
            losses.append(Loss(state, before - value))
            before = value
    return tuple(losses)


NumberedEntry = tuple[int, TieKey, int]
"""(minus the claim, the tie rule's key, the pair's number)."""

KEPT_ENTRIES = 4_000_000
SPACING = 512
"""Steps between the copies stored on the way forward."""
RUN_UP = 24
"""Distance of a stored copy before the target step, for the next steps back."""


class HeapMove(NamedTuple):
    """One push or pop. `claimed` is the count in the entry, `true` the pair's count then."""

    move: Move
    pair: Pair
    claimed: int
    true: int


class HeapWalk:
    """The heap's array at any step, and the single moves that a step makes in it.

    The children of entry i are the entries 2i + 1 and 2i + 2. The array depends on all earlier
    pushes and pops, so it is replayed from the nearest step with a stored copy. All copies together
    have at most `KEPT_ENTRIES` entries.

    Attributes:
        exists: whether there is a heap to show. There is none if the tie rule's keys change from
            step to step, or if a fork prescribed merges.
    """

    def __init__(self, record: CountRecord) -> None:
        self.exists = record.tie_rule.static and record.by_rule
        self._record = record
        self._key = record.tie_key
        self._copy_steps: list[int] = []
        self._copies: list[list[NumberedEntry]] = []
        self._at = 0
        self._entries: list[NumberedEntry] = []  # the heap at step `_at`
        self._counts: list[int] = []  # number → true count there
        self._built: list[int] = []  # the restarts that are known

    def prepare(self, step: int, seconds: float = 3600.0) -> float:
        """Replay towards a step for some seconds; return the part done, 1.0 for all of it.

        Far jumps take up to some tenths of a second; a screen does them in slices.
        """
        deadline = monotonic() + seconds
        restarts = self._record.counts.restarts
        if self._built != restarts:  # the heap is built again at one more step
            self._copy_steps, self._copies, self._built = [], [], list(restarts)
        if not self._copies:
            self._keep(0, self._heap_at(0))
            self._resume(0)
        index = bisect_right(self._copy_steps, step) - 1
        if not self._copy_steps[index] <= self._at <= step:
            self._resume(index)
        while self._at < step:
            if monotonic() > deadline:
                return self._at / step
            if self._at % SPACING == 0 or self._at == step - RUN_UP:
                self._keep(self._at, self._entries)
            for _ in self._moves(self._at, self._entries, self._counts):
                pass
            changed, after = self._record.counts.changes(self._at)
            for number, count in zip(changed.tolist(), after.tolist(), strict=True):
                if number < len(self._counts):
                    self._counts[number] = count
                else:
                    self._counts.append(count)
            self._at += 1
            if self._at in restarts:
                self._keep(self._at, self._heap_at(self._at))
                self._resume(self._copy_steps.index(self._at))
        return 1.0

    def _heap_at(self, step: int) -> list[NumberedEntry]:
        """Return a heap of all pairs with their true counts after the first `step` merges."""
        counts = self._record.counts.at(step).tolist()
        entries = [self._entry(number, count) for number, count in enumerate(counts) if count]
        heapify(entries)
        return entries

    def entries(self, step: int, moves: int = 0) -> list[NumberedEntry]:
        """Return the array after the first `step` merges and `moves` moves of the next one."""
        self.prepare(step)
        entries = list(self._entries)
        if moves:
            for _ in islice(self._moves(step, entries, self._counts), moves):
                pass
        return entries

    def moves(self, index: int) -> list[HeapMove]:
        """Return the moves of merge `index` in the heap, in order."""
        self.prepare(index)
        pairs = self._record.pairs
        return [
            HeapMove(move, pairs[number], claimed, true)
            for move, number, claimed, true in self._moves(index, list(self._entries), self._counts)
        ]

    def _resume(self, index: int) -> None:
        """Go to a step with a stored copy."""
        self._at, self._entries = self._copy_steps[index], list(self._copies[index])
        self._counts = self._record.counts.at(self._at).tolist()

    def _keep(self, step: int, entries: list[NumberedEntry]) -> None:
        index = bisect_right(self._copy_steps, step)
        if index and self._copy_steps[index - 1] == step:
            return
        self._copy_steps.insert(index, step)
        self._copies.insert(index, list(entries))
        while len(self._copies) > 2 and sum(map(len, self._copies)) > KEPT_ENTRIES:
            # Drop a copy where they are closest; the first one stays, as all can be made from it.
            gaps = [b - a for a, b in zip(self._copy_steps, self._copy_steps[2:], strict=False)]
            index = gaps.index(min(gaps)) + 1
            del self._copy_steps[index], self._copies[index]

    def _moves(
        self, index: int, entries: list[NumberedEntry], counts: list[int]
    ) -> Iterator[tuple[Move, int, int, int]]:
        """Make the moves one by one; yield (move, pair's number, claimed count, true count).

        `counts` are the true counts before the merge.
        Plain tuples, because a far jump makes tens of thousands of moves that are not shown.
        """
        while True:
            claim, key, number = heappop(entries)
            true = counts[number]
            if -claim == true:
                yield Move.POP, number, true, true
                break
            yield Move.POP_STALE, number, -claim, true
            if true:
                heappush(entries, (-true, key, number))
                yield Move.PUSH_BACK, number, true, true
        changed, after = self._record.counts.changes(index)
        for number, count in zip(changed.tolist(), after.tolist(), strict=True):
            if number >= len(counts):
                heappush(entries, self._entry(number, count))
                yield Move.PUSH, number, count, count

    def _entry(self, number: int, count: int) -> NumberedEntry:
        return -count, self._key(self._record.pairs[number]), number
