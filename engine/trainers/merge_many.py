"""Replace a pair that starts in many cells: the same as `merge_few`, in arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.change_log import Integers, Ints
from engine.events import Pair
from engine.trainers.flat_index import Beside, FlatIndex, Replaced
from engine.trainers.occurrences import Grouped
from engine.trainers.symbols import BORDER, INSIDE

Tokens = npt.NDArray[np.int32]


def replace_many(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> Replaced:
    """Replace the pair wherever it still stands."""
    starts = _still_standing(index, pair, starts)
    before, after = _write(index, pair, new_id, starts)
    places = index.symbols.places_array[starts]
    weights = index.symbols.word_counts_array[places]
    return Replaced(
        _group(before, weights, starts, index.sizes),
        _group(after, weights, starts),
        int(weights.sum()),
        1 + int(np.count_nonzero(places[1:] != places[:-1])),
    )


def _still_standing(index: FlatIndex, pair: Pair, starts: Integers) -> Integers:
    """The starts where the pair is to be replaced: where it stands, without overlap."""
    cells = index.symbols.cells_array
    left, right = pair
    size = index.sizes[left]
    starts = starts[cells[starts] == left]
    starts = starts[cells[starts + size] == right]
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
    before, after = cells[starts - 1], cells[ends]
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
    tokens: Tokens, weights: Ints, starts: Integers, sizes: list[int] | None = None
) -> Beside:
    """Sort the starts by the tokens beside them; go back by these tokens' `sizes`, if given."""
    inner = np.flatnonzero(tokens != BORDER)
    if not len(inner):
        return Beside([], ())
    tokens = tokens[inner]
    # Integers of 16 bits are sorted in linear time.
    order = np.argsort(
        tokens.astype(np.uint16) if int(tokens.max()) < 2**16 else tokens, kind="stable"
    )
    tokens, inner = tokens[order], inner[order]
    begins = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
    ends = np.append(begins[1:], len(tokens))
    distinct = tokens[begins].tolist()
    starts = starts[inner]
    if sizes is not None:
        starts = starts - np.repeat([sizes[token] for token in distinct], ends - begins)
    group_weights = np.add.reduceat(weights[inner], begins).tolist()
    return Beside(list(zip(distinct, group_weights, strict=True)), Grouped(starts, ends))
