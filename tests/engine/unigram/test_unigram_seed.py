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
@example({"a": 1}, 9, 3)
def test_seeds_are_the_characters_and_the_best_branching_substrings(
    counts: dict[str, int], size: int, longest: int
) -> None:
    seeds = seeds_of(counts, size, longest)
    expected = by_hand.seeds(counts, size, longest)
    assert seeds.texts == list(expected)
    assert seeds.scores.tolist() == pytest.approx(list(expected.values()))
    assert seeds.characters == len(set("".join(counts)))


def test_a_substring_with_only_one_next_character_is_no_seed() -> None:
    seeds = seeds_of({"queen": 3, "quiet": 2})
    assert seeds.texts[seeds.characters :][:4] == ["queen", "ueen", "qu", "quiet"]
    assert not {"que", "quee", "qui", "quie"} & set(seeds.texts)


def test_a_substring_that_occurs_once_is_no_seed_and_a_character_is() -> None:
    assert seeds_of({"ab": 1}).texts == ["a", "b"]


def test_all_characters_are_kept_even_beyond_the_size() -> None:
    assert sorted(seeds_of({"abc": 5}, size=1).texts) == ["a", "b", "c"]


def test_reserved_texts_are_no_seeds() -> None:
    found = finished(seed_pieces({"<s>": 5, "s>": 1}, 100, 16, frozenset({"<s>"})))
    assert "<s>" not in found.texts
    assert "s>" in found.texts


def test_lone_surrogates_are_characters_like_others() -> None:
    assert seeds_of({"\ud800a": 2}).texts == ["a", "\ud800", "\ud800a"]


def test_no_pretokens_give_no_seeds() -> None:
    assert seeds_of({}).texts == []


def test_the_search_reports_its_progress_for_every_length() -> None:
    work = seed_pieces({"abcd": 2}, 10, 4)
    progress = [(step.done, step.total) for step in work if isinstance(step, WorkProgress)]
    assert progress == [(1, 4), (2, 4), (3, 4), (4, 4)]
