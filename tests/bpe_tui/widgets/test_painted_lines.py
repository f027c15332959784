"""Lines painted at less cost look as Textual paints them."""

from __future__ import annotations

import pytest
from generated import first_quick
from opening import opened
from textual._styles_cache import StylesCache
from textual.color import Color
from textual.geometry import Region
from textual.renderables.background_screen import BackgroundScreen
from textual.widget import Widget

from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.painted_lines import PaintedLines
from bpe_tui.widgets.window import Tinted


def lines_of(widget: Widget, cache: StylesCache) -> list[str]:
    """Return the lines of a widget with their styles, painted again through a cache."""
    widget._styles_cache = cache
    strips = Widget.render_lines(widget, Region(0, 0, *widget.outer_size))
    return [strip.render(widget.app.console) for strip in strips]


@pytest.mark.usefixtures("painted_at_each_wait")
@pytest.mark.parametrize("without_colours", first_quick([False, True]))
async def test_lines_are_those_that_textual_paints(
    monkeypatch: pytest.MonkeyPatch, without_colours: bool
) -> None:
    if without_colours:
        monkeypatch.setenv("NO_COLOR", "1")
    async with opened(vocab_size=300) as (app, pilot):
        seen = 0
        for keys in ("l", "L", "escape 3", "2", "question_mark"):
            await pilot.press(*keys.split())
            await pilot.pause()
            bars = [each.vertical_scrollbar for each in app.screen.query(Lines)]
            for widget in (*app.screen.query(Widget), *bars):
                if widget.outer_size:
                    assert lines_of(widget, PaintedLines()) == lines_of(widget, StylesCache())
                    seen += 1
        assert seen > 50


async def test_a_screen_is_blank_under_its_widgets() -> None:
    async with opened(vocab_size=300) as (app, _):
        whole = Region(0, 0, *app.size)
        painted = app.screen.render_lines(whole), Widget.render_lines(app.screen, whole)
        ours, textuals = (
            [(line.text, {part.style and part.style.bgcolor for part in line}) for line in lines]
            for lines in painted
        )
        assert ours == textuals


@pytest.mark.usefixtures("painted_at_each_wait")
async def test_no_style_has_a_colour_of_the_terminal_or_is_dim() -> None:
    """Textual would translate such a style at each painting; the application leaves that out."""
    async with opened(vocab_size=300) as (app, pilot):
        for keys in ("l", "ctrl+p", "escape x", "escape 4", "0"):
            await pilot.press(*keys.split())
            await pilot.pause()
            for line in app.screen._compositor.render_strips():
                for style in filter(None, (segment.style for segment in line)):
                    colours = filter(None, (style.color, style.bgcolor))
                    assert all(each.triplet for each in colours), style
                    assert not style.dim, style


async def test_a_window_has_the_present_lines_behind_it_also_the_second_time() -> None:
    async with opened(vocab_size=300) as (app, pilot):
        below = app.screen
        for _ in range(2):
            await pilot.press("l")
            await pilot.pause()
            behind = Tinted(BackgroundScreen(below, Color(0, 0, 0, 0.5)))
            lines = below._compositor.render_strips()
            tinted = behind.render_strips(*below.size, None, None)
            assert [line.text for line in tinted] == [line.text for line in lines]
