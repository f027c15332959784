"""The charts of a Unigram training, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened, step, until
from screen_text import drawn
from unigram_texts import TEXT

from bpe_tui.unigram.summary_screens import CHARTS, UnigramChartsScreen
from bpe_tui.views.charts import ChartKind, ChartPanel
from bpe_tui.views.wording import Wording
from engine.unigram.frame import UnigramFrame


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "hugs.txt"
    place.write_text(TEXT)
    return place


async def test_a_key_shows_all_charts_and_what_each_says_here(corpus: Path) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("4", "n")
        await until(pilot, lambda: isinstance(app.screen, UnigramChartsScreen))
        await until(pilot, lambda: app.session.shown and app.session.shown.step)
        frame = app.session.shown
        assert isinstance(frame, UnigramFrame)
        assert frame.step == frame.prunes[0]
        charts = {chart.id: chart for chart in app.screen.query(ChartPanel)}

        def says_its_answer(kind: ChartKind) -> bool:
            said = str(charts[kind.id].border_subtitle)
            # Where there is little room, the end of an answer gives way.
            return bool(said) and kind.answer(frame, Wording()).startswith(said)

        # The panels get their sizes, and with them what they show, after the screen is there.
        await until(pilot, lambda: all(map(says_its_answer, CHARTS)))
        await until(pilot, lambda: all("┤" in drawn(chart) for chart in charts.values()))
        assert f"loss {frame.loss:.3f} nats" in str(
            app.screen.query_one("#transport-facts").render()
        )


@pytest.mark.slow
async def test_a_click_goes_to_the_step_and_escape_back_to_the_step_before(corpus: Path) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        chart = app.screen.query_one("#size", ChartPanel)
        await pilot.click(chart, offset=(chart.outer_size.width - 2, 5))
        assert step(app) == len(app.session.recording or ())
        await pilot.press("escape")
        assert (app.screen.id, step(app)) == ("unigram-charts", 0)


@pytest.mark.slow
async def test_a_corpus_without_pretokens_has_empty_charts_and_lists(tmp_path: Path) -> None:
    corpus = tmp_path / "special.txt"
    corpus.write_text("<|endoftext|>")
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("4")
        await pilot.pause()
        assert "No step is recorded" in drawn(app.screen.query_one("#loss", ChartPanel))
        assert "no pretokens" in drawn(app.screen.query_one("#zipf", ChartPanel))
        for key, screen in (("3", "unigram-vocabulary"), ("5", "unigram-inspection")):
            await pilot.press(key)
            await pilot.pause()
            assert app.screen.id == screen
