"""The lazily deleted heap of a run at any step, rebuilt from the record of its counts.

When the count of a pair falls, a lazily deleted heap (see `engine.bpe.trainers.heap`) leaves its
entry alone: the entry becomes *stale* and claims too much. The entries and their claims follow from
the recorded steps, whichever algorithm made them. So the pushes and pops of all steps are made once
more, in order. Their claims go into a log; the array is kept at some steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import islice
from threading import Lock
from time import monotonic
from typing import NamedTuple

from engine.bpe.record import Record
from engine.bpe.ties import TieKey
from engine.bpe.trainers.pseudocode import Move
from engine.core.arrays import Integers
from engine.core.events import Pair
from engine.recording.change_log import ChangeLog

NumberedEntry = tuple[int, TieKey, int]
"""(minus the claim, the tie rule's key, the pair's number)."""


class HeapMove(NamedTuple):
    """One push or pop. `claimed` is the count in the entry, `true` the pair's count then."""

    move: Move
    pair: Pair
    claimed: int
    true: int


class _HeapAtStep:
    """The heap after some merges.

    Attributes:
        entries: its array; the children of entry i are the entries 2i + 1 and 2i + 2.
        counts: number → true count.
    """

    def __init__(
        self, record: Record, step: int, entries: list[NumberedEntry] | None = None
    ) -> None:
        self._record, self.step = record, step
        self._tied: dict[int, NumberedEntry] = {}  # entries that were popped and claim the top
        self._top = 0
        self.counts: list[int] = record.counts.at(step).tolist()
        self.entries: list[NumberedEntry] = entries or [
            self._entry(number, count) for number, count in enumerate(self.counts) if count
        ]
        heapify(self.entries)

    def moves(self) -> Iterator[tuple[Move, int, int, int]]:
        """Make the moves of the next merge; yield (move, number, claimed count, true count).

        If the keys of the tie rule change, all pairs of the top count are popped, to be compared.
        Those that keep it stay out of the array, which no one sees then.
        """
        # Plain tuples, because a far jump makes tens of thousands of moves that are not shown.
        entries, counts, tied = self.entries, self.counts, self._tied
        merged, is_static = self._record.merged[self.step], self._record.tie_rule.static
        while not tied or (not is_static and entries and entries[0][0] == self._top):
            claim, key, number = heappop(entries)
            true = counts[number]
            if -claim == true:
                tied[number] = claim, key, number
                self._top = claim
                continue
            yield Move.POP_STALE, number, -claim, true
            if true:
                heappush(entries, (-true, key, number))
                yield Move.PUSH_BACK, number, true, true
        del tied[merged]
        yield Move.POP, merged, counts[merged], counts[merged]
        changed, after = self._record.counts.changes(self.step)
        for number, count in zip(changed.tolist(), after.tolist(), strict=True):
            if number >= len(counts):
                counts.append(count)
                heappush(entries, self._entry(number, count))
                yield Move.PUSH, number, count, count
                continue
            counts[number] = count
            if number in tied:
                heappush(entries, tied.pop(number))

    def go_on(self) -> dict[int, int]:
        """Make the next merge; return the claims that it set, by number."""
        claims = {
            number: 0 if move in (Move.POP, Move.POP_STALE) else claim
            for move, number, claim, _ in self.moves()
        }
        self.step += 1
        return claims

    def _entry(self, number: int, count: int) -> NumberedEntry:
        # A heap cannot be ordered by keys that change; it uses the ids then.
        pair = self._record.pairs[number]
        key = self._record.tie_key(pair) if self._record.tie_rule.static else pair
        return -count, key, number


TURN = 64
"""Steps that a thread replays before another thread gets the lock."""
KEPT_ENTRIES = 4_000_000
SPACING = 512
"""Steps between the copies stored on the way forward."""
RUN_UP = 24
"""Distance of a stored copy before the target step, for the next steps back."""


