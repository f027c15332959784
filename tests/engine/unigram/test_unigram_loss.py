"""The loss of a Unigram training does not rise where theorems forbid it; digamma is right."""

from __future__ import annotations

from math import lgamma, log
from unittest.mock import patch

import numpy as np
import pytest
import unigram_by_hand as by_hand
from hypothesis import given
from hypothesis import strategies as st

from engine.core.arrays import Floats
from engine.core.events import finished
from engine.unigram import trainer as trainer_module
from engine.unigram.em import RARE, TrainingCorpus, digamma, log_probabilities
from engine.unigram.record import EmStep
from engine.unigram.trainer import UnigramTrainer

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=7), st.integers(1, 50), min_size=2)


def shares(counts: Floats) -> Floats:
    """Return scores by maximum likelihood: shares of the counts."""
    return np.log(counts) - np.log(counts.sum())


@given(WORDS)
def test_with_plain_normalisation_the_loss_never_rises(counts: dict[str, int]) -> None:
    """Without dropped pieces this is EM, and its theorem holds."""
    model = by_hand.seeds(counts, 99, 5)
    problem = finished(TrainingCorpus.of(counts, list(model), 5))
    estimate = finished(problem.estimate(np.array(list(model.values()))))
    for _ in range(8):
        scores = shares(np.maximum(estimate.expected, 1e-300))
        before, estimate = estimate, finished(problem.estimate(scores))
        assert estimate.loss <= before.loss + 1e-9


@given(WORDS, st.integers(0, 6))
def test_in_a_plain_training_the_loss_rises_only_if_pieces_vanish_or_are_kept(
    counts: dict[str, int], spare: int
) -> None:
    size = 1 + len(set("".join(counts))) + spare
    with patch.object(trainer_module, "log_probabilities", shares):
        steps = list(UnigramTrainer(counts, size).steps())
    for step in steps:
        if isinstance(step, EmStep) and step.record.expected_at(step.index).min() >= RARE:
            assert step.loss_after <= step.loss_before + 1e-9


@given(WORDS)
def test_with_digamma_the_free_energy_never_rises(counts: dict[str, int]) -> None:
    """The free energy is the loss plus the divergence of the counts' Dirichlet from the prior."""
    model = by_hand.seeds(counts, 99, 5)
    problem = finished(TrainingCorpus.of(counts, list(model), 5))
    estimate = finished(problem.estimate(np.array(list(model.values()))))
    energies = []
    for _ in range(8):
        expected = estimate.expected
        if expected.min() < 1e-2:
            break  # ψ plunges towards 0: training drops such pieces
        scores = log_probabilities(expected)
        estimate = finished(problem.estimate(scores))
        divergence = lgamma(expected.sum()) - sum(map(lgamma, expected)) + expected @ scores
        energies.append(estimate.loss * problem.pretokens + divergence)
    assert energies == pytest.approx(sorted(energies, reverse=True), rel=1e-6)


def test_digamma_is_the_derivative_of_the_logarithm_of_gamma() -> None:
    values = np.array([0.5, 1.0, 2.5, 6.9, 7.0, 100.0, 1e6])
    slopes = [(lgamma(x + 1e-4 * x) - lgamma(x - 1e-4 * x)) / (2e-4 * x) for x in values]
    assert digamma(values).tolist() == pytest.approx(slopes, rel=1e-6, abs=1e-6)
    euler = 0.5772156649015329
    exact = [-euler - 2 * log(2), -euler, 1 - euler, sum(1 / n for n in range(1, 7)) - euler]
    assert digamma(np.array([0.5, 1, 2, 7])).tolist() == pytest.approx(exact, abs=3e-10)
