"""Replace a pair that starts in few cells: a plain loop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from engine.events import Pair
from engine.trainers.flat_index import Beside, FlatIndex, Replaced
from engine.trainers.symbols import BORDER, INSIDE, Symbols

ByNeighbour = defaultdict[int, list[int]]
"""Neighbouring token → where the new tokens beside it start."""


def replace_few(index: FlatIndex, pair: Pair, new_id: int, starts: Iterable[int]) -> Replaced:
    """Replace the pair wherever it still stands."""
    symbols, sizes = index.symbols, index.sizes
    replaced, before, after = _write(index, pair, new_id, starts)
    if new_id in before:
        _tell_once(before, after, pair, new_id, sizes[new_id])
    before.pop(BORDER, None)
    after.pop(BORDER, None)
    shifted = [[start - sizes[token] for start in at] for token, at in before.items()]
    places = [symbols.places[start] for start in replaced]
    return Replaced(
        Beside(list(before), _weigh(symbols, before.values()), shifted),
        Beside(list(after), _weigh(symbols, after.values()), list(after.values())),
        sum([symbols.word_counts[place] for place in places]),
        len(set(places)),
    )


def _write(
    index: FlatIndex, pair: Pair, new_id: int, starts: Iterable[int]
) -> tuple[list[int], ByNeighbour, ByNeighbour]:
    """Write the new token; where it starts, and that by the tokens before it and after it."""
    cells = index.symbols.cells
    left, right = pair
    left_size, size = index.sizes[left], index.sizes[new_id]
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
    return replaced, before, after


def _tell_once(before: ByNeighbour, after: ByNeighbour, pair: Pair, new_id: int, size: int) -> None:
    """Where two new tokens stand side by side, say so of the first and be silent of the second.

    When the first was written, the left token of the second still stood behind it.
    """
    left, _ = pair
    firsts = [start - size for start in before.pop(new_id)]
    after[new_id] = firsts
    after[left] = [start for start in after[left] if start not in firsts]
    if not after[left]:
        del after[left]


def _weigh(symbols: Symbols, groups: Collection[list[int]]) -> list[int]:
    """How often each group of starts stands in the corpus."""
    places, word_counts = symbols.places, symbols.word_counts
    return [sum([word_counts[places[start]] for start in group]) for group in groups]
