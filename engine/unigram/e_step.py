"""What a model does to a whole corpus: expected counts, and counts of the best segmentations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.core.arrays import Floats
from engine.unigram.lattices import Lattices
from engine.unigram.sliced import Work


class Sums(NamedTuple):
    """`counts`: of each piece. `log_probability`: of the corpus, Σ count of text · log P(text)."""

    counts: Floats
    log_probability: float


def expected_counts(corpus: Sequence[Lattices], scores: Floats) -> Work[Sums]:
    """The E-step: how often each piece is used on average over all segmentations.

    `scores` has the log-probability of each piece.

    >>> from engine.unigram.lattice_building import lattices_of
    >>> from engine.unigram.sliced import finished
    >>> corpus = finished(lattices_of({"ab": 3}, {"a": 0, "b": 1, "ab": 2}, longest=2))
    >>> counts, log_probability = finished(expected_counts(corpus, np.log([0.5, 0.4, 0.1])))
    >>> counts.round(6).tolist(), round(np.exp(log_probability / 3), 6).item()
    ([2.0, 2.0, 1.0], 0.3)
    """
    counts = np.zeros(len(scores))
    log_probability = 0.0
    for lattices in corpus:
        shares, totals = yield from lattices.shares(scores)
        flow = yield from lattices.flow(shares)
        np.add.at(counts, lattices.pieces, flow)
        log_probability += float(totals @ lattices.counts)
    return Sums(counts, log_probability)


def best_counts(corpus: Sequence[Lattices], scores: Floats) -> Work[Sums]:
    """How often each piece is used in the best segmentations; their log-probability."""
    counts = np.zeros(len(scores))
    log_probability = 0.0
    for lattices in corpus:
        shares, best = yield from lattices.best_shares(scores)
        flow = yield from lattices.flow(shares)
        np.add.at(counts, lattices.pieces, flow)
        log_probability += float(best @ lattices.counts)
    return Sums(counts, log_probability)
