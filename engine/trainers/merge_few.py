"""Merge a pair that starts in few cells: a plain loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from engine.events import Pair
from engine.pair_numbers import STRIDE
from engine.record import Merge
from engine.trainers.flat_index import FlatIndex
from engine.trainers.symbols import BORDER, INSIDE

ByNeighbour = defaultdict[int, list[int]]
"""Neighbouring token → where the replaced pairs beside it start."""


def merge_few(index: FlatIndex, number: int, new_id: int, starts: Iterable[int]) -> Merge:
    """Replace the pair wherever it still stands, and bring the counts up to date."""
    left, right = pair = index.pairs[number]
    counts, number_of_key = index.counts, index.pairs.number_of_key
    places, word_counts = index.symbols.places, index.symbols.word_counts
    count = counts[number]
    replaced, before, after = _replace(index, pair, new_id, starts)
    changed = {number: 0}
    keys: list[int] = []
    weights: list[int] = []
    groups: list[list[int]] = []
    for token, at in after.items():
        # Before this step the right token was followed by `token`, or by another such pair.
        old = number_of_key[right * STRIDE + (left if token == new_id else token)]
        weight = sum([word_counts[places[start]] for start in at])
        counts[old] -= weight
        changed[old] = counts[old]
        keys.append(new_id * STRIDE + token)
        weights.append(weight)
        groups.append(at)
    for token, at in before.items():
        old = number_of_key[token * STRIDE + left]
        weight = sum([word_counts[places[start]] for start in at])
        counts[old] -= weight
        changed[old] = counts[old]
        size = index.sizes[token]
        keys.append(token * STRIDE + new_id)
        weights.append(weight)
        groups.append([start - size for start in at])
    # Where the pair overlapped itself, the loop above has met it as its own neighbour.
    changed[number] = counts[number] = 0
    in_places = [places[start] for start in replaced]
    return Merge(
        number,
        count,
        [*changed, *index.add(keys, weights, groups)],
        [*changed.values(), *weights],
        sum([word_counts[place] for place in in_places]),
        len(set(in_places)),
    )


def _replace(
    index: FlatIndex, pair: Pair, new_id: int, starts: Iterable[int]
) -> tuple[list[int], ByNeighbour, ByNeighbour]:
    """Write the new token; where it starts, and that by the tokens before it and after it.

    Two new tokens side by side are told of once: the second comes after the first.
    """
    cells = index.symbols.cells
    left, right = pair
    left_size = index.sizes[left]
    size = left_size + index.sizes[right]
    replaced: list[int] = []
    before: ByNeighbour = defaultdict(list)
    after: ByNeighbour = defaultdict(list)
    for start in starts:
        middle = start + left_size
        if cells[start] == left and cells[middle] == right:
            replaced.append(start)
            before[cells[start - 1]].append(start)
            after[cells[start + size]].append(start)
            cells[middle - 1] = cells[middle] = INSIDE
            cells[start] = cells[start + size - 1] = new_id
    if new_id in before:
        firsts = {start - size for start in before.pop(new_id)}
        after[new_id] = sorted(firsts)
        after[left] = [start for start in after[left] if start not in firsts]
        if not after[left]:
            del after[left]
    before.pop(BORDER, None)
    after.pop(BORDER, None)
    return replaced, before, after
