"""Replace a pair that starts in few cells: a plain loop."""

from __future__ import annotations

from collections.abc import Iterable

from engine.bpe.trainers.flat_index import Beside, FlatIndex, Replaced
from engine.bpe.trainers.symbols import BORDER, INSIDE, Symbols
from engine.core.events import Pair

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
