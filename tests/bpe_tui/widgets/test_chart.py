"""The parts of the chart widget, each tested on the smallest possible figure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_tui.widgets.figure import Figure, Scale, cells_of, scale_for, spans


def line(*ys: float, log_y: bool = False) -> Figure:
    return Figure(np.arange(len(ys)), np.array(ys), "x", log_y=log_y)


def bars(*ys: int) -> Figure:
    return Figure(np.arange(1, len(ys) + 1), np.array(ys), "x", bars=True)


def test_a_logarithmic_axis_gives_each_power_of_ten_the_same_room() -> None:
    scale = scale_for(np.array([1, 10, 1000]), log=True)
    assert scale.places(np.array([1, 10, 100, 1000])).round(6).tolist() == [
        0,
        0.333333,
        0.666667,
        1,
    ]


@given(
    low=st.floats(0.01, 1e6), factor=st.floats(1.1, 1e6), place=st.floats(0, 1), log=st.booleans()
)
def test_the_value_at_a_place_lies_at_that_place(
    low: float, factor: float, place: float, log: bool
) -> None:
    scale = Scale(low, low * factor, log)
    assert scale.place(scale.value(place)) == pytest.approx(place, abs=1e-6)


@example(low=1.5, factor=4.0, most=1, log=True)  # a logarithmic axis without a power of ten
@given(
    low=st.floats(0.01, 1e6), factor=st.floats(1.1, 1e6), most=st.integers(1, 20), log=st.booleans()
)
def test_ticks_lie_within_the_axis_and_do_not_crowd(
    low: float, factor: float, most: int, log: bool
) -> None:
    scale = Scale(low, low * factor, log)
    ticks = scale.ticks(most)
    assert len(ticks) <= most + 1
    assert all(low * (1 - 1e-6) <= tick <= low * factor * (1 + 1e-6) for tick in ticks)


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


def test_scattered_values_have_a_column_each_or_show_their_median() -> None:
    ys = np.tile([1.0, 5.0, 100.0], 200)
    figure = Figure(np.arange(600), ys, "x", scattered=True)
    lowest, highest = spans(figure, 40, 101)
    middle = np.rint(figure.y_scale.place(5) * 100)
    assert set(lowest[1:-1]) == set(highest[1:-1]) == {middle}
    ys = [1.0, 9.0, 2.0, 8.0]
    scattered = Figure(np.arange(4), np.array(ys), "x", scattered=True)
    assert cells_of(scattered, 20, 5) == cells_of(line(*ys), 20, 5)
