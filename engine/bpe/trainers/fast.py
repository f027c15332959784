"""The fastest trainer in Python: a flat array of tokens, a queue of buckets, numpy for many cells.

No pretoken is ever scanned as a whole. The data structures:

`Symbols`      all pretokens in one flat array of cells, a cell for each unit. A token has its id in
               its first and its last cell, so both its neighbours are found in one step.
`PairNumbers`  every pair ever seen has a number, in the order of appearance. Everything else about
               pairs is an array over these numbers.
`counts`       number → present count of the pair. Always true.
`Occurrences`  number → the cells where the pair started when it was new.
`BucketQueue`  the numbers of the pairs in buckets by count, for the next step.

Between two steps these *invariants* hold:

1. The first cells of the tokens, read in order, spell every pretoken in its tokens, with a border
   before and after it.
2. A pair occurs only at the starts that `Occurrences` has for it, and at each of them unless a
   merge has broken it up. New pairs contain the step's new token and are noted in that step.
3. Counts only fall after the step that made the pair, and no new pair is more frequent than the
   merged one. So no pair is in a bucket below its count, and the top count only falls.

One step on the pretokens `abab` (twice) and `cab` (once), `_` is a border:

    cell             0  1  2  3  4  5  6  7  8  9
    before           _  a  b  a  b  _  c  a  b  _      (a b) 5, (b a) 2, (c a) 1
    after a+b → X    _  X  X  X  X  _  c  X  X  _      (X X) 2, (c X) 1

The queue takes (a b), the pair number 0, which starts in the cells 1, 3 and 7. After the first X
is another X: the pair (b a) is replaced by (X X). Before the last X is c: (c a) becomes (c X). The
new pairs get the next numbers, 3 and 4.

>>> from engine.bpe.ties import TIE_RULES
>>> vocab = [bytes([byte]) for byte in range(256)]
>>> task = TrainingTask({b"abab": 2, b"cab": 1}, vocab, TIE_RULES["lexicographic"], min_count=1)
>>> index = FlatIndex(task)
>>> index.symbols.cells.tolist()
[-1, 97, 98, 97, 98, -1, 99, 97, 98, -1]
>>> list(index.pairs), index.counts
([(97, 98), (98, 97), (99, 97)], [5, 2, 1])
>>> [index.occurrences.of(number).tolist() for number in range(3)]
[[1, 3, 7], [2], [6]]
>>> merge = replace_everywhere(task, index, number=0)
>>> index.symbols.cells.tolist()
[-1, 256, 256, 256, 256, -1, 99, 256, 256, -1]
>>> list(index.pairs)[3:], index.counts
([(256, 256), (99, 256)], [0, 0, 0, 2, 1])
>>> [index.occurrences.of(number) for number in (3, 4)]
[[1], [6]]
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import NamedTuple, TypeAlias

from engine.bpe.ties import TieKey, never_seen
from engine.bpe.trainers.algorithm import Algorithm, TrainingTask
from engine.bpe.trainers.pseudocode import CodeLine, StepPart
from engine.bpe.trainers.symbols import BORDER, INSIDE, Symbols
from engine.core.arrays import Integers, Ints, SmallInts
from engine.core.events import Pair
from engine.core.slow_modules import np
from engine.recording.merge_record import STRIDE, MergeReport, key_of


class Grouped:
    """Groups of starts, one after the other in one array; `ends` are the ends of the groups."""

    def __init__(self, starts: Integers, ends: Ints) -> None:
        self.starts, self.ends = starts, ends

    def __getitem__(self, group: int) -> Integers:
        return self.starts[self.ends[group - 1] if group else 0 : self.ends[group]]


Groups: TypeAlias = "Sequence[list[int] | Integers] | Grouped"
"""The starts of several pairs, a group for each, in ascending order."""


class Occurrences:
    """number of a pair → the cells where it started when it was new.

    A merge makes many pairs with consecutive numbers, and adds their starts grouped in the same
    order. So the starts are stored merge by merge, and found by the pair's number. They are true
    when they are added. Later merges may break up some occurrences, so a user must check the cells.
    """

    def __init__(self) -> None:
        self._firsts: list[int] = []
        self._groups: list[Groups] = []
        self._end = 0

    def add(self, groups: Groups, pairs: int) -> None:
        """Add the starts of the next `pairs` pairs."""
        self._firsts.append(self._end)
        self._groups.append(groups)
        self._end += pairs

    def of(self, number: int) -> list[int] | Integers:
        # An addition of no pairs shares its first number with the next addition, which is found.
        index = bisect_right(self._firsts, number) - 1
        return self._groups[index][number - self._firsts[index]]


class Neighbours(NamedTuple):
    """The tokens on one side of a step's new tokens, without pretoken borders.

    `weights` are (neighbour, its count beside the new token in the corpus); `starts` are, for each
    neighbour, the cells where its pairs with the new token start.
    """

    weights: list[tuple[int, int]]
    starts: Groups


class FlatReplacement(NamedTuple):
    """The result of replacing a pair. Two neighbouring new tokens are only in `after`."""

    before: Neighbours
    after: Neighbours
    occurrences: int
    pretokens: int


class FlatIndex:
    """The tokens of a task and its pairs; `merged` keeps them up to date.

    Attributes:
        symbols: the tokens, in one flat array.
        pairs: the numbers of the pairs.
        counts: number → count of the pair.
        occurrences: number → the cells where the pair started when it was new.
        sizes: token id → its length in units.
    """

    def __init__(self, task: TrainingTask) -> None:
        self.symbols = task.symbols
        self.pairs = task.pairs
        self.counts = list(task.start)
        self.occurrences = Occurrences()
        places = self.symbols.pairs
        self.occurrences.add([places[pair][1] for pair in self.pairs], len(self.counts))
        self.sizes = [1] * len(task.vocab)
        self._may_merge = task.may_merge
        self._has_limits = task.max_token_length is not None or task.most_words is not None

    def merged(self, number: int, new_id: int, replaced: FlatReplacement) -> MergeReport:
        """Update counts and occurrences after a pair has been replaced."""
        left, right = self.pairs[number]
        counts, number_of_key = self.counts, self.pairs.number_of_key
        count = counts[number]
        # The new counts of old pairs that have become rarer. A dict, because one pair can lose on
        # both sides: (b, a) in b[ab] and in [ab]a.
        left_over = {number: count}
        if self._has_limits:
            replaced = self._without_too_long(number, new_id, replaced, left_over)
        keys: list[int] = []
        born: list[int] = []
        for token, weight in replaced.after.weights:
            # The right token was followed by the new token's neighbour, or by another pair.
            old = number_of_key[right * STRIDE + (left if token == new_id else token)]
            left_over[old] = counts[old] = counts[old] - weight
            keys.append(new_id * STRIDE + token)
            born.append(weight)
        for token, weight in replaced.before.weights:
            old = number_of_key[token * STRIDE + left]
            left_over[old] = counts[old] = counts[old] - weight
            keys.append(token * STRIDE + new_id)
            born.append(weight)
        # If the pair overlapped itself, the loops have counted only a part of it.
        left_over[number] = counts[number] = 0
        changed = [*left_over, *self.pairs.add_new(keys)]
        counts += born
        for beside in (replaced.after, replaced.before):
            self.occurrences.add(beside.starts, len(beside.weights))
        now = [*left_over.values(), *born]
        return MergeReport(number, count, changed, now, replaced.occurrences, replaced.pretokens)

    def _without_too_long(
        self, number: int, new_id: int, replaced: FlatReplacement, left_over: dict[int, int]
    ) -> FlatReplacement:
        """Leave out neighbours that may not merge with the new token.

        The counts of the old pairs with these neighbours are reduced here.
        """
        left, right = self.pairs[number]

        def short_only(
            beside: Neighbours, new_pair: Callable[[int], Pair], old_key: Callable[[int], int]
        ) -> Neighbours:
            kept: list[int] = []
            for index, (token, weight) in enumerate(beside.weights):
                if self._may_merge(new_pair(token)):
                    kept.append(index)
                elif (old := self.pairs.number_of_key.get(old_key(token))) is not None:
                    left_over[old] = self.counts[old] = self.counts[old] - weight
            weights, starts = beside.weights, beside.starts
            return Neighbours([weights[index] for index in kept], [starts[index] for index in kept])

        after = short_only(
            replaced.after,
            lambda token: (new_id, token),
            lambda token: key_of((right, left if token == new_id else token)),
        )
        before = short_only(
            replaced.before, lambda token: (token, new_id), lambda token: key_of((token, left))
        )
        return FlatReplacement(before, after, replaced.occurrences, replaced.pretokens)


FLOOR_DIVISOR = 4
"""When the queue is empty, its new floor is the top count divided by this."""


class BucketQueue:
    """Pairs in buckets by count, to find the best pair without sorting.

    The top count only falls, so the queue walks down through the counts, bucket by bucket. A pair
    whose count has fallen stays in its bucket until that is opened, and then moves to the right
    bucket. Only the pairs in the open bucket are ordered by the tie rule, in a heap.

    Most pairs are rare and never merge. The queue ignores the pairs below a *floor*. When it is
    empty, one scan of all counts finds a lower floor and the pairs above it.

    Args:
        counts: number → true count, which the caller changes. After `pop` the caller must reduce
            the pair's count, as a merge does.
        key: number → the tie rule's key; of two pairs with equal counts the lesser key is first.

    Attributes:
        scanned: number of pairs scanned, to open a bucket or to lower the floor.
        moved: number of those whose count had fallen, and that moved to another bucket.

    >>> counts = [9, 8, 8]
    >>> queue = BucketQueue(counts, key=lambda number: -number)
    >>> counts[0] = 5
    >>> queue.pop()
    2
    >>> counts[2] = 0
    >>> queue.pop()
    1
    """

    def __init__(self, counts: list[int], key: Callable[[int], TieKey]) -> None:
        self._counts = counts
        self._key = key
        self._buckets: dict[int, list[int]] = {}
        self._levels: list[int] = []  # a heap of minus the counts that have a bucket
        self._open: list[tuple[TieKey, int]] = []  # a heap: the rest of the open bucket
        self._level = 0  # the count of the open bucket
        self._floor = 0  # rarer pairs are in no bucket; the first `pop` sets it
        self.scanned = self.moved = 0

    def pop(self) -> int | None:
        """Pop the best pair; `None` if no pair has a count above 0."""
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
        """Put pairs into the buckets of their counts."""
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
        """Lower the floor and put in the pairs above it; return whether there are any."""
        top = max(self._counts, default=0)
        self._floor = max(1, top // FLOOR_DIVISOR)
        self.push(range(len(self._counts)))
        self.scanned += len(self._counts)
        return top > 0


MANY = 96
"""Least number of starts for numpy: a call costs as much as several loop turns."""


def fast(task: TrainingTask) -> Iterator[MergeReport]:
    # Put all pretokens into one flat array; count all pairs, and note where they start.
    index = FlatIndex(task)
    pairs, counts = index.pairs, index.counts
    # Put all pairs into buckets by their counts.
    key = task.tie_key(never_seen)
    queue, work = BucketQueue(counts, lambda number: key(pairs[number])), task.work
    # Take the best pair of the top bucket; a pair whose count has fallen moves to a lower one.
    while (number := queue.pop()) is not None and counts[number] >= task.min_count:
        known = len(counts)
        # Replace it by a new token wherever it starts, and correct the counts beside it.
        merge = replace_everywhere(task, index, number)
        work.pairs_scanned, work.bucket_moves = queue.scanned, queue.moved
        # Put the new pairs into buckets.
        queue.push(range(known, len(counts)))
        yield merge


def replace_everywhere(task: TrainingTask, index: FlatIndex, number: int) -> MergeReport:
    """Replace a pair by a new token wherever it occurs, and update all counts."""
    pair = index.pairs[number]
    new_id = task.join(pair)
    index.sizes.append(sum(map(index.sizes.__getitem__, pair)))
    starts = index.occurrences.of(number)
    task.work.places_checked += len(starts)
    if len(starts) >= MANY:
        replaced = replace_many(index, pair, new_id, np.asarray(starts))
    else:
        few = starts.tolist() if isinstance(starts, np.ndarray) else starts
        replaced = replace_few(index, pair, new_id, few)
    return index.merged(number, new_id, replaced)


# -- a pair that starts in few cells: a plain loop

ByNeighbour = dict[int, list[int]]
"""Neighbouring token → starts of the new tokens beside it."""


def replace_few(
    index: FlatIndex, pair: Pair, new_id: int, starts: Iterable[int]
) -> FlatReplacement:
    """Replace the pair in a loop, wherever it still occurs."""
    symbols, sizes = index.symbols, index.sizes
    cells, pretoken_of, times = symbols.cells, symbols.pretoken_of, symbols.times
    left, right = pair
    left_size, size = sizes[left], sizes[new_id]
    occurrences = 0
    pretokens: set[int] = set()
    before: ByNeighbour = {}
    after: ByNeighbour = {}
    for start in starts:
        middle = start + left_size
        # A merge since the start was noted may have broken the pair up.
        if cells[start] != left or cells[middle] != right:
            continue
        pretoken = pretoken_of[start]
        pretokens.add(pretoken)
        weight = times[pretoken]
        occurrences += weight
        # Note the new pairs: with the token before, and with the token after.
        token = cells[start - 1]
        if token == new_id:
            # The new token written last is followed by this one, no longer by its left token.
            _move_last(after, left, new_id)
        elif token != BORDER:
            before.setdefault(token, []).append(start)
        token = cells[start + size]
        if token != BORDER:
            after.setdefault(token, []).append(start)
        # Write the new token: blank the cells inside it, then set the first and the last.
        cells[middle - 1] = cells[middle] = INSIDE
        cells[start] = cells[start + size - 1] = new_id
    return FlatReplacement(
        Neighbours(
            _weigh(symbols, before),
            [[start - sizes[token] for start in at] for token, at in before.items()],
        ),
        Neighbours(_weigh(symbols, after), list(after.values())),
        occurrences,
        len(pretokens),
    )


def _weigh(symbols: Symbols, groups: ByNeighbour) -> list[tuple[int, int]]:
    """Return (neighbour, number of new tokens beside it in the corpus)."""
    pretoken_of, times = symbols.pretoken_of, symbols.times
    weights = []
    for token, starts in groups.items():
        weight = 0
        for start in starts:
            weight += times[pretoken_of[start]]
        weights.append((token, weight))
    return weights


def _move_last(after: ByNeighbour, left: int, new_id: int) -> None:
    """Note the pair of two neighbouring new tokens once, after the first of them.

    When the first one was written, it was noted before the left token of the second.
    """
    first = after[left].pop()
    if not after[left]:
        del after[left]
    after.setdefault(new_id, []).append(first)


# -- a pair that starts in many cells: the same in arrays

Tokens = SmallInts


def replace_many(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> FlatReplacement:
    """Replace the pair by array operations, wherever it still occurs."""
    # numpy indexes by machine integers, and the stored starts are shorter: convert them once.
    starts = _still_occurring(index, pair, starts.astype(np.intp))
    before, after = _write(index, pair, new_id, starts)
    pretokens = index.symbols.pretoken_array.take(starts)
    weights = index.symbols.times_array.take(pretokens)
    return FlatReplacement(
        _group(index, before, weights, starts, back=True),
        _group(index, after, weights, starts, back=False),
        int(weights.sum()),
        1 + int(np.count_nonzero(pretokens[1:] != pretokens[:-1])),
    )


def _still_occurring(index: FlatIndex, pair: Pair, starts: Integers) -> Integers:
    """Return the starts where the pair still occurs, without overlaps."""
    cells = index.symbols.cells_array
    left, right = pair
    size = index.sizes[left]
    starts = starts.compress(cells.take(starts) == left)
    starts = starts.compress(cells.take(starts + size) == right)
    if left != right:
        return starts
    # In a run a a a a each pair starts in the middle of the one before: take every other pair.
    turns = np.arange(len(starts))
    opens_run = np.concatenate(([True], starts[1:] - starts[:-1] != size))
    run_begin = np.maximum.accumulate(np.where(opens_run, turns, 0))
    every_other: Integers = starts[(turns - run_begin) % 2 == 0]
    return every_other


def _write(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> tuple[Tokens, Tokens]:
    """Write the new tokens; return the tokens before each and after each.

    Two neighbouring new tokens make one pair, which is noted after the first: for the second, the
    token before it is replaced by a border.
    """
    cells = index.symbols.cells_array
    left_size, right_size = index.sizes[pair[0]], index.sizes[pair[1]]
    ends = starts + (left_size + right_size)
    before, after = cells.take(starts - 1), cells.take(ends)
    side_by_side = starts[1:] == ends[:-1]
    after[:-1][side_by_side] = new_id
    before[1:][side_by_side] = BORDER
    if left_size > 1:
        cells[starts + (left_size - 1)] = INSIDE
    if right_size > 1:
        cells[starts + left_size] = INSIDE
    cells[starts] = new_id
    cells[ends - 1] = new_id
    return before, after


def _group(
    index: FlatIndex, tokens: Tokens, weights: Ints, starts: Integers, *, back: bool
) -> Neighbours:
    """Group the starts by the tokens beside them; `back` moves starts to those tokens."""
    inner = (tokens != BORDER).nonzero()[0]
    if not len(inner):
        return Neighbours([], ())
    tokens = tokens.take(inner)
    # Integers of 16 bits are sorted in linear time.
    short = len(index.sizes) <= 2**16
    order = (tokens.astype(np.uint16) if short else tokens).argsort(kind="stable")
    tokens, inner = tokens.take(order), inner.take(order)
    begins = np.concatenate(([True], tokens[1:] != tokens[:-1])).nonzero()[0]
    ends = np.append(begins[1:], len(tokens))
    distinct = tokens.take(begins).tolist()
    group_weights = np.add.reduceat(weights.take(inner), begins).tolist()
    starts = starts.take(inner)
    if back:
        starts -= np.repeat([index.sizes[token] for token in distinct], ends - begins)
    grouped = Grouped(starts.astype(index.symbols.starts_type), ends)
    return Neighbours(list(zip(distinct, group_weights, strict=True)), grouped)


PSEUDOCODE = (
    CodeLine("all pretokens in one flat array"),
    CodeLine("count all pairs; note where they start"),
    CodeLine("buckets ← all pairs by count"),
    CodeLine("while there are buckets:"),
    CodeLine("  best ← a pair of the top bucket", (StepPart.CHOOSE,)),
    CodeLine("  fallen since? to its bucket; another", (StepPart.CHOOSE,)),
    CodeLine("  new ← join best", (StepPart.JOIN,)),
    CodeLine("  for each cell where best starts:", (StepPart.REPLACE,)),
    CodeLine("    write new; numpy, if many", (StepPart.REPLACE,)),
    CodeLine("  correct counts beside it", (StepPart.CORRECT,)),
    CodeLine("  buckets ← the pairs with new", (StepPart.ENTER,)),
)

ALGORITHM = Algorithm(
    "fast",
    "flat arrays; buckets, no heap",
    fast,
    PSEUDOCODE,
    ("pairs_scanned", "places_checked", "bucket_moves"),
    static_only=True,
    bytes_only=True,
)
