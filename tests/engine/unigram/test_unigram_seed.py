"""The seed vocabulary agrees with a count of every substring by hand."""

from __future__ import annotations

import pytest
import unigram_by_hand as by_hand
from hypothesis import example, given
from hypothesis import strategies as st

from engine.core.events import WorkProgress, finished
from engine.unigram.seed import Seeds, seed_pieces

COUNTS = st.dictionaries(st.text("abcé\0🙂", min_size=1, max_size=9), st.integers(1, 9), min_size=1)


def seeds_of(counts: dict[str, int], size: int = 1000, longest: int = 16) -> Seeds:
    return finished(seed_pieces(counts, size, longest))


@given(COUNTS, st.integers(1, 30), st.integers(1, 6))
@example({"aaaa": 1}, 9, 3)
@example({"ab": 1}, 9, 3)  # a substring that occurs once is no seed, and a character is
@example({"abc": 5}, 1, 3)  # all characters, even beyond the size
@example({"queen": 3, "quiet": 2}, 99, 16)  # que is always followed by one character
@example({"\ud800a": 2}, 9, 3)
@example({}, 9, 3)
def test_seeds_are_the_characters_and_the_best_branching_substrings(
    counts: dict[str, int], size: int, longest: int
) -> None:
    seeds = seeds_of(counts, size, longest)
    expected = by_hand.seeds(counts, size, longest)
    assert seeds.texts == list(expected)
    assert seeds.scores.tolist() == pytest.approx(list(expected.values()))
    assert seeds.characters == len(set("".join(counts)))


def test_the_search_reports_its_progress_for_every_length() -> None:
    work = seed_pieces({"abcd": 2}, 10, 4)
    progress = [(step.done, step.total) for step in work if isinstance(step, WorkProgress)]
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]
