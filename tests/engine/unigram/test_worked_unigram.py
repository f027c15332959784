"""Unigram by hand: one text, three pieces; one iteration of EM, and the value of a piece.

Read from the top; each test goes on where the one before it ends.
"""

from math import exp, log

import numpy as np
import pytest

from engine.core.arrays import Floats
from engine.core.events import finished
from engine.unigram.em import TrainingCorpus, expected_counts
from engine.unigram.lattice import Lattice, log_total
from engine.unigram.lattice_arrays import Lattices, lattices_of
from engine.unigram.pieces import PieceTable

CORPUS = {"ab": 3}
A, B, AB = 0, 1, 2
PIECES = {"a": A, "b": B, "ab": AB}
START = np.log([0.5, 0.4, 0.1])
"""The scores of a, b and ab: the logarithms of their probabilities."""
#
# The lattice of `ab`: nodes are the places between characters, edges are pieces.
#
#      ┌──────── ab 0.1 ───────┐
#      0 ─ a 0.5 ─ 1 ─ b 0.4 ─ 2
#
# Two paths lead from 0 to 2: a·b with 0.5 × 0.4 = 0.2, and ab with 0.1.


def lattice_under(scores: Floats) -> Lattice:
    return Lattice("ab", PieceTable(list(PIECES), scores.tolist()))


def corpus() -> list[Lattices]:
    return finished(lattices_of(CORPUS, PIECES, longest=2))


def after_em() -> Floats:
    """The scores after one iteration of EM."""
    counts, _ = finished(expected_counts(corpus(), START))
    return np.log(counts / counts.sum())


def test_the_best_segmentation_is_the_path_of_the_greatest_product() -> None:
    lattice = lattice_under(START)
    first, second = lattice.n_best(2)
    assert (lattice.spelled(first), exp(first.score)) == (["a", "b"], pytest.approx(0.2))
    assert (lattice.spelled(second), exp(second.score)) == (["ab"], pytest.approx(0.1))


def test_the_probability_of_the_text_is_the_sum_of_all_its_segmentations() -> None:
    assert exp(log_total(lattice_under(START))) == pytest.approx(0.2 + 0.1)


def test_the_e_step_adds_the_expected_counts_of_all_texts() -> None:
    # a·b has 0.2 of these 0.3, ab has 0.1: these shares are the expected counts in one `ab`.
    counts, log_probability = finished(expected_counts(corpus(), START))
    assert counts.tolist() == pytest.approx([3 * 2 / 3, 3 * 2 / 3, 3 * 1 / 3])  # 2, 2, 1
    assert log_probability == pytest.approx(3 * log(0.3))


def test_the_m_step_gives_each_piece_its_share_of_the_counts_as_probability() -> None:
    # 2 + 2 + 1 = 5 tokens are expected, 2 of them a, 2 of them b, 1 of them ab.
    assert np.exp(after_em()).tolist() == pytest.approx([2 / 5, 2 / 5, 1 / 5])


def test_em_makes_the_corpus_more_probable_and_may_change_the_best_segmentation() -> None:
    lattice = lattice_under(after_em())
    # Now a·b has 0.4 × 0.4 = 0.16, and ab has 0.2: together 0.36, which is more than 0.3.
    assert exp(log_total(lattice)) == pytest.approx(0.36)
    assert lattice.spelled(lattice.best) == ["ab"]


def test_the_value_of_a_piece_is_the_growth_of_the_loss_without_it() -> None:
    trained = TrainingCorpus(corpus(), 3, list(PIECES))
    found = finished(trained.removals(np.ones(len(PIECES), dtype=np.bool_), after_em()))
    # The best segmentations are three times `ab`; a and b are not used at all.
    assert found.counts.tolist() == [0, 0, 3]
    # Without ab there would be a·b in its place, each three times among six tokens:
    #     before = log 3/3          = 0
    #     after  = log 3/6 + log 3/6 = −2 log 2
    #     the loss grows by 3/3 × (before − after) = 2 log 2 nats a pretoken
    assert found.alternative_of(AB) == (A, B)
    assert found.loss_increases[AB] == pytest.approx(2 * log(2))
    # A character has no alternative: it can never be removed.
    assert found.loss_increases[A] == np.inf
