"""The pieces of one step of a training, by the numbers that the seed gave them.

A table of pieces of its own for every step would take a dictionary of all pieces to be built anew
each time somebody steps. All steps share one dictionary of the seed's pieces; what differs is the
scores, and that is one array: a piece that is not there has none (NaN).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from engine.core.arrays import Floats, Ints
from engine.unigram.pieces import UNKNOWN_PENALTY, Edge

UNKNOWN = -1
"""The number of the unknown token: it stands in for a character that the corpus does not have."""


def joined(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """The tokens that a path becomes: unknown characters side by side are one unknown token.

    So it is in SentencePiece and in Hugging Face's library; only a lattice has an edge for each.

    >>> joined([Edge(0, 1, 7, -2.0), Edge(1, 2, UNKNOWN, -19.0), Edge(2, 3, UNKNOWN, -19.0)])
    (Edge(start=0, end=1, piece=7, score=-2.0), Edge(start=1, end=3, piece=-1, score=-38.0))
    """
    tokens: list[Edge] = []
    for edge in edges:
        if tokens and edge.piece == UNKNOWN == tokens[-1].piece:
            before = tokens.pop()
            edge = Edge(before.start, edge.end, UNKNOWN, before.score + edge.score)
        tokens.append(edge)
    return tuple(tokens)


class Numbering:
    """text → number of all pieces of the seed, and how long the longest is."""

    def __init__(self, texts: list[str]) -> None:
        self.number_of: Mapping[str, int] = {text: number for number, text in enumerate(texts)}
        self.longest = max(map(len, texts), default=1)


class NumberedPieces:
    """Some of the seed's pieces, with scores.

    Args:
        numbering: of all pieces of the seed.
        numbers: those that are there.
        scores: their log-probabilities.

    >>> numbering = Numbering(["a", "b", "ab"])
    >>> pieces = NumberedPieces(numbering, np.array([0, 1]), np.array([-1.0, -2.0]))
    >>> [(edge.end, edge.piece) for edge in pieces.edges_from("abc", 0)]
    [(1, 0)]
    >>> list(pieces.edges_from("abc", 2))
    [Edge(start=2, end=3, piece=-1, score=-12.0)]
    """

    def __init__(self, numbering: Numbering, numbers: Ints, scores: Floats) -> None:
        self._numbering = numbering
        self._scores = np.full(len(numbering.number_of), np.nan)
        self._scores[numbers] = scores
        self.unknown_score = float(scores.min(initial=0.0)) - UNKNOWN_PENALTY

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """The pieces that begin at a place of a text, the shortest first."""
        find, score_of = self._numbering.number_of.get, self._scores.item
        for end in range(start + 1, min(start + self._numbering.longest, len(text)) + 1):
            number = find(text[start:end])
            score = np.nan if number is None else score_of(number)
            if number is not None and score == score:  # NaN equals nothing: the piece is gone
                yield Edge(start, end, number, score)
            elif end == start + 1:
                yield Edge(start, end, UNKNOWN, self.unknown_score)
