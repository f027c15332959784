"""The fastest: a flat array of tokens, a queue of buckets, numpy wherever there is much to do.

Three things are kept, and a step goes through them in turn: which pair is next (`bucket_queue`),
where it starts (`occurrences`), which tokens stand there and beside it (`symbols`). No pretoken is
ever gone through as a whole.

A pair that starts in many cells is merged by numpy, one that starts in few by a loop, because a
call of numpy costs as much as several turns of a loop. The two ways are `replace_many` and
`replace_few`, and they do the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from engine.bpe.ties import no_place
from engine.bpe.trainers.fast_index import Beside, BucketQueue, FlatIndex, Grouped, Replaced
from engine.bpe.trainers.problem import Algorithm, CodeLine, Phase, Problem
from engine.bpe.trainers.symbols import BORDER, INSIDE, Symbols
from engine.core.arrays import Integers, Ints
from engine.core.events import Pair
from engine.recording.merge_record import Merge

# Replace a pair that starts in few cells: a plain loop.

ByNeighbour = dict[int, list[int]]
"""Neighbouring token → where the new tokens beside it start."""


def replace_few(index: FlatIndex, pair: Pair, new_id: int, starts: Iterable[int]) -> Replaced:
    """Replace the pair wherever it still stands."""
    symbols, sizes = index.symbols, index.sizes
    cells, places, word_counts = symbols.cells, symbols.places, symbols.word_counts
    left, right = pair
    left_size, size = sizes[left], sizes[new_id]
    occurrences = 0
    touched: set[int] = set()
    before: ByNeighbour = {}
    after: ByNeighbour = {}
    for start in starts:
        middle = start + left_size
        if cells[start] != left or cells[middle] != right:
            continue
        place = places[start]
        touched.add(place)
        weight = word_counts[place]
        occurrences += weight
        token = cells[start - 1]
        if token == new_id:
            # The one just written is followed by this one, no longer by its left token.
            _move_last(after, left, new_id)
        elif token != BORDER:
            before.setdefault(token, []).append(start)
        token = cells[start + size]
        if token != BORDER:
            after.setdefault(token, []).append(start)
        cells[middle - 1] = cells[middle] = INSIDE
        cells[start] = cells[start + size - 1] = new_id
    return Replaced(
        Beside(
            _weigh(symbols, before),
            [[start - sizes[token] for start in at] for token, at in before.items()],
        ),
        Beside(_weigh(symbols, after), list(after.values())),
        occurrences,
        len(touched),
    )


def _weigh(symbols: Symbols, groups: ByNeighbour) -> list[tuple[int, int]]:
    """(neighbour, how often the new tokens beside it stand in the corpus)."""
    places, word_counts = symbols.places, symbols.word_counts
    weights = []
    for token, starts in groups.items():
        weight = 0
        for start in starts:
            weight += word_counts[places[start]]
        weights.append((token, weight))
    return weights


def _move_last(after: ByNeighbour, left: int, new_id: int) -> None:
    """Where two new tokens stand side by side, say so of the first and be silent of the second.

    When the first was written, the left token of the second still stood behind it.
    """
    first = after[left].pop()
    if not after[left]:
        del after[left]
    after.setdefault(new_id, []).append(first)


# Replace a pair that starts in many cells: the same as `replace_few`, in arrays.

Tokens = npt.NDArray[np.int32]


def replace_many(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> Replaced:
    """Replace the pair wherever it still stands."""
    # Numpy looks up by the integers of the machine, and kept starts are shorter: convert once.
    starts = _still_standing(index, pair, starts.astype(np.intp))
    before, after = _write(index, pair, new_id, starts)
    places = index.symbols.places_array.take(starts)
    weights = index.symbols.word_counts_array.take(places)
    return Replaced(
        _group(index, before, weights, starts, back=True),
        _group(index, after, weights, starts, back=False),
        int(weights.sum()),
        1 + int(np.count_nonzero(places[1:] != places[:-1])),
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
    """Write the new token; the tokens before and after each.

    Of two new tokens side by side only the first tells: the second has a border before it.
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
    """Sort the starts by the tokens beside them; go `back` to where these tokens start."""
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


MANY = 96
"""From how many starts on numpy is faster than a loop."""


def fast(problem: Problem) -> Iterator[Merge]:
    index = FlatIndex(problem)
    pairs, counts = index.pairs, index.counts
    key = problem.tie_key(no_place)
    queue, work = BucketQueue(counts, lambda number: key(pairs[number])), problem.work
    while (number := queue.pop()) is not None and counts[number] >= problem.min_count:
        known = len(counts)
        merge = merge_pair(problem, index, number)
        work.pairs_scanned, work.bucket_moves = queue.scanned, queue.moved
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
    "flat arrays and buckets of pairs, in numpy where a pair is frequent; default",
    fast,
    PSEUDOCODE,
    ("pairs_scanned", "places_checked", "bucket_moves"),
    static_only=True,
    bytes_only=True,
)
