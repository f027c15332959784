"""Training with a limit on the length of tokens, compared with a recount."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import oracles
import pytest
from generated import diagonal_quick, examples
from hypothesis import given
from hypothesis import strategies as st

from engine import StopReason, Timeline, Trainer, train_bpe
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import TRAINERS

every_trainer = pytest.mark.parametrize("algorithm", TRAINERS)


def bounded_merges(counts: Mapping[bytes, int], tie_rule: str, longest: int) -> list[bytes]:
    """Return the tokens learnt by the definition: the most frequent of the short pairs merges."""
    vocab = [bytes([byte]) for byte in range(256)]
    words, word_counts = [list(word) for word in counts], list(counts.values())
    while True:
        pairs = {
            pair: count
            for pair, count in oracles.recount(words, word_counts).items()
            if len(vocab[pair[0]] + vocab[pair[1]]) <= longest
        }
        if not pairs:
            return vocab[256:]
        top = max(pairs.values())
        tied = {pair for pair, count in pairs.items() if count == top}
        left, right = oracles.TIE_ORACLES[tie_rule](tied, words, vocab)
        words = [oracles.replace(word, (left, right), len(vocab)) for word in words]
        vocab.append(vocab[left] + vocab[right])


@pytest.mark.parametrize(("algorithm", "tie_rule"), diagonal_quick(TRAINERS, TIE_RULES))
@examples(30)
@given(counts=oracles.corpora(max_pretokens=8, max_length=16), longest=st.integers(2, 5))
def test_the_most_frequent_of_the_short_pairs_merges(
    algorithm: str, tie_rule: str, counts: dict[bytes, int], longest: int
) -> None:
    trainer = Trainer(counts, 400, tie_rule=tie_rule, algorithm=algorithm, max_token_length=longest)
    tokens = [step.token for step in trainer.steps()]
    assert tokens == bounded_merges(counts, tie_rule, longest)


@every_trainer
def test_training_ends_where_no_pair_or_only_too_long_ones_are_left(algorithm: str) -> None:
    for counts, tokens, reason in (
        ({b"abcd": 2}, [b"cd", b"ab"], StopReason.TOO_LONG),
        ({b"ab": 2, b"": 1, b"c": 1}, [b"ab"], StopReason.NO_PAIR_LEFT),
    ):
        trainer = Trainer(counts, 300, algorithm=algorithm, max_token_length=2)
        assert [step.token for step in trainer.steps()] == tokens
        assert trainer.stop_reason is reason


def test_the_timeline_ignores_pairs_that_are_too_long() -> None:
    counts = {b"abc": 3}
    frame = Timeline(counts, Trainer(counts, 300, max_token_length=2).steps()).seek(1)
    assert (frame.queue.tied, frame.queue.pair_count) == ((), 0)


def test_train_bpe_takes_the_bound(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("newest newest")
    _, merges = train_bpe(corpus, 300, [], max_token_length=3, workers=1)
    assert max(len(left + right) for left, right in merges) == 3
