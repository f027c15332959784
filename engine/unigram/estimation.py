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

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats
from engine.core.registry import Registry

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
