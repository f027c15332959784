"""The charts of a Unigram training, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened
from screen_text import drawn

from bpe_tui.views.charts import ChartPanel


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
