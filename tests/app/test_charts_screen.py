"""The charts screen: the curves of the run under the timeline's cursor."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from opening import opened, step

from bpe_tui.bpe.screens.charts import CHARTS
from bpe_tui.views.charts import ChartPanel, ChartsScreen
from engine import Timeline, Trainer
from engine.bpe.replay import Replay


def drawn(panel: ChartPanel) -> str:
    """What the chart shows, without its roles."""
    lines = (panel.line(y) for y in range(panel.size.height))
    return "\n".join("".join(text for text, _ in spans) for spans in lines)


async def test_a_key_shows_all_charts_and_what_each_says_here() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        assert isinstance(app.screen, ChartsScreen)
        app.seek(443)
        said = {panel.id: str(panel.border_subtitle) for panel in app.screen.query(ChartPanel)}
        frame = app.session.frame
        assert frame is not None
        assert said == {kind.id: kind.answer(frame) for kind in CHARTS}
        assert said["compression"].startswith(f"{frame.bytes_per_token:.2f} bytes per token")
        assert "1,000 ┤" in drawn(app.screen.query_one("#counts", ChartPanel))


async def test_the_cursor_of_a_chart_is_that_of_the_timeline() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4", "right")
        chart = app.screen.query_one("#compression", ChartPanel)
        assert chart.at == step(app) == 1
        before = drawn(chart).splitlines()[-2].index("▲")
        await pilot.press("end")
        await pilot.pause()
        assert drawn(chart).splitlines()[-2].index("▲") > before


async def test_a_click_on_a_chart_over_steps_goes_to_that_step() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        chart = app.screen.query_one("#ties", ChartPanel)
        await pilot.click(chart, offset=(chart.outer_size.width - 2, 5))
        assert step(app) == 443
        await pilot.click("#zipf", offset=(12, 5))
        assert step(app) == 443


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_where_room_is_short_tab_leads_from_chart_to_chart(size: tuple[int, int]) -> None:
    async with opened(size=size) as (app, pilot):
        await pilot.press("4")
        for kind in [*CHARTS[1:], CHARTS[0]]:
            await pilot.press("tab")
            await pilot.pause()
            seen = [panel.kind for panel in app.screen.query(ChartPanel) if panel.region.area]
            assert seen == [kind]
            assert "┤" in drawn(app.screen.query_one(f"#{kind.id}", ChartPanel))


async def test_escape_leads_back_to_the_training_screen() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4", "z", "escape")
        assert isinstance(app.screen, ChartsScreen)
        await pilot.press("escape")
        assert app.screen.id == "training"


async def test_without_a_merge_the_charts_say_so(tmp_path: Path) -> None:
    corpus = tmp_path / "one.txt"
    corpus.write_text("a")
    async with opened(corpus) as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        assert "No merge is recorded" in drawn(app.screen.query_one("#ties", ChartPanel))
        assert "┤" in drawn(app.screen.query_one("#lengths", ChartPanel))


def test_a_chart_that_counts_draws_nothing_without_a_corpus() -> None:
    counts = {b"low": 5, b"lower": 2}
    counted = Timeline(counts, Trainer(counts, 258).steps()).frame
    assert all(kind.figure(counted) is not None for kind in CHARTS)
    tokenizer = counted.at(2).tokenizer()
    replay = Replay(tokenizer, Counter())
    replay.timeline.extend(replay.steps())
    drawn = [kind.id for kind in CHARTS if kind.figure(replay.timeline.frame) is not None]
    assert drawn == ["lengths"]
