"""Pairs in buckets by count: the best one without keeping anything sorted.

A count never rises after the step that made the pair, and no new pair is more frequent than the one
that merged. So the top count only falls, and the queue walks down through the counts, bucket by
bucket. A pair whose count has fallen stays in its bucket until that is opened, and is put into the
right one then. The tie rule is asked only about pairs in the open bucket, which is a heap by the
rule's key.

Most pairs are rare and never merge. The queue leaves those below a *floor* alone; when it runs dry
one look over all counts gives a lower floor and the pairs above it.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

import numpy as np

from engine.ties import Key

FLOOR_DIVISOR = 4
"""Running dry, the queue goes down to the top count divided by this."""


class BucketQueue:
    """The numbers of pairs, best first. `counts` are the true counts, which the caller changes.

    The least key wins a tie. A pair that is taken out must lose its count, as a merge makes it do.

    >>> counts = array("q", [9, 8, 8])
    >>> queue = BucketQueue(counts, key=lambda number: -number)
    >>> counts[0] = 5
    >>> queue.pop()
    2
    >>> counts[2] = 0
    >>> queue.pop()
    1
    """

    def __init__(self, counts: array[int], key: Callable[[int], Key]) -> None:
        self._counts = counts
        self._key = key
        self._buckets: defaultdict[int, list[int]] = defaultdict(list)
        self._levels: list[int] = []  # a heap of minus the counts that have a bucket
        self._open: list[tuple[Key, int]] = []  # a heap: what is left of the open bucket
        self._level = 0  # the count of the open bucket
        self._floor = 0

    def pop(self) -> int | None:
        """Take out the best pair; `None` if there is none with a count above 0."""
        while True:
            while self._open:
                number = heappop(self._open)[1]
                if self._counts[number] == self._level:
                    return number
                self._put(number)
            if self._levels:
                self._open_next()
            elif not self._lower_floor():
                return None

    def push(self, numbers: Iterable[int]) -> None:
        """Put in pairs that a merge has just made."""
        for number in numbers:
            self._put(number)

    def push_from(self, first: int) -> None:
        """Put in all the pairs from number `first` on."""
        if first < len(self._counts):
            counts = np.frombuffer(self._counts, dtype=np.int64)[first:]
            self.push((np.flatnonzero(counts >= self._floor) + first).tolist())

    def _put(self, number: int) -> None:
        count = self._counts[number]
        if count == self._level:
            heappush(self._open, (self._key(number), number))
        elif count >= self._floor:
            if count not in self._buckets:
                heappush(self._levels, -count)
            self._buckets[count].append(number)

    def _open_next(self) -> None:
        self._level = -heappop(self._levels)
        counts, level, key = self._counts, self._level, self._key
        bucket = self._buckets.pop(level)
        self._open = [(key(number), number) for number in bucket if counts[number] == level]
        heapify(self._open)
        self.push(number for number in bucket if counts[number] != level)

    def _lower_floor(self) -> bool:
        """Put in the pairs at the top of those left out; whether there are any."""
        counts = np.frombuffer(self._counts, dtype=np.int64)
        top = int(counts.max(initial=0))
        self._floor = max(1, top // FLOOR_DIVISOR)
        self.push(np.flatnonzero(counts >= self._floor).tolist())
        return top > 0
