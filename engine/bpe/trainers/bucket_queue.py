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

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

from engine.bpe.ties import Key

FLOOR_DIVISOR = 4
"""Running dry, the queue goes down to the top count divided by this."""


class BucketQueue:
    """The numbers of pairs, best first. `counts` are the true counts, which the caller changes.

    The least key wins a tie. A pair that is taken out must lose its count, as a merge makes it do.
    `scanned` counts the pairs looked at to open a bucket or to lower the floor, `moved` those that
    had fallen and went into another bucket.

    >>> counts = [9, 8, 8]
    >>> queue = BucketQueue(counts, key=lambda number: -number)
    >>> counts[0] = 5
    >>> queue.pop()
    2
    >>> counts[2] = 0
    >>> queue.pop()
    1
    """

    def __init__(self, counts: list[int], key: Callable[[int], Key]) -> None:
        self._counts = counts
        self._key = key
        self._buckets: dict[int, list[int]] = {}
        self._levels: list[int] = []  # a heap of minus the counts that have a bucket
        self._open: list[tuple[Key, int]] = []  # a heap: what is left of the open bucket
        self._level = 0  # the count of the open bucket
        self._floor = 0
        self.scanned = self.moved = 0

    def pop(self) -> int | None:
        """Take out the best pair; `None` if there is none with a count above 0."""
        while True:
            while self._open:
                number = heappop(self._open)[1]
                if self._counts[number] == self._level:
                    return number
                self.push((number,))
                self.moved += 1
            if self._levels:
                self._open_next()
            elif not self._lower_floor():
                return None

    def push(self, numbers: Iterable[int]) -> None:
        """Put in pairs by their counts: those that a merge has just made."""
        counts, floor, buckets = self._counts, self._floor, self._buckets
        for number in numbers:
            count = counts[number]
            if count < floor:
                continue
            if count == self._level:
                heappush(self._open, (self._key(number), number))
            elif count in buckets:
                buckets[count].append(number)
            else:
                buckets[count] = [number]
                heappush(self._levels, -count)

    def _open_next(self) -> None:
        self._level = -heappop(self._levels)
        counts, level, key = self._counts, self._level, self._key
        bucket = self._buckets.pop(level)
        self._open = [(key(number), number) for number in bucket if counts[number] == level]
        heapify(self._open)
        self.push(number for number in bucket if counts[number] != level)
        self.scanned += len(bucket)
        self.moved += len(bucket) - len(self._open)

    def _lower_floor(self) -> bool:
        """Put in the pairs at the top of those left out; whether there are any."""
        top = max(self._counts, default=0)
        self._floor = max(1, top // FLOOR_DIVISOR)
        self.push(range(len(self._counts)))
        self.scanned += len(self._counts)
        return top > 0
