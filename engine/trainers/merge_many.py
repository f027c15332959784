"""Merge a pair that starts in many cells: the same as `merge_few`, in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.change_log import Integers, Ints
from engine.events import Pair
from engine.pair_numbers import STRIDE, key_of
from engine.record import Merge
from engine.trainers.flat_index import FlatIndex
from engine.trainers.occurrences import Grouped
from engine.trainers.symbols import BORDER, INSIDE

Tokens = npt.NDArray[np.int32]


class ByNeighbour(NamedTuple):
    """Replaced pairs grouped by the token beside them: `starts[: ends[0]]` are beside `tokens[0]`.

    `weights` says how often each group stands in the corpus.
    """

    tokens: Ints
    weights: Ints
    starts: Integers
    ends: Ints


def merge_many(index: FlatIndex, number: int, new_id: int, starts: Integers) -> Merge:
    """Replace the pair wherever it still stands, and bring the counts up to date."""
    pair, count = index.pairs[number], index.counts[number]
    starts = _still_standing(index, pair, starts)
    before_each, after_each = _replace(index, pair, new_id, starts)
    places = index.symbols.places_array[starts]
    weights = index.symbols.word_counts_array[places]
    before = _group(before_each, starts, weights)
    after = _group(after_each, starts, weights)
    changed, left_over = _take_away(index, number, new_id, before, after)
    new = _enter(index, new_id, before, after)
    return Merge(
        number,
        count,
        np.concatenate((changed, np.arange(new.start, new.stop))),
        np.concatenate((left_over, after.weights, before.weights)),
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


def _replace(index: FlatIndex, pair: Pair, new_id: int, starts: Integers) -> tuple[Tokens, Tokens]:
    """Write the new token; the tokens before and after each.

    Two new tokens side by side are told of once: the second comes after the first.
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


def _group(tokens: Tokens, starts: Integers, weights: Ints) -> ByNeighbour:
    inner = np.flatnonzero(tokens >= 0)
    if not len(inner):
        nothing = np.zeros(0, dtype=np.int64)
        return ByNeighbour(nothing, nothing, starts[:0], nothing)
    tokens = tokens[inner]
    # Integers of 16 bits are sorted in linear time.
    small = int(tokens.max()) < 2**16
    order = np.argsort(tokens.astype(np.uint16) if small else tokens, kind="stable")
    tokens, inner = tokens[order], inner[order]
    begins = np.flatnonzero(np.concatenate(([True], tokens[1:] != tokens[:-1])))
    return ByNeighbour(
        tokens[begins].astype(np.int64),
        np.add.reduceat(weights[inner], begins),
        starts[inner],
        np.append(begins[1:], len(tokens)),
    )


def _take_away(
    index: FlatIndex, number: int, new_id: int, before: ByNeighbour, after: ByNeighbour
) -> tuple[Ints, Ints]:
    """Lower the counts of the pairs broken up; their numbers and new counts."""
    left, right = index.pairs[number]
    # Before this step the right token was followed by that token, or by another such pair.
    followed_by = np.where(after.tokens == new_id, left, after.tokens)
    keys = np.concatenate((right * STRIDE + followed_by, before.tokens * STRIDE + left))
    lost = np.fromiter(map(index.pairs.number_of_key.__getitem__, keys.tolist()), np.int64)
    counts = np.frombuffer(index.counts, dtype=np.int64)
    np.subtract.at(counts, lost, np.concatenate((after.weights, before.weights)))
    counts[number] = 0
    # Only the pair (right, left) can be broken up on both sides; it is told of once.
    between = index.pairs.number_of_key.get(key_of((right, left)), number)
    others = lost[lost != between]
    own = [number] if between == number or len(others) == len(lost) else [number, between]
    changed = np.concatenate((own, others))
    return changed, counts[changed]


def _enter(index: FlatIndex, new_id: int, before: ByNeighbour, after: ByNeighbour) -> range:
    """Enter the pairs that the new token makes: those with what follows it, then the others."""
    keys = np.concatenate((new_id * STRIDE + after.tokens, before.tokens * STRIDE + new_id))
    weights = np.concatenate((after.weights, before.weights))
    sizes = np.array([index.sizes[token] for token in before.tokens.tolist()], dtype=np.int64)
    shifts = np.repeat(sizes, np.diff(before.ends, prepend=0))
    starts = np.concatenate((after.starts, before.starts - shifts.astype(before.starts.dtype)))
    ends = np.concatenate((after.ends, before.ends + len(after.starts)))
    return index.add(keys.tolist(), weights.tolist(), Grouped(starts, ends))
