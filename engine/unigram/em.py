"""The M-step: new scores from expected counts.

Plain maximum likelihood makes the probability of a piece its share of the expected counts. That is
EM (Dempster, Laird & Rubin 1977), and it never makes the corpus less probable. SentencePiece takes
exp(ψ(count)) / exp(ψ(sum)) instead, ψ being the digamma function: the update of variational Bayes
under a sparse Dirichlet prior (Liang & Klein 2007, tutorial "Structured Bayesian Nonparametric
Models with Variational Inference"; Beal 2003). As exp(ψ(c)) is about c − ½ above 1 and far less
below, rare pieces lose more than frequent ones, and die sooner.

What never rises, exactly, as long as no piece is dropped and no count is lifted (see `RARE`):

- with `plain`, the loss, −Σ count · log Z: that is the theorem of EM;
- with `digamma`, the free energy of variational Bayes, from the first M-step on (the seed's scores
  come from no counts): the loss that the scores s have, plus what it costs that the counts c they
  were made from lie far from the prior, log Γ(Σ c) − Σ log Γ(cᵢ) + Σ cᵢ sᵢ. The loss alone may
  rise a little: the probabilities sum to less than 1, and to the less the rarer the pieces are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from math import exp, inf, log
from random import Random
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats
from engine.core.errors import UnigramError
from engine.core.registry import Registry
from engine.unigram.lattice import Lattice, Path
from engine.unigram.lattices import Lattices
from engine.unigram.pieces import Edge
from engine.unigram.sliced import Work

# All segmentations of a text at once: how probable each edge is, and one drawn by chance.
#
# There are exponentially many paths, but the sums over them factor at every node. `forward[v]` is
# the logarithm of the total probability of all paths from the left to node v, `backward[v]` of all
# from it to the right; both come from one sweep (Rabiner 1989; Kudo 2018, section 3.2). Then
#
#     log Z                    = forward[n] = backward[0]            the probability of the text
#     P(edge u → v | the text) = exp(forward[u] + score + backward[v] − log Z)
#
# and the sum of this over the places where a piece stands is the piece's *expected count*: how
# often it would be used on average if segmentations were drawn by their probability.


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


# What a model does to a whole corpus: expected counts, and counts of the best segmentations.


class Sums(NamedTuple):
    """`counts`: of each piece. `log_probability`: of the corpus, Σ count of text · log P(text)."""

    counts: Floats
    log_probability: float


def expected_counts(corpus: Sequence[Lattices], scores: Floats) -> Work[Sums]:
    """The E-step: how often each piece is used on average over all segmentations.

    `scores` has the log-probability of each piece.

    >>> from engine.unigram.lattices import lattices_of
    >>> from engine.unigram.sliced import finished
    >>> corpus = finished(lattices_of({"ab": 3}, {"a": 0, "b": 1, "ab": 2}, longest=2))
    >>> counts, log_probability = finished(expected_counts(corpus, np.log([0.5, 0.4, 0.1])))
    >>> counts.round(6).tolist(), round(np.exp(log_probability / 3), 6).item()
    ([2.0, 2.0, 1.0], 0.3)
    """
    return (yield from _counts(corpus, scores, Lattices.shares))


def best_counts(corpus: Sequence[Lattices], scores: Floats) -> Work[Sums]:
    """How often each piece is used in the best segmentations; their log-probability."""
    return (yield from _counts(corpus, scores, Lattices.best_shares))


Sweep = Callable[[Lattices, Floats], Work[tuple[Floats, Floats]]]
"""Lattices and scores → the share of each edge, the log-probability of each text."""


def _counts(corpus: Sequence[Lattices], scores: Floats, sweep: Sweep) -> Work[Sums]:
    counts = np.zeros(len(scores))
    log_probability = 0.0
    for lattices in corpus:
        shares, log_probabilities = yield from sweep(lattices, scores)
        flow = yield from lattices.flow(shares)
        np.add.at(counts, lattices.pieces, flow)
        log_probability += float(log_probabilities @ lattices.counts)
    return Sums(counts, log_probability)


RARE = 0.5
"""Pieces with a smaller expected count are dropped, as in SentencePiece and Hugging Face.

Characters are not: they are counted as this much, so that every text keeps a segmentation.
(SentencePiece drops them, too, and puts them back at the end with about the worst score.)
"""


class Normalisation(NamedTuple):
    """A way to turn expected counts into log-probabilities."""

    name: str
    summary: str
    log_probabilities: Callable[[Floats], Floats]


def digamma(values: Floats) -> Floats:
    """ψ(x) = d log Γ(x) / dx for x > 0, to about eight decimals.

    ψ(x) = ψ(x + 1) − 1/x until x is at least 7, then the asymptotic series in x − ½ (Abramowitz &
    Stegun 1964, 6.3.5 and 6.3.18), as SentencePiece's `Digamma`.

    >>> digamma(np.array([1.0, 10.0])).round(6).tolist()  # −0.577216 is minus Euler's constant
    [-0.577216, 2.251753]
    """
    x = values.astype(np.float64)
    result = np.zeros_like(x)
    while (small := x < 7).any():
        result[small] -= 1 / x[small]
        x[small] += 1
    x -= 0.5
    square = 1 / (x * x)
    series = 1 / 24 + square * (-7 / 960 + square * (31 / 8064 - square * 127 / 30720))
    total: Floats = result + np.log(x) + square * series
    return total


def _by_digamma(counts: Floats) -> Floats:
    scores: Floats = digamma(counts) - digamma(counts.sum(keepdims=True))
    return scores


def _by_share(counts: Floats) -> Floats:
    scores: Floats = np.log(counts) - np.log(counts.sum())
    return scores


NORMALISATIONS: Registry[Normalisation] = Registry(
    "normalisation",
    {
        n.name: n
        for n in (
            Normalisation("digamma", "variational Bayes: rare pieces lose more", _by_digamma),
            Normalisation("plain", "maximum likelihood: shares of the counts", _by_share),
        )
    },
)
DEFAULT_NORMALISATION = "digamma"
