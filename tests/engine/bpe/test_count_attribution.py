"""The shares of a change equal a recount of each pretoken alone, and add up to the change."""

from __future__ import annotations

import oracles
from hypothesis import given

from engine import Timeline, Trainer
from engine.core.events import Pair


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
