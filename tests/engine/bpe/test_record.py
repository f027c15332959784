"""The record of a training run: compact, and true for every step at any later time."""

from __future__ import annotations

import json

import pytest

from engine import CountChange, Trainer
from engine.bpe.record import Record
from engine.bpe.trainers import DEFAULT_TRAINER

A, B, C = b"abc"


def trained(
    counts: dict[bytes, int], *, tie_rule: str = "lexicographic", algorithm: str = DEFAULT_TRAINER
) -> Record:
    trainer = Trainer(counts, 296, tie_rule=tie_rule, algorithm=algorithm)
    for _ in trainer.steps():
        pass
    return trainer.record


class TestAStep:
    def test_has_the_merged_pair_and_token(self) -> None:
        step = trained({b"ab": 3, b"b": 1})[0]
        assert (step.index, step.pair, step.left, step.right) == (0, (A, B), b"a", b"b")
        assert (step.new_id, step.token, step.count) == (256, b"ab", 3)

    def test_lists_its_own_pair_first_among_the_tied_then_the_others_by_id(self) -> None:
        step = trained({b"ca": 2, b"ab": 2, b"bc": 2, b"cb": 1})[0]
        assert step.tied == ((C, A), (A, B), (B, C))

    def test_lists_its_own_pair_first_among_the_changes_then_the_largest(self) -> None:
        step = trained({b"abc": 1, b"cab": 2})[0]
        assert step.changes == (
            CountChange((A, B), 3, 0),
            CountChange((C, A), 2, 0),
            CountChange((C, 256), 0, 2),
            CountChange((B, C), 1, 0),
            CountChange((256, C), 0, 1),
        )

    def test_can_be_written_as_json_in_gpt2_spelling(self) -> None:
        step = trained({b" a": 3})[0]
        plain = json.loads(json.dumps(step.as_dict()))
        assert (plain["left"], plain["right"], plain["token"]) == ("Ġ", "a", "Ġa")
        assert plain["pair"] == [32, 97]
        assert plain["changes"] == [[[32, 97], 3, 0]]

    def test_equals_a_step_of_another_run_with_the_same_facts(self) -> None:
        one, other = trained({b"ab": 3})[0], trained({b"ab": 3}, algorithm="naive")[0]
        assert (one, hash(one)) == (other, hash(other))
        assert one != trained({b"ab": 2, b"xab": 1})[0]
        assert one != trained({b"ab": 3, b"cd": 3}, tie_rule="smallest-ids")[0]


class TestARecord:
    @pytest.mark.parametrize(("count", "integers"), [(2**31 - 1, "i"), (2**31, "q")])
    def test_has_counts_in_the_smallest_integers_that_hold_them(
        self, count: int, integers: str
    ) -> None:
        counts = trained({b"ab": count}).counts
        assert (counts.integers, counts.at(0).tolist()) == (integers, [count])

    @pytest.mark.parametrize("index", [-1, 2])
    def test_has_no_step_outside_the_run(self, index: int) -> None:
        with pytest.raises(IndexError):
            trained({b"abc": 1})[index]

    def test_numbers_the_pairs_in_order_of_first_appearance(self) -> None:
        record = trained({b"abc": 2, b"ab": 1})
        assert list(record.pairs) == [(A, B), (B, C), (256, C)]
        assert [record.pairs.number_of(pair) for pair in record.pairs] == [0, 1, 2]
        assert record.pairs.number_of((B, A)) is None  # it never occurred

    def test_finds_the_pairs_of_a_count_in_a_past_state(self) -> None:
        record = trained({b"ab": 2, b"cd": 2, b"ef": 1})
        assert sorted(record.pairs_with_count(record.counts.at(0), 2)) == [(A, B), (C, 100)]
        assert record.pairs_with_count(record.counts.at(1), 2) == [(A, B)]

    def test_grows_with_the_run(self) -> None:
        trainer = Trainer({b"abcd": 1}, 300)
        sizes = [trainer.record.nbytes] + [trainer.record.nbytes for _ in trainer.steps()]
        assert sizes == sorted(set(sizes))
        # Of three merges; two pairs are new, and five columns have eight bytes a step.
        assert sizes[-1] == trainer.record.counts.nbytes + 8 * (5 + 5 * 3)
