"""The heap with lazy deletion: exact, although its entries may claim too much."""

from __future__ import annotations

from functools import partial

import oracles
import pytest
from generated import examples
from heap_by_hand import replay
from hypothesis import given
from hypothesis import strategies as st

from engine.bpe.ties import TIE_RULES
from engine.bpe.trainers.heap import LazyHeap
from engine.core.events import Pair


def by_ids(pair: Pair) -> Pair:
    return pair


def assert_sound(heap: LazyHeap, counts: dict[Pair, int]) -> None:
    """Check the invariants that hold at any time, with any stale entries."""
    entries = heap.entries
    assert all(entries[(i - 1) // 2] <= entries[i] for i in range(1, len(entries)))
    pairs = [pair for _, _, pair in entries]
    assert len(pairs) == len(set(pairs)), "a pair has two entries"
    assert set(counts) <= set(pairs), "a pair has no entry"
    assert all(-claim >= counts.get(pair, 0) for claim, _, pair in entries), "claims too little"


class TestChoosing:
    def test_the_chooser_gets_exactly_the_pairs_of_the_top_count(self) -> None:
        seen: list[list[Pair]] = []

        def choose(tied: list[Pair]) -> Pair:
            seen.append(sorted(tied))
            return (2, 2)

        heap = LazyHeap({(1, 1): 5, (2, 2): 5, (3, 3): 4}, by_ids)
        assert heap.pop_best(choose) == (2, 2)
        assert seen == [[(1, 1), (2, 2)]]


pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(st.dictionaries(pairs, st.integers(1, 9), min_size=1), st.booleans(), st.data())
def test_it_finds_the_same_as_a_scan_if_counts_only_fall(
    counts: dict[Pair, int], with_chooser: bool, data: st.DataObject
) -> None:
    heap = LazyHeap(counts, by_ids)
    new = 4
    while counts:
        assert_sound(heap, counts)
        best = heap.pop_best(partial(min, key=by_ids) if with_chooser else None)
        assert best is not None
        assert best == min(counts, key=lambda pair: (-counts[pair], pair))
        del counts[best]
        for pair in (
            data.draw(st.lists(st.sampled_from(sorted(counts)), max_size=4)) if counts else ()
        ):
            if counts.get(pair, 0) > 1:
                counts[pair] -= 1
            else:
                counts.pop(pair, None)
        if data.draw(st.booleans()) and new < 8:  # a merge brings a pair that was never there
            counts[new, new] = data.draw(st.integers(1, 9))
            heap.push((new, new))
            new += 1
    assert heap.pop_best() is None


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@examples(60)
@given(oracles.corpora())
def test_all_through_a_training_it_is_sound_and_finds_the_pair(
    tie_rule: str, corpus: dict[bytes, int]
) -> None:
    for moment in replay(corpus, tie_rule):
        assert_sound(moment.heap, dict(moment.counts))
        if moment.step is not None:
            assert moment.popped == moment.step.pair
