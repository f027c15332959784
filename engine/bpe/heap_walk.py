"""The array of the lazily deleted heap at any step, and the single moves that a step makes in it.

`heap_replay` tells what each entry claims; here the entries stand where `heapq` puts them: the
children of entry i are 2i + 1 and 2i + 2. The array depends on all pushes and pops before, so it is
replayed from the nearest step of which a copy is kept. The copies together never hold more than
`KEPT_ENTRIES`.

The rule that orders the heap has to be static; where keys change from step to step there is no
heap to show (`HeapWalk.exists`), nor where merges were prescribed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from heapq import heapify, heappop, heappush
from time import monotonic
from typing import TYPE_CHECKING

from engine.bpe.ties import Key
from engine.core.events import Pair

if TYPE_CHECKING:
    from engine.bpe.record import Record

Entry = tuple[int, Key, int]
"""(minus the count that the entry claims, the tie rule's key, the pair's number)."""

KEPT_ENTRIES = 4_000_000
SPACING = 512
"""Steps between the copies kept on the way forward."""
RUN_UP = 24
"""On the way back a copy is kept this far before the step, for the next steps back."""


class Move(Enum):
    """What is done to the heap; the value says it in words."""

    POP_STALE = "pop, stale"
    PUSH_BACK = "push back with the true count"
    POP = "pop, true: this pair merges"
    PUSH = "push a new pair"


@dataclass(frozen=True)
class HeapMove:
    """One push or pop. `claimed` is what the entry says, `true` the pair's count at that moment."""

    move: Move
    pair: Pair
    claimed: int
    true: int


class HeapWalk:
    """The heap of a record's run, step by step and move by move."""

    def __init__(self, record: Record) -> None:
        self.exists = record.tie_rule.static and record.by_rule
        self._record = record
        self._key = record.tie_key
        self._copy_steps: list[int] = []
        self._copies: list[list[Entry]] = []
        self._at = 0
        self._entries: list[Entry] = []  # the heap at step `_at`
        self._counts: list[int] = []  # number → true count there

    def prepare(self, step: int, seconds: float = 3600.0) -> float:
        """Replay towards a step for so long; which part of the way is done, 1.0 for all of it.

        Far jumps take up to some tenths of a second; a screen does them in slices.
        """
        deadline = monotonic() + seconds
        if not self._copies:
            self._start()
        if not self._at <= step <= self._at + SPACING:
            place = bisect_right(self._copy_steps, step) - 1
            if not self._copy_steps[place] <= self._at <= step:
                self._resume(place)
        while self._at < step:
            if monotonic() > deadline:
                return self._at / step
            if self._at % SPACING == 0 or self._at == step - RUN_UP:
                self._keep(self._at, self._entries)
            self._advance()
        return 1.0

    def entries(self, step: int, moves: int = 0) -> list[Entry]:
        """The array after the first `step` merges and `moves` moves of the next one."""
        self.prepare(step)
        entries = list(self._entries)
        if moves:
            self._play(step, entries, self._counts, moves)
        return entries

    def moves(self, index: int) -> list[HeapMove]:
        """What merge `index` does to the heap, in order."""
        self.prepare(index)
        return self._play(index, list(self._entries), self._counts)

    def _start(self) -> None:
        counts = self._record.counts.at(0).tolist()
        entries = [self._entry(number, count) for number, count in enumerate(counts) if count]
        heapify(entries)
        self._keep(0, entries)
        self._resume(0)

    def _resume(self, place: int) -> None:
        """Go to a step of which there is a copy."""
        self._at, self._entries = self._copy_steps[place], list(self._copies[place])
        self._counts = self._record.counts.at(self._at).tolist()

    def _advance(self) -> None:
        self._play(self._at, self._entries, self._counts)
        changed, after = self._record.counts.changes(self._at)
        for number, count in zip(changed.tolist(), after.tolist(), strict=True):
            if number < len(self._counts):
                self._counts[number] = count
            else:
                self._counts.append(count)
        self._at += 1

    def _keep(self, step: int, entries: list[Entry]) -> None:
        place = bisect_right(self._copy_steps, step)
        if place and self._copy_steps[place - 1] == step:
            return
        self._copy_steps.insert(place, step)
        self._copies.insert(place, list(entries))
        while len(self._copies) > 2 and sum(map(len, self._copies)) > KEPT_ENTRIES:
            # Thin out where copies are closest; the first one stays, as all can be made from it.
            gaps = [b - a for a, b in zip(self._copy_steps, self._copy_steps[2:], strict=False)]
            place = gaps.index(min(gaps)) + 1
            del self._copy_steps[place], self._copies[place]

    def _play(
        self, index: int, entries: list[Entry], counts: list[int], limit: int = -1
    ) -> list[HeapMove]:
        """Do to `entries` what merge `index` does, or its first `limit` moves; what was done.

        `counts` are the true ones before the merge.
        """
        moves = []
        for move in self._moves(index, entries, counts):
            moves.append(move)
            if len(moves) == limit:
                break
        return moves

    def _moves(self, index: int, entries: list[Entry], counts: list[int]) -> Iterator[HeapMove]:
        pairs = self._record.pairs
        while True:
            claim, _, number = heappop(entries)
            if -claim == counts[number]:
                yield HeapMove(Move.POP, pairs[number], -claim, -claim)
                break
            true = counts[number]
            yield HeapMove(Move.POP_STALE, pairs[number], -claim, true)
            if true:
                heappush(entries, self._entry(number, true))
                yield HeapMove(Move.PUSH_BACK, pairs[number], true, true)
        changed, after = self._record.counts.changes(index)
        for number, count in zip(changed.tolist(), after.tolist(), strict=True):
            if number >= len(counts):
                heappush(entries, self._entry(number, count))
                yield HeapMove(Move.PUSH, pairs[number], count, count)

    def _entry(self, number: int, count: int) -> Entry:
        return -count, self._key(self._record.pairs[number]), number
