"""The trainer `linked` at its thresholds, and the places that it keeps of each pair."""

from __future__ import annotations

from unittest.mock import patch

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import MergeStep, Trainer
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import base_vocab
from engine.bpe.trainers import linked
from engine.bpe.trainers.algorithm import TrainingTask
from engine.bpe.trainers.linked import LinkedPretokens
from engine.core.events import Pair

A, B = b"ab"


def task(counts: dict[bytes, int]) -> TrainingTask:
    return TrainingTask(counts, base_vocab(()), TIE_RULES["lexicographic"], 1)


def run(counts: dict[bytes, int], algorithm: str, tie_rule: str) -> list[MergeStep]:
    return list(Trainer(counts, 320, tie_rule=tie_rule, algorithm=algorithm).steps())


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@examples(60)
@given(
    counts=oracles.corpora(max_pretokens=10, max_length=20),
    refresh=st.sampled_from([1, 3, 100]),
    least=st.sampled_from([1, 2, 5]),
)
def test_however_few_pairs_are_active_the_steps_are_those_of_naive(
    tie_rule: str, counts: dict[bytes, int], refresh: int, least: int
) -> None:
    with (
        patch.object(linked, "REFRESH_STEPS", refresh),
        patch.object(linked, "LEAST_ACTIVE", least),
    ):
        ours = run(counts, "linked", tie_rule)
    assert ours == run(counts, "naive", tie_rule)


@given(oracles.corpora(max_pretokens=8, max_length=12))
def test_the_places_of_a_pair_give_its_true_count(counts: dict[bytes, int]) -> None:
    words, vocab_size = LinkedPretokens(task(counts)), 256
    plain, word_counts = [list(word) for word in counts], list(counts.values())
    while pairs := oracles.recount(plain, word_counts):
        assert {pair: words.recount(pair) for pair in pairs} == pairs
        assert {pair: count for pair, count in words.counts.items() if count} == pairs
        pair: Pair = min(pairs)
        words.merge(pair, vocab_size)
        plain = [oracles.replace(word, pair, vocab_size) for word in plain]
        vocab_size += 1
