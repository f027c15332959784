"""EM on a whole corpus: expected counts from scores (E), new scores from expected counts (M).

**The E-step** asks how often each piece would be used on average if every text were segmented at
random, each segmentation by its probability; see `ForwardBackward` for one text. Here all texts are
swept at once.

**The M-step** makes scores from these counts. Plain maximum likelihood makes the probability of a
piece its share of the counts. That is EM (Dempster, Laird & Rubin 1977), and it never makes the
corpus less probable. SentencePiece takes exp(ψ(count)) / exp(ψ(sum)) instead, ψ being the digamma
function: the update of variational Bayes under a sparse Dirichlet prior (Liang & Klein 2007,
tutorial "Structured Bayesian Nonparametric Models with Variational Inference"; Beal 2003). As
exp(ψ(c)) is about c − ½ above 1 and far less below, rare pieces lose more than frequent ones, and
die sooner.

What never rises, exactly, as long as no piece is dropped and no count is lifted (see `RARE`):

- with `plain`, the loss, −Σ count · log Z: that is the theorem of EM;
- with `digamma`, the free energy of variational Bayes, from the first M-step on (the seed's scores
  come from no counts): the loss that the scores s have, plus what it costs that the counts c they
  were made from lie far from the prior, log Γ(Σ c) − Σ log Γ(cᵢ) + Σ cᵢ sᵢ. The loss alone may
  rise a little: the probabilities sum to less than 1, and to the less the rarer the pieces are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats
from engine.core.events import Work
from engine.core.registry import Registry, registry_of
from engine.unigram.lattices import Lattices

# -- the E-step


class Sums(NamedTuple):
    """What a sweep over the corpus sums up.

    Attributes:
        counts: how often each piece is used.
        log_probability: that of the corpus, Σ count of text · log P(text).
    """

    counts: Floats
    log_probability: float


def expected_counts(corpus: Sequence[Lattices], scores: Floats) -> Work[Sums]:
    """The E-step: how often each piece is used on average over all segmentations.

    Args:
        corpus: the lattices of all texts.
        scores: the log-probability of each piece.

    >>> from engine.unigram.lattices import lattices_of
    >>> from engine.core.events import finished
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


# -- the M-step

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


NORMALISATIONS: Registry[Normalisation] = registry_of(
    "normalisation",
    Normalisation("digamma", "variational Bayes: rare pieces lose more", _by_digamma),
    Normalisation("plain", "maximum likelihood: shares of the counts", _by_share),
)
DEFAULT_NORMALISATION = "digamma"
