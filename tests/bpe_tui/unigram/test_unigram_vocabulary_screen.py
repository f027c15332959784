"""The vocabulary and the charts of Unigram, driven by keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from edges import text_of
from opening import opened, step, until
from screen_text import drawn
from textual.pilot import Pilot
from unigram_texts import corpus as corpus
from unigram_texts import frame_of, settled

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.panels.charts import ChartPanel
from bpe_tui.shell.targets import ToPiece
from bpe_tui.unigram.piece_table import PieceDetailPanel, PieceRows
from bpe_tui.unigram.summary_screens import UnigramVocabularyScreen
from bpe_tui.widgets.controls import Switches
from engine.analysis.inspection import PIECE_FILTERS
from engine.core.events import finished


@asynccontextmanager
async def vocabulary(corpus: Path) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int], PieceRows]]:
    """Open the vocabulary screen before the first prune."""
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("n", "left", "3")
        assert isinstance(app.screen, UnigramVocabularyScreen)
        yield app, pilot, app.screen.query_one(PieceRows)


async def test_the_table_shows_the_step_that_removes_each_piece_and_at_the_last_that_none_goes(
    corpus: Path,
) -> None:
    async with vocabulary(corpus) as (app, pilot, rows):
        frame = frame_of(app)
        assert rows.row_count == frame.size
        first = rows.token
        await pilot.press("enter")
        assert app.screen.id == "unigram-encoding"
        await pilot.press("backspace", "C")
        assert rows.token == first
        while rows.sorting != "goes at step":
            await pilot.press("c")
        prune = frame.step + 1
        text_shown = text_of(rows)
        assert sum(row.rstrip().endswith(f" {prune}, prune") for row in text_shown) == len(
            frame.leaving
        )
        assert text_shown[-1].rstrip().endswith("stays")
        await pilot.press("greater_than_sign", "F", "d")
        assert text_of(rows) == [f"None goes next: step {step(app)} is the last."]
        assert rows.why_none(frame) == "No piece is left: change the search or the filters."
        detail = app.screen.query_one(PieceDetailPanel)
        await until(pilot, lambda: str(detail.border_title) == "piece")


async def test_filters_keep_the_matching_pieces(corpus: Path) -> None:
    async with vocabulary(corpus) as (app, pilot, rows):
        for key, name in (("p", "characters"), ("u", "seldom"), ("d", "leaving")):
            await pilot.press("F", key)
            assert app.screen.query_one(Switches).on == {name}
            kept = int(PIECE_FILTERS[name](frame_of(app)).sum())
            assert rows.row_count == max(kept, 1)
            await pilot.press("F", key)
            assert rows.row_count == frame_of(app).size


@pytest.mark.slow
async def test_enter_on_a_part_of_the_replacement_goes_there_and_back(corpus: Path) -> None:
    async with vocabulary(corpus) as (app, pilot, rows):
        await pilot.press("F", "d")
        await settled(pilot)
        await pilot.press("F", "d")
        await pilot.press("F", "d")
        before = rows.token
        panel = app.screen.query_one(PieceDetailPanel)
        app.screen.set_focus(panel)
        targets = [panel.row(place).target for place in range(panel.row_count)]
        panel.cursor = next(place for place, to in enumerate(targets) if to is not None)
        target = targets[panel.cursor]
        assert isinstance(target, ToPiece)
        await pilot.press("enter")
        assert rows.token == target.number
        assert app.screen.query_one(Switches).on == frozenset()  # it had hidden that piece
        await pilot.press("backspace")
        assert rows.token == before


@pytest.mark.slow
async def test_a_corpus_without_pretokens_has_empty_charts_and_lists(tmp_path: Path) -> None:
    corpus = tmp_path / "special.txt"
    corpus.write_text("<|endoftext|>")
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("4")
        assert "No step is recorded" in drawn(app.screen.query_one("#loss", ChartPanel))
        assert "no pretokens" in drawn(app.screen.query_one("#zipf", ChartPanel))
        for key, screen in (("3", "unigram-vocabulary"), ("5", "unigram-inspection")):
            await pilot.press(key)
            assert app.screen.id == screen


@pytest.mark.slow
async def test_the_costs_of_removals_change_with_the_step(corpus: Path) -> None:
    async with vocabulary(corpus) as (app, pilot, _):
        last, first = "greater_than_sign", "less_than_sign"
        costs = []
        for key in (last, first, last):  # the last time both are known
            await pilot.press(key)
            await settled(pilot)
            found = frame_of(app).known_removals
            assert found is not None
            costs.append(found.loss_increases.tolist())
            assert costs[-1] == finished(frame_of(app).removals()).loss_increases.tolist()
        assert costs[0] == costs[2] != costs[1]
