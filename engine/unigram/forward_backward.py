"""All segmentations of a text at once: how probable each edge is, and one drawn by chance.

There are exponentially many paths, but the sums over them factor at every node. `forward[v]` is the
logarithm of the total probability of all paths from the left to node v, `backward[v]` of all from
it to the right; both come from one sweep (Rabiner 1989; Kudo 2018, section 3.2). Then

    log Z                    = forward[n] = backward[0]            the probability of the text
    P(edge u → v | the text) = exp(forward[u] + score + backward[v] − log Z)

and the sum of this over the places where a piece stands is the piece's *expected count*: how often
it would be used on average if segmentations were drawn by their probability.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import exp, inf, log
from random import Random

from engine.core.errors import UnigramError
from engine.unigram.lattice import Lattice, Path
from engine.unigram.pieces import Edge


def log_sum_exp(values: Iterable[float]) -> float:
    """log Σ exp(value), without leaving the range of floats.

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


class ForwardBackward:
    """The sums over all paths of a lattice.

    Args:
        lattice: the text and its pieces.
        sharpness: what each score is multiplied with (α in Kudo 2018): 0 makes all segmentations
            equally probable, 1 keeps the model's probabilities, much more leaves only the best.

    >>> from engine.unigram.pieces import PieceTable
    >>> ab = Lattice("ab", PieceTable(["a", "b", "ab"], [log(0.5), log(0.4), log(0.1)]))
    >>> sums = ForwardBackward(ab)
    >>> round(exp(sums.log_total), 3)  # 0.5 × 0.4 + 0.1
    0.3
    >>> {piece: round(count, 3) for piece, count in sums.expected_counts().items()}
    {0: 0.667, 2: 0.333, 1: 0.667}
    """

    def __init__(self, lattice: Lattice, sharpness: float = 1.0) -> None:
        if not 0 <= sharpness < inf:
            raise UnigramError(f"a sharpness of {sharpness} makes no sense; it is 0 or more")
        self.lattice = lattice
        self.sharpness = sharpness

    @cached_property
    def forward(self) -> list[float]:
        """For each node the log-probability of all paths from the left to it."""
        sums = [0.0]
        for edges in self.lattice.arriving[1:]:
            sums.append(
                log_sum_exp(sums[edge.start] + self.sharpness * edge.score for edge in edges)
            )
        return sums

    @cached_property
    def backward(self) -> list[float]:
        """For each node the log-probability of all paths from it to the right."""
        nodes = len(self.lattice.arriving)
        ways: list[list[float]] = [[] for _ in range(nodes)]
        ways[-1].append(0.0)
        sums = [0.0] * nodes
        for node in range(nodes - 1, -1, -1):
            sums[node] = log_sum_exp(ways[node])
            for edge in self.lattice.arriving[node]:
                ways[edge.start].append(sums[node] + self.sharpness * edge.score)
            ways[node].clear()
        return sums

    @property
    def log_total(self) -> float:
        """log Z: the log-probability of the text, all its segmentations together."""
        return self.forward[-1]

    def probability(self, edge: Edge) -> float:
        """How probable it is that a segmentation of this text uses this edge."""
        before, after = self.forward[edge.start], self.backward[edge.end]
        return exp(before + self.sharpness * edge.score + after - self.log_total)

    def expected_counts(self) -> dict[int, float]:
        """Piece → its expected count in this text."""
        counts: dict[int, float] = {}
        for edges in self.lattice.arriving:
            for edge in edges:
                counts[edge.piece] = counts.get(edge.piece, 0.0) + self.probability(edge)
        return counts

    def sample(self, random: Random) -> Path:
        """A segmentation drawn by its probability: forward filtering, backward sampling
        (Kudo 2018, section 3.3).

        From the end back, the edge that arrives at a node is drawn by the share that the paths
        through it have in all paths to the node. The score of the path is the model's, unsharpened.
        """
        edges: list[Edge] = []
        node = len(self.lattice.text)
        while node:
            arriving = self.lattice.arriving[node]
            shares = [
                exp(self.forward[edge.start] + self.sharpness * edge.score - self.forward[node])
                for edge in arriving
            ]
            (edge,) = random.choices(arriving, shares)
            edges.append(edge)
            node = edge.start
        edges.reverse()
        return Path(tuple(edges), sum(edge.score for edge in edges))
