"""The fast trainers and the kernel's: each learns what the naive one does."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import MergeStep, StopReason, Trainer
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers import fast
from engine.bpe.trainers.fast import BucketQueue

STATIC_RULES = [name for name, rule in TIE_RULES.items() if rule.static]


@contextmanager
def limits(many: int, divisor: int) -> Iterator[None]:
    """Set other thresholds, so that small corpora reach every part of the trainer."""
    with (
        patch.object(fast, "MANY", many),
        patch.object(fast, "FLOOR_DIVISOR", divisor),
    ):
        yield


def run(
    corpus: dict[bytes, int], algorithm: str = "fast", **how: Any
) -> tuple[list[MergeStep], StopReason | None]:
    trainer = Trainer(corpus, 320, algorithm=algorithm, **how)
    return list(trainer.steps()), trainer.stop_reason


class TestConformance:
    @pytest.mark.parametrize("tie_rule", STATIC_RULES)
    @examples(100)
    @given(
        corpus=oracles.corpora(max_pretokens=10, max_length=20),
        many=st.sampled_from([0, 2, 5, 96]),
        divisor=st.sampled_from([1, 2, 1000]),
        longest=st.sampled_from([None, 2, 5]),
    )
    def test_whatever_the_thresholds_the_steps_are_those_of_naive(
        self, tie_rule: str, corpus: dict[bytes, int], longest: int | None, **thresholds: int
    ) -> None:
        how = {"tie_rule": tie_rule, "max_token_length": longest}
        with limits(**thresholds):
            ours = run(corpus, "fast", **how)
        assert ours == run(corpus, "naive", **how)

    @pytest.mark.parametrize("length", [*range(1, 20), 1000])
    @pytest.mark.parametrize("many", [0, 10_000])
    def test_a_run_of_one_letter_of_any_length(self, many: int, length: int) -> None:
        with limits(many, 4):
            ours = run({b"a" * length: 3})
        assert ours == run({b"a" * length: 3}, "naive")

    def test_counts_beyond_53_bits_are_added_exactly(self) -> None:
        corpus = {b"ab": 2**53 + 1, b"cd": 2**53}
        steps, _ = run(corpus)
        assert [(step.token, step.count) for step in steps] == [(b"ab", 2**53 + 1), (b"cd", 2**53)]
        assert steps == run(corpus, "naive")[0]


class TestTheTrainer:
    def test_is_replaced_by_heap_for_ties_that_are_not_static(self) -> None:
        runs = {rule: Trainer({}, 256, tie_rule=rule, algorithm="fast") for rule in TIE_RULES}
        fast = [rule for rule, trainer in runs.items() if trainer.algorithm.name == "fast"]
        assert fast == STATIC_RULES
        assert runs["first-seen"].algorithm.name == "heap"

    def test_learns_from_a_long_pretoken_of_one_letter_without_a_blow_up(self) -> None:
        steps, reason = run({b"a" * (1 << 20): 1})
        assert [step.token for step in steps] == [b"a" * (2 << i) for i in range(20)]
        assert reason is StopReason.NO_PAIR_LEFT


class TestTheBucketQueue:
    @given(
        st.lists(st.integers(1, 40), min_size=1, max_size=20),
        st.sampled_from([1, 2, 1000]),
        st.data(),
    )
    def test_finds_the_same_as_a_scan_if_counts_only_fall(
        self, start: list[int], divisor: int, data: st.DataObject
    ) -> None:
        counts = list(start)
        queue = BucketQueue(counts, key=lambda number: number % 7 * 100 + number)
        with limits(0, divisor):
            while (number := queue.pop()) is not None:
                top = max(counts)
                assert number == min(
                    (n for n, count in enumerate(counts) if count == top),
                    key=lambda n: n % 7 * 100 + n,
                )
                counts[number] = 0
                for fallen in data.draw(st.lists(st.integers(0, len(counts) - 1), max_size=3)):
                    counts[fallen] = max(0, counts[fallen] - data.draw(st.integers(1, 9)))
                if len(counts) < 40:
                    first = len(counts)
                    counts.extend(data.draw(st.lists(st.integers(1, top), max_size=3)))
                    queue.push(range(first, len(counts)))
        assert not any(counts)
