"""What the fast trainer knows of the pairs that stand: numbers, counts, and where they start."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from engine.trainers.occurrences import Grouped, Groups, Occurrences
from engine.trainers.problem import Problem


class FlatIndex:
    """The tokens of a problem and its pairs, kept true by `merge_few` and `merge_many`.

    Attributes:
        symbols: the tokens, in one flat array.
        pairs: the numbers of the pairs.
        counts: how often each pair stands, by number. Made to grow by `add` alone; a numpy view
            of it must be gone by then.
        occurrences: where each pair starts.
        sizes: token id → its length in bytes.
    """

    def __init__(self, problem: Problem) -> None:
        self.symbols = problem.symbols
        self.pairs = problem.pairs
        self.counts = array("q", problem.start)
        self.occurrences = Occurrences()
        self.occurrences.add(0, Grouped(*self.symbols.byte_pair_starts()))
        self.sizes = [len(token) for token in problem.vocab]

    def add(self, keys: Sequence[int], counts: Sequence[int], groups: Groups) -> range:
        """Enter pairs never seen before; their numbers."""
        first = self.pairs.add_new(keys)
        self.counts.extend(counts)
        self.occurrences.add(first, groups)
        return range(first, first + len(keys))
