"""Charts in characters, and the bars beside counts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_tui.widgets.chart import GUTTER, x_axis
from bpe_tui.widgets.figure import Figure, Scale, cells_of, round_step, scale_for, spans
from bpe_tui.widgets.numbers import BODY, HALF, bar, scale_of, trace


def line(*ys: float, log_y: bool = False) -> Figure:
    return Figure(np.arange(len(ys)), np.array(ys), "x", log_y=log_y)


def bars(*ys: int) -> Figure:
    return Figure(np.arange(1, len(ys) + 1), np.array(ys), "x", bars=True)


def scale_from(low: float, factor: float, log: bool) -> Scale:
    return Scale(low, low * factor, log)


SCALES = st.builds(scale_from, st.floats(0.01, 1e6), st.floats(1.1, 1e6), st.booleans())


def test_a_logarithmic_axis_gives_each_power_of_ten_the_same_room() -> None:
    scale = scale_for(np.array([1, 10, 1000]), log=True)
    places = scale.places(np.array([1, 10, 100, 1000]))
    assert places == pytest.approx([0, 1 / 3, 2 / 3, 1])


@given(SCALES, st.floats(0, 1))
def test_the_value_at_a_place_lies_at_that_place(scale: Scale, place: float) -> None:
    assert scale.place(scale.value(place)) == pytest.approx(place, abs=1e-6)


@example(Scale(1.5, 6.0, log=True), 1)  # a logarithmic axis without a power of ten
@given(SCALES, st.integers(1, 20))
def test_ticks_lie_within_the_axis_and_do_not_crowd(scale: Scale, most: int) -> None:
    ticks = scale.ticks(most)
    assert len(ticks) <= most + 1
    assert all(scale.low * (1 - 1e-6) <= tick <= scale.high * (1 + 1e-6) for tick in ticks)


def test_axes_end_at_values_or_at_round_numbers_and_have_round_ticks() -> None:
    assert scale_for(np.array([3, 3]), log=True) == Scale(3, 30, log=True)
    assert scale_for(np.array([5, 5]), log=False) == Scale(5, 6)
    assert scale_for(np.array([31, 86]), log=False) == Scale(31, 86)
    assert scale_for(np.array([31, 86]), log=False, rounded=True) == Scale(20, 100)
    assert (bars(3, 5).x_scale, bars(3, 5).y_scale) == (Scale(0.5, 2.5), Scale(0, 5))
    assert replace(bars(2, 3), bars_top=5).y_scale == Scale(0, 5)
    decades, all_ticks = Scale(1, 1000, log=True), [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    assert decades.ticks(10) == all_ticks
    assert [decades.ticks(most) for most in (9, 2, 0)] == [all_ticks[::3], [1, 100], [1]]
    assert Scale(40, 100).ticks(5) == [40, 60, 80, 100]
    assert Scale(0.1, 0.31).ticks(5) == [0.1, 0.15, 0.2, 0.25, 0.3]
    assert line(0, 1, 2).x_ticks(4) == [0, 1, 2]


def test_steps_between_ticks_are_round() -> None:
    cases = {(97, 5): 20, (94, 10): 10, (0.9, 4): 0.5, (10, 10): 1, (5, 0): 5}
    assert {case: round_step(*case) for case in cases} == pytest.approx(cases)


def test_lines_go_from_corner_to_corner_and_bars_are_as_high_as_their_values() -> None:
    assert cells_of(line(0, 5), 2, 2) == [" ⡜", "⡰⠁"]
    assert cells_of(bars(2, 1), 6, 2) == ["██    ", "██ ███"]
    assert cells_of(bars(1, 4, 0, 0), 2, 1) == ["█ "]
    assert cells_of(bars(1000, 1), 2, 1) == ["█▁"]


@example(ys=[1, 1, 596, 378], width=4, height=9)
@given(
    ys=st.lists(st.integers(1, 1000), min_size=2, max_size=50),
    width=st.integers(1, 30),
    height=st.integers(1, 20),
)
def test_a_curve_passes_through_all_its_points_without_a_gap(
    ys: list[int], width: int, height: int
) -> None:
    figure = line(*ys)
    columns, rows = 2 * width, 4 * height
    lowest, highest = spans(figure, columns, rows)
    across = figure.x_scale.places(figure.xs) * (columns - 1)
    up = figure.y_scale.places(figure.ys) * (rows - 1)
    for x, y in zip(np.rint(across).astype(int), up, strict=True):
        assert lowest[x] <= np.rint(y) <= highest[x]
    assert (lowest[1:] <= highest[:-1] + 1).all()
    assert (highest[1:] >= lowest[:-1] - 1).all()


AXES = {
    (40, 40): (
        "┬─────────┬─────────┬─────────┬────────┬",
        "0        10        20        30    step ",
    ),
    (40, 24): ("┬───────────┬──────────┬", "0          20      step "),
    (40, 8): ("┬───────", "0  step "),
    (1, 3): ("┬─┬", "0 1"),
    (1, 2): ("┬┬", "0"),
    (20_000, 30): ("┬──────────────┬─────────────┬", "0             10k        step "),
}
"""Last x and cells → the marks of the axis, and the numbers with the unit below or before them."""


def test_numbers_below_an_axis_leave_room_for_its_unit() -> None:
    for (last, cells), (marks, numbers) in AXES.items():
        figure = Figure(np.array([0, last]), np.array([1, 5]), "step")
        before = "" if "step" in numbers else " step"
        assert x_axis(figure, cells) == (marks, f"{before:{GUTTER}}{numbers}")


def test_scattered_values_have_a_column_each_or_show_their_median() -> None:
    ys = np.tile([1.0, 5.0, 100.0], 200)
    figure = Figure(np.arange(600), ys, "x", scattered=True)
    lowest, highest = spans(figure, 40, 101)
    middle = np.rint(figure.y_scale.place(5) * 100)
    assert set(lowest[1:-1]) == set(highest[1:-1]) == {middle}
    ys = [1.0, 9.0, 2.0, 8.0]
    scattered = Figure(np.arange(4), np.array(ys), "x", scattered=True)
    assert cells_of(scattered, 20, 5) == cells_of(line(*ys), 20, 5)


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
