"""The lattice of one text: all segmentations into pieces, the best of them, and their sums.

Nodes are the places between characters, 0 … n; an edge is a piece between two of them. A path from
node 0 to node n is a segmentation; its score is the sum of the scores of its edges. All edges lead
to the right, so one sweep from left to right meets every edge after all paths to its start are
known. A node has at most as many edges as the longest piece has characters: memory and the time of
a sweep are in proportion to the text. No edge ends inside a unit of several characters, such as a
word (`engine.unigram.grams`).

Ties: of several best edges that end at a node the one that starts furthest left wins, as in
SentencePiece and Hugging Face.

`ids_of` returns the ids of a path. Those of the best equal those of `tokenizers.models.Unigram`
for the same pieces and scores. SentencePiece sums scores in 32 bits, which decides otherwise where
sums are nearly equal: see `engine.pipeline.sentencepiece`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import exp, inf, log
from typing import NamedTuple, Protocol

from engine.unigram.pieces import Edge


class PiecesInText(Protocol):
    """The pieces of a model, with their scores."""

    def edges_from(self, text: str, start: int) -> Iterator[Edge]:
        """Yield the pieces that begin at a place of a text, the shortest first."""


@dataclass(frozen=True)
class Path:
    """A segmentation and its score, the logarithm of its probability."""

    edges: tuple[Edge, ...]
    score: float

    @property
    def pieces(self) -> tuple[int, ...]:
        """The ids of the path's pieces."""
        return tuple(edge.piece for edge in self.edges)


class Lattice:
    """The places of a model's pieces in a text.

    Attributes:
        arriving: for each node the edges that end there, from the one that starts furthest left.

    >>> from engine.unigram.pieces import PieceTable
    >>> table = PieceTable(["h", "u", "g", "hu", "ug", "hug"], [-2.0, -1.5, -1.6, -2.7, -2.3, -3.9])
    >>> hug = Lattice("hug", table)
    >>> [[(edge.start, edge.piece) for edge in edges] for edges in hug.arriving]
    [[], [(0, 0)], [(0, 3), (1, 1)], [(0, 5), (1, 4), (2, 2)]]
    >>> hug.spelled(hug.best)
    ['hug']
    >>> [(hug.spelled(path), round(path.score, 1)) for path in hug.n_best(3)]
    [(['hug'], -3.9), (['h', 'ug'], -4.3), (['hu', 'g'], -4.3)]
    """

    def __init__(self, text: str, table: PiecesInText) -> None:
        self.text = text
        self.arriving: list[list[Edge]] = [[] for _ in range(len(text) + 1)]
        for start in range(len(text)):
            for edge in table.edges_from(text, start):
                self.arriving[edge.end].append(edge)

    def spelled(self, path: Path) -> list[str]:
        """Return the texts of a path's pieces."""
        return [self.text[edge.start : edge.end] for edge in path.edges]

    @cached_property
    def best_scores(self) -> list[float]:
        """For each node the score of the best path from the first node to it."""
        scores = [0.0]
        for edges in self.arriving[1:]:
            arriving = (scores[edge.start] + edge.score for edge in edges)
            scores.append(max(arriving, default=-inf))
        return scores

    def best_edge(self, node: int) -> Edge:
        """Return the last edge of the best path to a node other than the first."""
        scores = self.best_scores
        # `max` keeps the first of equals, and the edges come from the left.
        return max(self.arriving[node], key=lambda edge: scores[edge.start] + edge.score)

    @property
    def best(self) -> Path:
        """The best path by the Viterbi algorithm: the best edges, followed back from the end."""
        edges = []
        node = len(self.text)
        if not self.arriving[node]:
            return Path((), 0.0)  # a text without any unit, such as blanks where words are units
        while node:
            edge = self.best_edge(node)
            edges.append(edge)
            node = edge.start
        return Path(tuple(reversed(edges)), self.best_scores[-1])

    def n_best(self, wanted: int) -> list[Path]:
        """Return the best paths, the best first, or all paths if there are fewer.

        The n best paths to a node end with an edge after one of the n best paths to its start. So
        a sweep that keeps n paths a node is exact for any scores. Its memory is bounded; that of a
        search with an agenda is not.
        """
        if wanted < 1:
            return []
        ranked: list[list[_Ranked]] = [[_Ranked(0.0, None, 0)]]
        for edges in self.arriving[1:]:
            longer = [
                _Ranked(before.score + edge.score, edge, rank)
                for edge in edges
                for rank, before in enumerate(ranked[edge.start])
            ]
            longer.sort(key=lambda way: -way.score)  # stable: ties stay in their order
            ranked.append(longer[:wanted])
        paths = []
        for last in ranked[-1]:
            way, edges = last, []
            while way.edge is not None:
                edges.append(way.edge)
                way = ranked[way.edge.start][way.rank_before]
            paths.append(Path(tuple(reversed(edges)), last.score))
        return paths


