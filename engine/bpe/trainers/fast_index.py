"""What the fast trainer knows of the pairs: counts, where they start, and which is next.

How these hang together with the flat array of tokens is explained in `fast`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from engine.bpe.ties import Key
from engine.bpe.trainers.problem import Problem
from engine.core.arrays import Integers, Ints
from engine.recording.merge_record import Merge
from engine.recording.numbering import STRIDE, key_of


class Grouped:
    """Groups of starts, one after the other in one array. `ends`: where each group ends."""

    def __init__(self, starts: Integers, ends: Ints) -> None:
        self._starts = starts
        self._ends = ends

    def __getitem__(self, group: int) -> Integers:
        return self._starts[self._ends[group - 1] if group else 0 : self._ends[group]]


Groups: TypeAlias = "Sequence[list[int] | Integers] | Grouped"
"""The starts of several pairs; those of each in ascending order."""


class Occurrences:
    """number of a pair → the cells where it started when it was new.

    A merge makes many pairs at once, numbered one after the other, and brings their starts grouped
    in the same order. So the starts are kept merge by merge as they came, and a pair's are found by
    its number. They are true when they are added; later merges may break some up, and whoever uses
    them looks at the cells to see which still stand.
    """

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._groups: list[Groups] = []
        self._end = 0

    def add(self, groups: Groups, pairs: int) -> None:
        """The starts of so many pairs more, numbered on."""
        self._firsts.append(self._end)
        self._groups.append(groups)
        self._end += pairs

    def of(self, number: int) -> list[int] | Integers:
        # Additions of no pairs share their first number with the next one, which is found.
        index = bisect_right(self._firsts, number) - 1
        return self._groups[index][number - self._firsts[index]]


@dataclass(slots=True)
class Beside:
    """The new tokens of a step by the tokens on one side of them, pretoken borders left out.

    `weights` are (token, how often the new token stands beside it in the corpus); `starts` has for
    each of them the cells where the pairs of the two start.
    """

    weights: list[tuple[int, int]]
    starts: Groups


@dataclass(slots=True)
class Replaced:
    """What replacing a pair came to. Of two new tokens side by side only `after` tells."""

    before: Beside
    after: Beside
    occurrences: int
    pretokens: int


class FlatIndex:
    """The tokens of a problem and its pairs, kept true by `merged`.

    Attributes:
        symbols: the tokens, in one flat array.
        pairs: the numbers of the pairs.
        counts: number → how often the pair stands.
        occurrences: number → the cells where the pair started when it was new.
        sizes: token id → its length in bytes.
    """

    def __init__(self, problem: Problem) -> None:
        self.symbols = problem.symbols
        self.pairs = problem.pairs
        self.counts = list(problem.start)
        self.occurrences = Occurrences()
        self.occurrences.add(Grouped(*self.symbols.byte_pair_starts()), len(self.counts))
        self.sizes = [len(token) for token in problem.vocab]
        self._longest = problem.max_token_length

    def merged(self, number: int, new_id: int, replaced: Replaced) -> Merge:
        """Bring counts and occurrences up to date after a pair has been replaced."""
        left, right = self.pairs[number]
        counts, number_of_key = self.counts, self.pairs.number_of_key
        count = counts[number]
        # Old pairs that lost, with what is left of them. A dict, as one pair can lose on both
        # sides: (b, a) in b[ab] and in [ab]a.
        left_over = {number: 0}
        if self._longest is not None:
            room = self._longest - self.sizes[new_id]
            replaced = self._without_too_long(number, room, new_id, replaced, left_over)
        keys: list[int] = []
        born: list[int] = []
        for token, weight in replaced.after.weights:
            # The right token was followed by what follows the new one now, or by another pair.
            old = number_of_key[right * STRIDE + (left if token == new_id else token)]
            left_over[old] = counts[old] = counts[old] - weight
            keys.append(new_id * STRIDE + token)
            born.append(weight)
        for token, weight in replaced.before.weights:
            old = number_of_key[token * STRIDE + left]
            left_over[old] = counts[old] = counts[old] - weight
            keys.append(token * STRIDE + new_id)
            born.append(weight)
        # Where the pair overlapped itself, the loops have met only part of it.
        left_over[number] = counts[number] = 0
        changed = [*left_over, *self.pairs.add_new(keys)]
        counts += born
        for beside in (replaced.after, replaced.before):
            self.occurrences.add(beside.starts, len(beside.weights))
        now = [*left_over.values(), *born]
        return Merge(number, count, changed, now, replaced.occurrences, replaced.pretokens)

    def _without_too_long(
        self, number: int, room: int, new_id: int, replaced: Replaced, left_over: dict[int, int]
    ) -> Replaced:
        """Leave out neighbours longer than the room that the new token has left beside it.

        The pairs that stood in their place lose their counts here, where they had one.
        """
        left, right = self.pairs[number]

        def short_only(beside: Beside, old_key: Callable[[int], int]) -> Beside:
            kept: list[int] = []
            for index, (token, weight) in enumerate(beside.weights):
                if self.sizes[token] <= room:
                    kept.append(index)
                elif (old := self.pairs.number_of_key.get(old_key(token))) is not None:
                    left_over[old] = self.counts[old] = self.counts[old] - weight
            weights, starts = beside.weights, beside.starts
            return Beside([weights[index] for index in kept], [starts[index] for index in kept])

        after = short_only(
            replaced.after, lambda token: key_of((right, left if token == new_id else token))
        )
        before = short_only(replaced.before, lambda token: key_of((token, left)))
        return Replaced(before, after, replaced.occurrences, replaced.pretokens)


FLOOR_DIVISOR = 4
"""Running dry, the queue goes down to the top count divided by this."""


class BucketQueue:
    """Pairs in buckets by count: the best one without keeping anything sorted.

    The top count only falls, so the queue walks down through the counts, bucket by bucket. A pair
    whose count has fallen stays in its bucket until that is opened, and is put into the right one
    then. The tie rule is asked only about pairs in the open bucket, which is a heap by its key.

    Most pairs are rare and never merge. The queue leaves those below a *floor* alone; when it runs
    dry, one look over all counts gives a lower floor and the pairs above it.

    Args:
        counts: number → true count, which the caller changes. A pair that is taken out must lose
            its count, as a merge makes it do.
        key: number → the tie rule's key; of two pairs with the same count the lesser is first.

    Attributes:
        scanned: pairs looked at, to open a bucket or to lower the floor.
        moved: those of them that had fallen, and went into another bucket.

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
