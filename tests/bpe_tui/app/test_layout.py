"""The layout: at each size the important panels are visible, and no box is empty."""

from __future__ import annotations

from pathlib import Path

import pytest
from generated import first_quick
from opening import each_size, opened, until
from textual.containers import Vertical
from textual.widgets import Input, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.models import MODELS
from bpe_tui.views.panel import FramePanel
from bpe_tui.views.player_screen import StepsScreen
from bpe_tui.views.session_screen import SessionScreen
from bpe_tui.views.training_panels import TypedTextPanel
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.rows import spans_width

TEXT = "The old goat's kite, 1234567 times!"


def is_seen(app: BpeTuiApp, selector: str) -> bool:
    return bool(app.screen.query_one(selector).region.height)


@pytest.mark.parametrize("model", first_quick(["bpe", "wordpiece"]))
async def test_the_smallest_screen_shows_tokens_and_the_field_of_ids_while_typing(
    model: str,
) -> None:
    async with opened(model=model, size=(60, 20), vocab_size=300) as (app, pilot):
        app.navigation.open_encoding(TEXT)
        await pilot.pause()
        assert app.screen.query_one(TypedTextPanel).size.height == 2  # tokens over their ids
        assert is_seen(app, "#pretokens")
        assert not is_seen(app, "#decode")
        app.screen.show_panel("decode")  # type: ignore[attr-defined]
        await pilot.pause()
        assert is_seen(app, "#decode")
        assert isinstance(app.focused, Input)
        await pilot.press("tab")
        await pilot.pause()
        assert not is_seen(app, "#decode")
        assert is_seen(app, "#ids")


@pytest.mark.parametrize("model", first_quick(["bpe", "wordpiece"]))
async def test_text_and_tokens_have_the_lines_that_they_need(model: str) -> None:
    async with opened(model=model, size=(120, 30), vocab_size=300) as (app, pilot):
        app.navigation.open_encoding("The old goat")
        await pilot.pause()
        area, tokens = app.screen.query_one(TextArea), app.screen.query_one(TypedTextPanel)
        assert (area.size.height, tokens.size.height) == (1, 2)
        area.load_text("one two three\n" * 3)
        await pilot.pause()
        assert area.size.height == 3
        area.load_text("many words in a row " * 60)
        await pilot.pause()
        await pilot.pause()
        assert 3 <= area.size.height <= 4
        assert 4 <= tokens.size.height <= 6
        assert app.screen.query_one("#panels").size.height >= 10


@pytest.mark.parametrize("model", first_quick(["bpe", "wordpiece"]))
async def test_tokens_or_lanes_are_shown_and_fill_the_screen_in_a_zoom(model: str) -> None:
    async with opened(model=model, size=(120, 40), vocab_size=300) as (app, pilot):
        app.navigation.open_encoding(TEXT)
        await pilot.pause()
        await pilot.press("escape")
        for lanes_are_seen in (True, False):
            await pilot.press("a")
            await pilot.pause()
            assert is_seen(app, "#lanes") == lanes_are_seen
            assert is_seen(app, "#tokens-and-ids") != lanes_are_seen
        app.screen.show_panel("ids")  # type: ignore[attr-defined]
        await pilot.press("z")
        await pilot.pause()
        assert app.screen.query_one("#ids", Vertical).size.height > 30
        assert app.screen.query_one("#tokens-and-ids").size.height > 6


@pytest.mark.slow  # a walk over all screens, panels and sizes
@pytest.mark.parametrize("key", "12345")
@pytest.mark.parametrize("model", MODELS)
async def test_every_panel_of_a_model_can_be_shown_at_any_size(model: str, key: str) -> None:
    async with opened(model=model, vocab_size=300) as (app, pilot):
        app.session.type(TEXT)
        await pilot.press("right", key)
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        async for size in each_size(pilot):
            for panel in screen.PANEL_ORDER:
                screen.show_panel(panel)
                await pilot.pause()
                assert screen.panels.focused() == panel, size
                assert is_seen(app, f"#{panel}"), (panel, size)
            for rows in screen.query(FramePanel):
                shown = [spans_width(rows.row(at).spans) for at in range(min(rows.row_count, 20))]
                room = rows.scrollable_content_region.width - rows.BESIDE_BAR
                assert not rows.region or max(shown, default=0) <= room, (rows, size)


@pytest.mark.slow  # a walk over all panels and sizes
@pytest.mark.parametrize("model", MODELS)
async def test_from_a_hundred_columns_on_the_training_screen_has_all_panels(model: str) -> None:
    async with opened(model=model, size=(100, 30), vocab_size=300) as (app, pilot):
        await pilot.press("right")
        screen = app.screen
        assert isinstance(screen, StepsScreen)
        for size in ((100, 30), (120, 40), (160, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for panel in screen.PANELS:
                # One that shares the place of another is seen when it is asked for.
                places = {panel.ID, getattr(panel, "IN_PLACE_OF", panel.ID)}
                if len(places) > 1:
                    screen.show_panel(panel.ID)
                    await pilot.pause()
                assert screen.query_one(f"#{panel.ID}").region.height >= 6, (panel, size)
                for place in places - {panel.ID}:
                    screen.show_panel(place)


async def test_the_corpus_panel_names_its_visible_lines(tmp_path: Path) -> None:
    for text, said in (("a hen", "line 1 of 1"), ("a hen\na hat\n", "lines 1–2 of 2")):
        corpus = tmp_path / "corpus.txt"
        corpus.write_text(text)
        async with opened(corpus, vocab_size=260) as (app, _):
            assert str(app.screen.query_one("#corpus").border_subtitle) == said


@pytest.mark.slow
async def test_a_small_screen_shows_all_lanes_of_a_text() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        await pilot.press("2", "a")
        lanes = app.screen.query_one("#ids LanesPanel", Lines)
        await until(pilot, lambda: lanes.size.height >= 5)
        assert lanes.render_line(4).text.startswith("ids")
