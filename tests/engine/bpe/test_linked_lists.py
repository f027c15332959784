"""The trainer `linked` at its thresholds, and its lists and bigrams, replayed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from unittest.mock import patch

import oracles
import pytest
from generated import examples
from hypothesis import given
from hypothesis import strategies as st

from engine import BigramState, Frame, LinkedLists, MergeStep, Timeline, Trainer, count_pretokens
from engine.bpe.ties import TIE_RULES
from engine.bpe.trainer import base_vocab
from engine.bpe.trainers import linked
from engine.bpe.trainers.algorithm import TrainingTask
from engine.bpe.trainers.linked import ActivePairs, LinkedPretokens
from engine.core.events import Pair

SAMPLE = Path(__file__).parents[3] / "samples" / "we_and_they.txt"


def trained(counts: dict[bytes, int], size: int, algorithm: str, **options: object) -> Timeline:
    trainer = Trainer(counts, size, algorithm=algorithm, **options)  # type: ignore[arg-type]
    steps = list(trainer.steps())
    return Timeline(trainer.counts, steps, record=trainer.record)


def lists_of(frame: Frame) -> LinkedLists:
    assert frame.linked is not None
    return frame.linked


Known = tuple[dict[Pair, int], dict[Pair, int], dict[Pair, list[tuple[int, int]]]]
"""Knowledge of the trainer: the active pairs, the others, the places of the active ones."""


def watched(counts: dict[bytes, int], size: int, tie_rule: str) -> tuple[Timeline, list[Known]]:
    """Train with `linked`; note what it knows each time when it has found the best pair."""
    seen: list[Known] = []
    best = ActivePairs.best

    def noting(self: ActivePairs) -> tuple[int, list[Pair]]:
        found = best(self)
        pretokens, starts, start = self._pretokens, [], 0
        for pretoken in counts:
            starts.append(start)
            start += len(pretoken)
        active = {pair: self._found[pair] for pair in self._active}
        others = {pair: count for pair, count in self._found.items() if pair not in active}
        places = {
            pair: [
                (pretokens._pretoken_of[cell] + 1, cell - starts[pretokens._pretoken_of[cell]] + 1)
                for cell in pretokens._places[pair]
            ]
            for pair in active
        }
        seen.append((active, others, places))
        return found

    with patch.object(ActivePairs, "best", noting):
        return trained(counts, size, "linked", tie_rule=tie_rule), seen


@pytest.mark.parametrize("tie_rule", ["lexicographic", "first-seen"])
@examples(60)
@given(
    counts=oracles.corpora(max_pretokens=8, max_length=14),
    refresh=st.sampled_from([1, 3, 100]),
    least=st.sampled_from([1, 2, 5, 1000]),
)
def test_at_each_step_the_lists_are_those_of_the_trainer(
    tie_rule: str, counts: dict[bytes, int], refresh: int, least: int
) -> None:
    with (
        patch.object(linked, "REFRESH_STEPS", refresh),
        patch.object(linked, "LEAST_ACTIVE", least),
    ):
        timeline, seen = watched(counts, 290, tie_rule)
        ever = {pair for active, others, _ in seen for pair in (*active, *others)}
        for step, (active, others, places) in enumerate(seen[: len(timeline) + 1]):
            lists = lists_of(timeline.seek(step))
            everything = 10**6
            bigrams = [
                *lists.most_frequent(BigramState.BEST, 1),
                *lists.most_frequent(BigramState.ACTIVE, everything),
            ]
            assert {each.pair: each.counted for each in bigrams} == active
            assert {each.pair: each.count for each in bigrams} == active
            left_out = lists.most_frequent(BigramState.INACTIVE, everything)
            assert {each.pair: each.counted for each in left_out} == others
            for each in (*bigrams, *left_out):
                assert lists.bigram(each.pair) == each
                assert each.in_doubt == (each.counted != timeline.frame.count_of(each.pair))
            assert not any(map(lists.bigram, {(0, 0), *ever} - {*active, *others}))
            assert (lists.active, lists.inactive) == (len(active), len(others))
            for state in BigramState:
                every = lists.most_frequent(state, everything)
                limited = [lists.most_frequent(state, limit) for limit in range(4)]
                assert limited == [every[:limit] for limit in range(4)]
                found = [(-each.counted, lists._pairs.number_of(each.pair)) for each in every]
                assert found == sorted(found)
            if lists.best is not None:
                assert lists.best.count == max(active.values())
            for pair, expected in places.items():
                found = lists.places(pair)
                assert found.read(everything)
                assert [(place.number, place.node) for place in found.found] == expected


@examples(60)
@given(
    counts=oracles.corpora(max_pretokens=8, max_length=14),
    algorithm=st.sampled_from(["naive", "heap", "fast", "linked"]),
)
def test_a_merge_touches_the_places_that_a_recount_finds(
    counts: dict[bytes, int], algorithm: str
) -> None:
    timeline = trained(counts, 290, algorithm)
    words = [list(pretoken) for pretoken in counts]
    times = list(counts.values())
    for step in range(1, len(timeline) + 1):
        lists = lists_of(timeline.seek(step))
        assert lists.merge is not None
        before = oracles.recount(words, times)
        places = sum(len(word) - 1 for word in words)
        tokens = sum(map(len, words))
        words = [oracles.replace(word, lists.merge.pair, lists.merge.new_id) for word in words]
        after = Counter(oracles.recount(words, times))
        assert lists.count_places()
        assert (lists.touched, lists.places_before) == (tokens - sum(map(len, words)), places)
        losses = [(each.out is None, -each.lost) for each in lists.neighbours]
        assert losses == sorted(losses)
        lost = {each.out: each.lost for each in lists.neighbours if each.out is not None}
        came = {pair: count for each in lists.neighbours for pair, count in each.came}
        fell = {pair: count - after[pair] for pair, count in before.items() if count > after[pair]}
        assert lost == {pair: n for pair, n in fell.items() if pair != lists.merge.pair}
        assert came == {pair: n for pair, n in after.items() if lists.merge.new_id in pair}
        for pretoken, word in zip(counts, words, strict=True):
            nodes = lists.nodes(pretoken)
            assert bytes(node.unit for node in nodes) == pretoken
            assert [node.token for node in nodes if node.token is not None] == word


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    counts = count_pretokens(SAMPLE, pattern="whitespace")
    return trained(counts, 130, "linked", units="characters")


class TestTheSampleOfWeAndThey:
    def test_the_nodes_of_its_merge_are_new(self, timeline: Timeline) -> None:
        first = lists_of(timeline.seek(1)).nodes("我们的花园在河边。".encode())
        seen = [(node.token is None, node.is_new) for node in first[:3]]
        assert seen == [(False, True), (True, True), (False, False)]

    def test_is_the_same_forward_back_and_after_a_jump(self, timeline: Timeline) -> None:
        def seen(frame: Frame) -> object:
            lists = lists_of(frame)
            best = lists.most_frequent(BigramState.ACTIVE, 50)
            return lists.best, best, lists.refreshed_at, lists.neighbours

        forward = [seen(timeline.seek(step)) for step in range(len(timeline) + 1)]
        back = [seen(timeline.seek(step)) for step in reversed(range(len(timeline) + 1))]
        assert forward == back[::-1]


def test_pairs_that_occur_once_are_all_active_and_no_reason_to_build_the_set_again() -> None:
    run = trained({b"abc": 1}, 258, "linked")
    assert [lists_of(run.seek(step)).refreshed_at for step in range(3)] == [0, 0, 2]


def test_a_run_without_a_rule_or_a_corpus_has_no_lists() -> None:
    assert Timeline({}).frame.linked is None
    one = trained({b"a": 3}, 260, "linked")
    lists = lists_of(one.frame)
    assert (lists.best, lists.active, lists.inactive, lists.neighbours) == (None, 0, 0, [])
    assert lists.count_places()
    assert (lists.touched, lists.places_before) == (0, 0)
    assert [node.token is None for node in lists.nodes(b"a")] == [False]


def test_a_pretoken_too_long_to_take_apart_is_left_out() -> None:
    for pairs, numbers in ((1 << 14, {1, 2}), ((1 << 14) + 1, {2})):  # of 32,768 bytes, and more
        lists = lists_of(trained({b"ab" * pairs: 1, b"ab": 2}, 256, "fast").frame)
        assert lists.has_long_pretoken == (1 not in numbers)
        assert lists.count_places() == (1 in numbers)
        places = lists.places((ord("a"), ord("b")))
        assert places.read(1 << 20)
        assert {place.number for place in places.found} == numbers


def test_overlapping_places_all_count() -> None:
    counts = {b"aaaa": 1, b"baa": 1}
    places = lists_of(trained(counts, 256, "linked").frame).places((ord("a"), ord("a")))
    assert places.read(1)  # all of the first pretoken, and no more
    assert [(place.number, place.node) for place in places.found] == [(1, 1), (1, 2), (1, 3)]
    assert places.read(9)
    assert [(place.number, place.node) for place in places.found[3:]] == [(2, 2)]


def test_a_part_of_a_list_has_the_nodes_from_start_to_stop() -> None:
    lists = lists_of(trained({b"abcabc": 2, b"bc": 1}, 258, "linked").seek(2))
    every = lists.nodes(b"abcabc")
    assert [node.token is None for node in every] == [False, True, True] * 2
    for start in range(1, 8):
        for stop in range(start, 9):
            assert lists.nodes(b"abcabc", start, stop) == every[start - 1 : stop - 1]


def test_places_are_counted_again_when_the_run_has_grown() -> None:
    trainer = Trainer({b"low": 5, b"lower": 2}, 260, algorithm="linked")
    timeline = Timeline(trainer.counts, record=trainer.record)
    seen = []
    for step in trainer.steps():
        timeline.extend([step])
        lists = lists_of(timeline.forward())
        assert lists.count_places()
        seen.append((lists.touched, lists.places_before))
    # low has 2 places and lower 4; ow and low merge in both, the others in lower.
    assert seen == [(2, 6), (2, 4), (1, 2), (1, 1)]


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
