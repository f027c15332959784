"""One text under a Unigram model, compared with all its segmentations."""

from __future__ import annotations

import pytest
import unigram_by_hand as by_hand
from hypothesis import example, given
from hypothesis import strategies as st

from engine import UnigramError
from engine.unigram.lattice import Lattice, log_total
from engine.unigram.pieces import PieceTable

SCORES = st.floats(min_value=-20, max_value=-0.01)
TEXTS = st.text("abc", min_size=1, max_size=8)


@st.composite
def models(draw: st.DrawFn) -> dict[str, float]:
    """Draw scores for a, b, c and some longer pieces."""
    longer = draw(st.sets(st.text("abc", min_size=2, max_size=4), max_size=12))
    return {text: draw(SCORES) for text in ["a", "b", "c", *sorted(longer)]}


def lattice_of(text: str, model: dict[str, float]) -> Lattice:
    return Lattice(text, PieceTable(list(model), list(model.values())))


@given(TEXTS, models(), st.integers(1, 40))
@example("abcab", {"a": -1.0, "b": -2.0, "c": -3.0, "ab": -2.5, "bc": -4.0, "cab": -5.0}, 5)
def test_the_best_paths_are_the_first_of_all_segmentations_and_the_total_is_their_sum(
    text: str, model: dict[str, float], wanted: int
) -> None:
    lattice = lattice_of(text, model)
    every = sorted(by_hand.score(w, model) for w in by_hand.segmentations(text, model))[::-1]
    paths = lattice.n_best(wanted)
    assert [path.score for path in paths] == pytest.approx(every[:wanted])
    assert len({path.edges for path in paths}) == len(paths)
    assert paths[0] == lattice.best
    assert sum(edge.score for edge in lattice.best.edges) == pytest.approx(every[0])
    assert log_total(lattice) == pytest.approx(by_hand.log_total(text, model))


def test_of_equal_paths_the_last_piece_that_starts_furthest_left_wins() -> None:
    lattice = lattice_of("abc", {"a": -1.0, "b": -1.0, "c": -1.0, "ab": -2.0, "bc": -2.0})
    assert lattice.spelled(lattice.best) == ["a", "bc"]


def test_without_an_unknown_token_an_unknown_character_is_an_error() -> None:
    with pytest.raises(UnigramError, match="the character 'é' is no piece"):
        lattice_of("aé", {"a": -1.0})


def test_special_tokens_and_the_unknown_token_match_no_text() -> None:
    table = PieceTable(["<u>", "<s>", "<", "s", ">"], [0.0] * 5, unknown=0, silent=[1])
    assert Lattice("<s>", table).best.pieces == (2, 3, 4)


@pytest.mark.parametrize(
    ("texts", "unknown", "message"),
    [
        (["a", "a"], None, "piece 'a' is empty or occurs twice"),
        (["a", ""], None, "piece '' is empty"),
        (["a"], 1, "there is no piece 1; the ids go from 0 to 0"),
    ],
)
def test_unusable_pieces_are_an_error(texts: list[str], unknown: int | None, message: str) -> None:
    with pytest.raises(UnigramError, match=message):
        PieceTable(texts, [-1.0] * len(texts), unknown)


def test_memory_for_many_equal_paths_grows_only_with_the_text() -> None:
    lattice = lattice_of("a" * 5000, {"a": -1.0, "aa": -2.0, "aaa": -3.0})
    assert [path.score for path in lattice.n_best(3)] == pytest.approx([-5000.0] * 3)
    assert lattice.best.edges[-1].end == 5000


def test_the_empty_text_has_one_segmentation_of_no_pieces() -> None:
    lattice = lattice_of("", {"a": -1.0})
    assert lattice.best == lattice.n_best(2)[0]
    assert lattice.best.edges == ()
    assert log_total(lattice) == 0.0
    assert lattice.n_best(0) == []
