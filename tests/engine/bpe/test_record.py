"""The record of a training run, true at any later time, and the series that are read from it."""

import json
from collections import Counter

import oracles
import pytest
from generated import examples
from hypothesis import given

from engine import CountChange, Timeline, Trainer
from engine.bpe.record import Record
from engine.bpe.trainers import DEFAULT_TRAINER
from engine.core.events import Pair

A, B, C = b"abc"


def trained(
    counts: dict[bytes, int], *, tie_rule: str = "lexicographic", algorithm: str = DEFAULT_TRAINER
) -> Record:
    trainer = Trainer(counts, 296, tie_rule=tie_rule, algorithm=algorithm)
    for _ in trainer.steps():
        pass
    return trainer.record


class TestAStep:
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


CORPORA = oracles.corpora(max_pretokens=12, max_length=8)


@given(counts=CORPORA)
@examples(50)
def test_a_series_equals_the_values_of_the_single_frames(counts: dict[bytes, int]) -> None:
    timeline = Timeline(counts, Trainer(counts, 300, ["<s>"]).steps())
    frames = [timeline.seek(step) for step in range(len(timeline) + 1)]
    series, steps = timeline.statistics, len(timeline)
    assert series.bytes_per_token(steps).tolist() == [frame.bytes_per_token for frame in frames]
    merges = [frame.merge.count for frame in frames if frame.merge]
    assert series.winning_counts(steps).tolist() == merges


@given(counts=CORPORA)
@examples(50)
def test_token_lengths_count_the_tokens_learnt_by_the_step(counts: dict[bytes, int]) -> None:
    timeline = Timeline(counts, Trainer(counts, 300, ["<s>"]).steps())
    for step in reversed(range(len(timeline) + 1)):
        vocab = [bytes([byte]) for byte in range(256)]
        vocab += [timeline.record[index].token for index in range(step)]
        lengths = Counter(map(len, vocab))
        found = timeline.statistics.token_lengths(step).tolist()
        assert found == [lengths[length] for length in range(max(lengths) + 1)]


def test_a_series_can_be_read_while_the_record_grows() -> None:
    counts = {b"abcd": 3}
    trainer = Trainer(counts, 300)
    steps = trainer.steps()
    timeline = Timeline(counts, [next(steps)])
    one = timeline.statistics.winning_counts(1)
    timeline.extend(steps)
    assert one.tolist() == [3]
    assert timeline.statistics.winning_counts(3).tolist() == [3, 3, 3]


def test_an_empty_corpus_is_not_compressed() -> None:
    series = Timeline({}).statistics
    assert series.bytes_per_token(0).tolist() == [1.0]
    assert series.pretoken_counts.tolist() == []
    assert series.commonest_pretoken is None


@given(oracles.corpora())
def test_the_shares_equal_a_recount_of_every_pretoken(counts: dict[bytes, int]) -> None:
    run = oracles.train(counts, "lexicographic", 24)
    timeline = Timeline(counts, Trainer(counts, 280).steps())
    for step, truth in enumerate(run.steps, 1):
        expected: dict[Pair, dict[bytes, int]] = {}
        words = zip(counts, truth.words_before, truth.words_after, strict=True)
        for pretoken, before, after in words:
            was, now = (oracles.recount([word], [counts[pretoken]]) for word in (before, after))
            for pair in was | now:
                if change := now.get(pair, 0) - was.get(pair, 0):
                    expected.setdefault(pair, {})[pretoken] = change
        attribution = timeline.seek(step).attribution
        assert attribution.read()
        found = {
            change.pair: {
                part.affected.pretoken: part.change for part in attribution.behind(change.pair)
            }
            for change in timeline.record[step - 1].changes
        }
        assert found == expected
        for change in timeline.record[step - 1].changes:
            times = [part.affected.count for part in attribution.behind(change.pair)]
            assert times == sorted(times, reverse=True)


def test_shares_read_in_slices_equal_shares_read_at_once() -> None:
    counts = {b"low": 5, b"lower": 2, b"lowest": 1}
    attribution = Timeline(counts, Trainer(counts, 257).steps()).seek(1).attribution
    slices = 0
    while not attribution.read(seconds=0):
        slices += 1
    assert slices >= 2
    assert [part.change for part in attribution.behind((ord("o"), ord("w")))] == [-5, -2, -1]
