"""The fastest: a flat array of tokens, a queue of buckets, numpy wherever there is much to do.

No pretoken is ever gone through as a whole. What is kept, and how it hangs together:

`Symbols`      all pretokens in one flat array of cells, a cell a byte. A token writes its id into
               its first and its last cell, so that both its neighbours are one look away.
`PairNumbers`  every pair ever seen has a number, in the order of appearance. All else about pairs
               is an array over these numbers.
`counts`       number → how often the pair stands side by side now. Always true.
`Occurrences`  number → the cells where the pair started when it was new.
`BucketQueue`  the numbers of the pairs in buckets by count, for the next step.

What is true between two steps (the *invariants*):

1. Read along the cells, from the first cell of a token to the first of the next, the array spells
   every pretoken in its tokens, with a border before it and behind it.
2. A pair stands at every start that `Occurrences` has for it, or has been broken up since; it
   stands nowhere else. New pairs only come from new tokens, and those of a step are noted in it.
3. Counts only fall after the step that made the pair, and no new pair is more frequent than the
   one that merged. So no pair is in a bucket lower than its count, and the top count only falls.

One step on the pretokens `abab` (twice) and `cab` (once), `_` being a border:

    cell             0  1  2  3  4  5  6  7  8  9
    before           _  a  b  a  b  _  c  a  b  _      (a b) 5, (b a) 2, (c a) 1
    after a+b → X    _  X  X  X  X  _  c  X  X  _      (X X) 2, (c X) 1

The queue takes (a b), the pair number 0, which starts in the cells 1, 3 and 7. Behind the first X
stands another: the pair (b a) that was there is gone, (X X) is there. Before the last X stands c:
(c a) becomes (c X). The new pairs get the next numbers, 3 and 4.

>>> from engine.bpe.ties import TIE_RULES
>>> vocab = [bytes([byte]) for byte in range(256)]
>>> problem = Problem({b"abab": 2, b"cab": 1}, vocab, TIE_RULES["lexicographic"], min_count=1)
>>> index = FlatIndex(problem)
>>> index.symbols.cells.tolist()
[-1, 97, 98, 97, 98, -1, 99, 97, 98, -1]
>>> list(index.pairs), index.counts
([(97, 98), (98, 97), (99, 97)], [5, 2, 1])
>>> [index.occurrences.of(number).tolist() for number in range(3)]
[[1, 3, 7], [2], [6]]
>>> merge = merge_pair(problem, index, number=0)
>>> index.symbols.cells.tolist()
[-1, 256, 256, 256, 256, -1, 99, 256, 256, -1]
>>> list(index.pairs)[3:], index.counts
([(256, 256), (99, 256)], [0, 0, 0, 2, 1])
>>> [index.occurrences.of(number) for number in (3, 4)]
[[1], [6]]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.bpe.ties import never_seen
from engine.bpe.trainers.fast_index import Beside, BucketQueue, FlatIndex, Grouped, Replaced
from engine.bpe.trainers.problem import BORDER, INSIDE, Algorithm, CodeLine, Phase, Problem, Symbols
from engine.core.arrays import Integers, Ints, SmallInts, np
from engine.core.events import Pair
from engine.recording.merge_record import Merge

MANY = 96
"""From how many starts on numpy is faster than a loop: a call of numpy costs as much as several
turns of a loop."""


def fast(problem: Problem) -> Iterator[Merge]:
    # Lay all pretokens out in one flat array; count all pairs, and note where they start.
    index = FlatIndex(problem)
    pairs, counts = index.pairs, index.counts
    # Put all pairs into buckets by their counts.
    key = problem.tie_key(never_seen)
    queue, work = BucketQueue(counts, lambda number: key(pairs[number])), problem.work
    # Take the best pair of the top bucket; one that has fallen goes into a lower bucket instead.
    while (number := queue.pop()) is not None and counts[number] >= problem.min_count:
        known = len(counts)
        # Replace it by a new token wherever it starts, and correct the counts beside it.
        merge = merge_pair(problem, index, number)
        work.pairs_scanned, work.bucket_moves = queue.scanned, queue.moved
        # Put the new pairs into buckets.
        queue.push(range(known, len(counts)))
        yield merge


def merge_pair(problem: Problem, index: FlatIndex, number: int) -> Merge:
    """Replace a pair by a new token wherever it stands, and bring all counts up to date."""
    pair = index.pairs[number]
    new_id = problem.join(pair)
    index.sizes.append(len(problem.vocab[new_id]))
    starts = index.occurrences.of(number)
    problem.work.places_checked += len(starts)
    if len(starts) >= MANY:
        replaced = replace_many(index, pair, new_id, np.asarray(starts))
    else:
        few = starts.tolist() if isinstance(starts, np.ndarray) else starts
        replaced = replace_few(index, pair, new_id, few)
    return index.merged(number, new_id, replaced)


# -- a pair that starts in few cells: a plain loop

ByNeighbour = dict[int, list[int]]
"""Neighbouring token → where the new tokens beside it start."""


def replace_few(index: FlatIndex, pair: Pair, new_id: int, starts: Iterable[int]) -> Replaced:
    """Replace the pair wherever it still stands."""
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
        # Note the new pairs: with the token before, and with the token behind.
        token = cells[start - 1]
        if token == new_id:
            # The one just written is followed by this one, no longer by its left token.
            _move_last(after, left, new_id)
        elif token != BORDER:
            before.setdefault(token, []).append(start)
        token = cells[start + size]
        if token != BORDER:
            after.setdefault(token, []).append(start)
        # Write the new token: blank the cells inside it, then set the first and the last.
        cells[middle - 1] = cells[middle] = INSIDE
        cells[start] = cells[start + size - 1] = new_id
    return Replaced(
        Beside(
            _weigh(symbols, before),
            [[start - sizes[token] for start in at] for token, at in before.items()],
        ),
        Beside(_weigh(symbols, after), list(after.values())),
        occurrences,
        len(pretokens),
    )


def _weigh(symbols: Symbols, groups: ByNeighbour) -> list[tuple[int, int]]:
    """(neighbour, how often the new tokens beside it stand in the corpus)."""
    pretoken_of, times = symbols.pretoken_of, symbols.times
    weights = []
    for token, starts in groups.items():
        weight = 0
        for start in starts:
            weight += times[pretoken_of[start]]
        weights.append((token, weight))
    return weights


def _move_last(after: ByNeighbour, left: int, new_id: int) -> None:
    """Two new tokens stand side by side: the pair is noted once, behind the first of them.

    When the first was written, the left token of the second still stood behind it.
    """
    first = after[left].pop()
    if not after[left]:
        del after[left]
    after.setdefault(new_id, []).append(first)


# -- a pair that starts in many cells: what `replace_few` does, in arrays

Tokens = SmallInts


def replace_many(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> Replaced:
    """Replace the pair wherever it still stands."""
    # Numpy looks up by the integers of the machine, and kept starts are shorter: convert once.
    starts = _still_standing(index, pair, starts.astype(np.intp))
    before, after = _write(index, pair, new_id, starts)
    pretokens = index.symbols.pretoken_array.take(starts)
    weights = index.symbols.times_array.take(pretokens)
    return Replaced(
        _group(index, before, weights, starts, back=True),
        _group(index, after, weights, starts, back=False),
        int(weights.sum()),
        1 + int(np.count_nonzero(pretokens[1:] != pretokens[:-1])),
    )


def _still_standing(index: FlatIndex, pair: Pair, starts: Integers) -> Integers:
    """The starts where the pair is to be replaced: where it stands, without overlap."""
    cells = index.symbols.cells_array
    left, right = pair
    size = index.sizes[left]
    starts = starts.compress(cells.take(starts) == left)
    starts = starts.compress(cells.take(starts + size) == right)
    if left != right:
        return starts
    # In a run a a a a each pair starts where the one before has its middle: take every other.
    turns = np.arange(len(starts))
    opens_run = np.concatenate(([True], starts[1:] - starts[:-1] != size))
    run_begin = np.maximum.accumulate(np.where(opens_run, turns, 0))
    every_other: Integers = starts[(turns - run_begin) % 2 == 0]
    return every_other


def _write(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> tuple[Tokens, Tokens]:
    """Write the new token; returns the tokens before each and behind each.

    Two new tokens side by side make one pair, noted behind the first: the second seems to have a
    border before it.
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
) -> Beside:
    """Group the starts by the tokens beside them; `back` goes to where those before them start."""
    inner = (tokens != BORDER).nonzero()[0]
    if not len(inner):
        return Beside([], ())
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
    return Beside(list(zip(distinct, group_weights, strict=True)), grouped)


PSEUDOCODE = (
    CodeLine("all pretokens in one flat array"),
    CodeLine("count all pairs; note where they start"),
    CodeLine("buckets ← all pairs by count"),
    CodeLine("while there are buckets:"),
    CodeLine("  best ← a pair of the top bucket", (Phase.CHOOSE,)),
    CodeLine("  fallen since? to its bucket; another", (Phase.CHOOSE,)),
    CodeLine("  new ← join best", (Phase.JOIN,)),
    CodeLine("  for each cell where best starts:", (Phase.REPLACE,)),
    CodeLine("    write new; numpy, if many", (Phase.REPLACE,)),
    CodeLine("  correct counts beside it", (Phase.CORRECT,)),
    CodeLine("  buckets ← the pairs with new", (Phase.ENTER,)),
)

ALGORITHM = Algorithm(
    "fast",
    "flat arrays, and buckets of pairs instead of a heap",
    fast,
    PSEUDOCODE,
    ("pairs_scanned", "places_checked", "bucket_moves"),
    static_only=True,
    bytes_only=True,
)
