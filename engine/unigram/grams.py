"""N-grams as pieces: runs of words or of characters, their places in a text, their lattice.

`engine.unigram.units` cuts a text into units. Words are what whitespace separates. As pieces spell
a space with ▁, the words of an n-gram have a ▁ between them.

The whitespace before a word belongs to the word's place in a text, not to the n-gram. So `喜欢` is
the same n-gram at the beginning of a line and in the middle of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.unigram.lattice import Lattice
from engine.unigram.pieces import UNKNOWN, UNKNOWN_PENALTY, Edge, PieceColumns
from engine.unigram.units import GramUnits, Unit

TIED = 1e-9
"""Costs in nats that differ by less are equal: sums of the same numbers in another order are."""


class GramTable:
    """The n-grams of a model, with their scores.

    A unit that is no n-gram by itself is unknown, and costs the penalty of SentencePiece: 10 nats.
    (SentencePiece adds the cost of the worst piece.) An n-gram that is used nowhere has the
    probability 0, so it is in no segmentation.

    Args:
        columns: all n-grams of the seed.
        numbers: those that are there.
        scores: their log-probabilities.
        units: the units.
        ngram: units of the longest n-gram.

    >>> from engine.unigram.units import GRAM_UNITS
    >>> columns = PieceColumns(["a", "b", "a▁b"])
    >>> scores = np.array([-1.0, -2.0])
    >>> table = GramTable(columns, np.array([0, 2]), scores, GRAM_UNITS["words"], 2)
    >>> [(edge.start, edge.end, edge.piece, edge.score) for edge in table.edges_from("a▁b", 0)]
    [(0, 1, 0, -1.0), (0, 3, 2, -2.0)]
    >>> list(table.edges_from("a▁b", 1))
    [Edge(start=1, end=3, piece=-1, score=-10.0)]
    """

    def __init__(
        self, columns: PieceColumns, numbers: Ints, scores: Floats, units: GramUnits, ngram: int
    ) -> None:
        self._number_of = columns.number_of
        self._scores = np.full(len(columns.number_of), -np.inf)
        self._scores[numbers] = scores
        self._units, self._ngram = units, ngram
        self._read: tuple[str, list[Unit], dict[int, int]] = "", [], {}

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """Yield the n-grams that begin at a place of a text, the shortest first."""
        if self._read[0] != text:
            units = self._units.read(text)
            starts = (0, *(unit.end for unit in units))  # the last is the end of the text
            self._read = text, units, dict(zip(starts, range(len(units)), strict=False))
        _, units, at_place = self._read
        if (first := at_place.get(start)) is None:
            return
        gram = units[first].text
        for last in range(first, min(first + self._ngram, len(units))):
            if last > first:
                gram += self._units.between + units[last].text
            number = self._number_of.get(gram)
            score = -np.inf if number is None else self._scores.item(number)
            if number is not None and isfinite(score):
                yield Edge(start, units[last].end, number, score)
            elif last == first:
                yield Edge(start, units[last].end, UNKNOWN, -UNKNOWN_PENALTY)


class GramLattice(Lattice):
    """The places of n-grams in a text; costs that differ by less than `TIED` are equal."""

    def best_edge(self, node: int) -> Edge:
        scores = self.best_scores
        least = scores[node] - TIED
        edges = self.arriving[node]  # from the left: of equals the longest wins
        return next(edge for edge in edges if scores[edge.start] + edge.score >= least)
