"""Replace a pair that starts in many cells: the same as `replace_few`, in arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.bpe.trainers.flat_index import Beside, FlatIndex, Replaced
from engine.bpe.trainers.occurrences import Grouped
from engine.bpe.trainers.symbols import BORDER, INSIDE
from engine.core.arrays import Integers, Ints
from engine.core.events import Pair

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
