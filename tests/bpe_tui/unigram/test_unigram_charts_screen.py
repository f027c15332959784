"""The charts of a Unigram training, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened, step
from screen_text import drawn
from unigram_texts import TEXT

from bpe_tui.views.charts import ChartPanel


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "hugs.txt"
    place.write_text(TEXT)
    return place


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
