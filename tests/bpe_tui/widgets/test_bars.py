"""The lengths of bars beside counts, on a scale that seldom changes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bpe_tui.widgets.numbers import BODY, HALF, bar, scale_of, trace


def halves(text: str) -> int:
    return 2 * text.count(BODY) + text.count(HALF)


@given(st.floats(1e-12, 1e12))
def test_the_longest_bar_takes_between_half_and_all_of_the_room(highest: float) -> None:
    assert 0.5 < highest / scale_of(highest) <= 1


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 40))
def test_a_bar_is_exact_to_half_a_cell(share: float, claimed: float, cells: int) -> None:
    body = bar(share, cells)
    assert abs(halves(body) - 2 * cells * share) <= 0.5 or halves(body) == 1
    assert bool(body) == bool(share)
    assert len(body + trace(claimed, cells, body)) <= cells


def test_values_above_the_scale_fill_the_room() -> None:
    assert (bar(3, 5), trace(3, 5, "▄▄▖"), trace(0.2, 5, "▄▄▖")) == ("▄▄▄▄▄", "┄┄", "")


def test_the_scale_changes_seldom_while_counts_fall() -> None:
    scales = [scale_of(count) for count in range(5000, 0, -1)]
    assert len(set(scales)) == 14
    assert scales == sorted(scales, reverse=True)