LatticeMaker = Callable[[str], Lattice]
"""Makes all segmentations of a text into the pieces of one model."""


@dataclass(frozen=True, slots=True)
class _Ranked:
    """One of the best paths to a node: its last edge, and the rank at that edge's start."""

    score: float
    edge: Edge | None
    rank_before: int


# -- all segmentations at once
#
# There are exponentially many paths, but the sums over them factor at every node. `forward[v]` is
# the logarithm of the total probability of all paths from the left to node v; all come from one
# sweep (Rabiner 1989; Kudo 2018, section 3.2). The last one is log Z, the probability of the text.
# `engine.unigram.em` counts by such sums how often each piece is used on average.


def log_sum_exp(values: Iterable[float]) -> float:
    """Return log Σ exp(value), computed within the range of floats.

    >>> round(log_sum_exp([log(0.2), log(0.3)]), 4) == round(log(0.5), 4)
    True
    >>> round(log_sum_exp([-2000.0, -2000.0]), 4)  # exp(−2000) itself is 0 for a float
    -1999.3069
    """
    values = list(values)
    greatest = max(values, default=-inf)
    if greatest == -inf:
        return -inf
    return greatest + log(sum(exp(value - greatest) for value in values))


def log_total(lattice: Lattice) -> float:
    """Return the log-probability of a text, log Z: of all its segmentations together.

    >>> from engine.unigram.pieces import PieceTable
    >>> ab = Lattice("ab", PieceTable(["a", "b", "ab"], [log(0.5), log(0.4), log(0.1)]))
    >>> round(exp(log_total(ab)), 3)  # 0.5 × 0.4 + 0.1
    0.3
    """
    sums = [0.0]  # for each node the log-probability of all paths from the first node to it
    for edges in lattice.arriving[1:]:
        sums.append(log_sum_exp(sums[edge.start] + edge.score for edge in edges))
    return sums[-1]


# -- the steps that find the best path


class Arrival(NamedTuple):
    """An edge that ends at a node, and the score of the best path that ends with it."""

    edge: Edge
    score: float


@dataclass(frozen=True)
class Reached:
    """The step of the sweep to the right that reaches a node.

    Attributes:
        node: its place in the text, from 1.
        arrivals: the edges that end there, from the one that starts furthest left.
        best: the edge that is kept: the first one with the greatest score.
    """

    node: int
    arrivals: tuple[Arrival, ...]
    best: Arrival


@dataclass(frozen=True)
class TracedBack:
    """The step of the way back that takes the best edge to the node `taken.end`."""

    taken: Edge


ViterbiStep = Reached | TracedBack


def viterbi_steps(lattice: Lattice) -> Iterator[ViterbiStep]:
    """Run the Viterbi algorithm: node by node to the right, then edge by edge back."""
    before = lattice.best_scores
    for node in range(1, len(lattice.text) + 1):
        edges = lattice.arriving[node]
        if not edges:
            continue
        arrivals = tuple(Arrival(edge, before[edge.start] + edge.score) for edge in edges)
        yield Reached(node, arrivals, arrivals[edges.index(lattice.best_edge(node))])
    for edge in reversed(lattice.best.edges):
        yield TracedBack(edge)