class HeapReplay:
    """The heap at any step of a record, replayed on demand. Two threads may call.

    The array depends on all earlier pushes and pops, so it is replayed from the nearest step with a
    stored copy. All copies together have at most `KEPT_ENTRIES` entries.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._lock = Lock()
        first = record.counts.first
        self._front = _HeapAtStep(record, first)  # the farthest step that is replayed
        self._log = ChangeLog(self._front.counts, record.counts.integers, first)
        self._copy_steps = [first]
        self._copies = [list(self._front.entries)]
        self._near = _HeapAtStep(record, first)  # the step whose array was asked for last

    def replay(self, step: int, seconds: float = 3600.0) -> float:
        """Replay towards a step for some seconds; return the part done, 1.0 for all of it.

        A far jump takes up to some tenths of a second; a screen does it in slices.
        """
        deadline = monotonic() + seconds
        while self._front.step < step:
            with self._lock:
                for _ in range(TURN):
                    if monotonic() > deadline:
                        return self._front.step / max(step, 1)
                    if self._front.step >= step:
                        break
                    self._go_on()
        return 1.0

    def _go_on(self) -> None:
        heap = self._front
        claims = heap.go_on()
        self._log.append(list(claims), list(claims.values()), width=len(heap.counts))
        if heap.step % SPACING == 0:
            self._keep(heap)

    def claims(self, step: int) -> Integers:
        """Return the claim of each pair's entry after `step` steps, by pair number; 0: no entry."""
        self.replay(step)
        return self._log.at(step)

    def entries(self, step: int, moves: int = 0) -> list[NumberedEntry]:
        """Return the array after the first `step` merges and `moves` moves of the next one."""
        self.replay(step)
        with self._lock:
            heap = self._at(step)
            if moves:
                heap = _HeapAtStep(self._record, step, list(heap.entries))
                for _ in islice(heap.moves(), moves):
                    pass
            return list(heap.entries)

    def moves(self, index: int) -> list[HeapMove]:
        """Return the moves of merge `index` in the heap, in order."""
        pairs, heap = self._record.pairs, _HeapAtStep(self._record, index, self.entries(index))
        return [
            HeapMove(move, pairs[number], claimed, true)
            for move, number, claimed, true in heap.moves()
        ]

    def _at(self, step: int) -> _HeapAtStep:
        """Return the heap at a step, which the front has passed."""
        place = bisect_right(self._copy_steps, step) - 1
        if not self._copy_steps[place] <= self._near.step <= step:
            copied = list(self._copies[place])
            self._near = _HeapAtStep(self._record, self._copy_steps[place], copied)
        while self._near.step < step:
            if self._near.step == step - RUN_UP:
                self._keep(self._near)
            self._near.go_on()
        return self._near

    def _keep(self, heap: _HeapAtStep) -> None:
        index = bisect_right(self._copy_steps, heap.step)
        if index and self._copy_steps[index - 1] == heap.step:
            return
        self._copy_steps.insert(index, heap.step)
        self._copies.insert(index, list(heap.entries))
        while len(self._copies) > 2 and sum(map(len, self._copies)) > KEPT_ENTRIES:
            # Drop a copy where they are closest; the first one stays, as all can be made from it.
            gaps = [b - a for a, b in zip(self._copy_steps, self._copy_steps[2:], strict=False)]
            index = gaps.index(min(gaps)) + 1
            del self._copy_steps[index], self._copies[index]


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
    since, window = max(step - FIRST_WINDOW, counts.first), FIRST_WINDOW
    while True:
        states, values = counts.history(number, step, since)
        if claim in values or since == counts.first:
            break
        window *= 4
        since = max(step - window, counts.first)
    losses, before = [], claim
    for state, value in zip(states.tolist(), values.tolist(), strict=True):
        if value < before:
            losses.append(Loss(state, before - value))
            before = value
    return tuple(losses)
