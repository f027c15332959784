"""The lengths of bars beside counts, on a scale that seldom changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opening import each_size, opened

from bpe_tui.bpe.heap_panel import PairsPanel
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


def test_the_scale_changes_seldom_while_counts_fall() -> None:
    scales = [scale_of(count) for count in range(5000, 0, -1)]
    assert len(set(scales)) == 14
    assert scales == sorted(scales, reverse=True)


@pytest.mark.slow  # a walk over sizes
async def test_the_bars_of_the_heap_are_ordered_like_its_true_counts() -> None:
    async with opened() as (app, pilot):
        async for _ in each_size(pilot, [(160, 50), (120, 40)]):
            panel, places = app.screen.query_one(PairsPanel), set()
            app.session.seek(16)
            for _ in range(8):
                await pilot.press("right")
                frame = app.session.frame
                assert frame is not None
                top = frame.top_pairs(1)[0][1]
                lengths = {}
                for place in range(panel.row_count):
                    row = panel.row(place)
                    text = "".join(span for span, _ in row.spans)
                    count = frame.count_of(row.target.pair)  # type: ignore[union-attr]
                    lengths[count] = halves(text)
                    if count == top:
                        places.add(text.index(BODY))
                assert [lengths[count] for count in sorted(lengths)] == sorted(lengths.values())
                assert lengths[top] > 0
            assert len(places) == 1  # the column does not move


async def test_with_little_room_there_are_no_bars() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        await pilot.press("right")
        panel = app.screen.query_one(PairsPanel)
        texts = ["".join(text for text, _ in panel.row(place).spans) for place in range(5)]
        assert not any(BODY in text for text in texts)
        assert any("next" in text for text in texts)
