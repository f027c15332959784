"""The vocabulary screen of Unigram, driven by keys."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from opening import each_size, opened, step
from textual.pilot import Pilot
from textual.widgets import Input
from unigram_texts import TEXT, settled, text_of

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.unigram.narration import score_text
from bpe_tui.unigram.piece_table import PieceDetailPanel, PieceLanesPanel, PieceRows, PieceUsesPanel
from bpe_tui.unigram.summary_screens import UnigramVocabularyScreen
from bpe_tui.views.targets import ToPiece
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.controls import Switches
from engine.analysis.unigram_inspection import PIECE_FILTERS
from engine.core.events import finished
from engine.unigram.frame import UnigramFrame


@asynccontextmanager
async def vocabulary(
    place: Path, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int], PieceRows]]:
    """The vocabulary screen right before the first prune."""
    corpus = place / "hugs.txt"
    corpus.write_text(TEXT)
    async with opened(corpus, size, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("t", "left", "3")
        await pilot.pause()
        assert isinstance(app.screen, UnigramVocabularyScreen)
        yield app, pilot, app.screen.query_one(PieceRows)


def frame_of(app: BpeTuiApp) -> UnigramFrame:
    frame = app.session.shown
    assert isinstance(frame, UnigramFrame)
    return frame


async def test_the_table_says_when_each_piece_goes(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        frame = frame_of(app)
        assert rows.row_count == frame.size
        while rows.sorting != "goes":
            await pilot.press("c")
        prune = frame.step + 1
        told = text_of(rows, range(rows.row_count))
        assert sum(row.rstrip().endswith(f" {prune}, prune") for row in told) == len(frame.leaving)
        assert told[-1].rstrip().endswith("stays")


@pytest.mark.parametrize(
    ("key", "name"), [("p", "characters"), ("u", "seldom"), ("d", "leaving"), ("w", "twins")]
)
async def test_filters_leave_what_they_keep(tmp_path: Path, key: str, name: str) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        await pilot.press(key)
        await pilot.pause()
        assert app.screen.query_one(Switches).on == {name}
        kept = int(PIECE_FILTERS[name].keeps(frame_of(app)).sum())
        assert rows.row_count == max(kept, 1)
        await pilot.press(key)
        assert rows.row_count == frame_of(app).size


async def test_beside_it_stands_what_would_take_the_place_of_the_piece(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        await pilot.press("d")
        await settled(pilot)
        frame, piece = frame_of(app), rows.token
        assert piece is not None
        told = "\n".join(text_of(app.screen.query_one(PieceDetailPanel)))
        other = frame.alternative(frame.record.texts[piece])
        assert other is not None
        for edge in other.edges:
            assert f"{score_text(edge.score)}\n" in told
        assert f"{score_text(other.score)} together" in told
        assert f"goes at step {frame.step + 1}, prune" in told
        cost = finished(frame.removals()).cost_of(piece, sum(frame.words.values()))
        expected = "no best segmentation" if cost is None else score_text(cost.loss_increase, 6)
        assert expected in told


async def test_what_stands_in_for_it_leads_there_and_escape_comes_back(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        await pilot.press("d")
        before = rows.token
        panel = app.screen.query_one(PieceDetailPanel)
        app.screen.set_focus(panel)
        targets = [panel.row(place).target for place in range(panel.row_count)]
        panel.cursor = next(place for place, to in enumerate(targets) if to is not None)
        target = targets[panel.cursor]
        assert isinstance(target, ToPiece)
        await pilot.press("enter")
        await pilot.pause()
        assert rows.token == target.number
        assert app.screen.query_one(Switches).on == frozenset()  # it had hidden that piece
        await pilot.press("escape")
        await pilot.pause()
        assert rows.token == before


async def test_the_curves_of_a_piece_end_where_it_goes(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        chart = app.screen.query_one("#expected-chart", Chart)
        for key in ("d", "d"):
            await pilot.press(key)
            await pilot.pause()
            frame, piece = frame_of(app), rows.token
            assert piece is not None
            assert chart.figure is not None
            assert chart.at == frame.step
            assert chart.figure.ys.tolist() == frame.history_of(piece).expected_counts.tolist()


async def test_the_words_that_use_it_lead_to_their_lattices(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        await pilot.press("end")
        await settled(pilot)
        panel, frame = app.screen.query_one(PieceUsesPanel), frame_of(app)
        assert rows.token is not None
        piece = frame.record.texts[rows.token]
        using = [word for word in frame.words if piece in frame.segment(word)]
        assert len(text_of(panel)) == len(using)
        app.screen.set_focus(panel)
        await pilot.press("enter")
        assert app.screen.id == "unigram-encoding"
        await pilot.press("escape")
        assert app.screen.id == "unigram-vocabulary"


async def test_the_lanes_align_characters_and_bytes(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, _):
        await pilot.press("slash", "space", *"hug", "enter")
        await pilot.pause()
        characters, data = text_of(app.screen.query_one(PieceLanesPanel))[:2]
        assert data.split()[1:4] == ["E2", "96", "81"]
        assert characters.rindex("h") == data.index("68")


async def test_the_cursor_keeps_to_its_piece_from_step_to_step(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        await pilot.press(*["down"] * 3)
        chosen = rows.token
        await pilot.press("home", "C")
        await pilot.pause()
        assert rows.token == chosen
        await pilot.press("t")
        assert step(app) in frame_of(app).prunes


async def test_a_piece_that_search_and_filters_hide_is_shown_all_the_same(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        await pilot.press("p", "slash", *"zz", "enter")
        await pilot.pause()
        assert "No piece is left" in text_of(rows)[0]
        app.navigation.go_to_target(ToPiece(0))
        await pilot.pause()
        assert rows.token == 0
        assert app.screen.query_one(Input).value == ""


@pytest.mark.slow  # it walks through all screens
async def test_every_panel_can_be_reached_at_every_size(tmp_path: Path) -> None:
    async with vocabulary(tmp_path) as (app, pilot, rows):
        async for _ in each_size(pilot):
            rows.focus()
            for panel in UnigramVocabularyScreen.SLOT:
                await pilot.press("tab")
                await pilot.pause()
                assert app.screen.query_one(f"#{panel}").size.height > 0


async def test_what_removals_cost_at_one_step_gives_way_to_what_they_cost_at_another(
    tmp_path: Path,
) -> None:
    async with vocabulary(tmp_path) as (app, pilot, _):
        for key in ("end", "home", "end"):  # the last time both are known
            await pilot.press(key)
            await settled(pilot)
        assert app.screen.query_one(PieceDetailPanel).removals is not None
