"""How screens are painted: a window once, after its layout; all in colours of their own."""

from __future__ import annotations

from typing import Any

import pytest
from opening import opened
from textual._compositor import Compositor
from textual.css.styles import RulesMap
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget

from bpe_tui.bpe.summary_screens import SaveTokenizer
from bpe_tui.bpe.training_screen import TrainingScreen
from bpe_tui.widgets.textual_private import PaintedOnce, painted_lines


async def test_a_window_is_painted_after_its_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("textual.screen.UPDATE_PERIOD", 1 / 60)  # as users have it
    async with opened() as (app, pilot):
        needed_layout = []
        paint = Screen._compositor_refresh

        def note_and_paint(screen: Screen[Any]) -> None:
            if isinstance(screen, SaveTokenizer):
                needed_layout.append(screen._layout_required)
            paint(screen)

        monkeypatch.setattr(Screen, "_compositor_refresh", note_and_paint)
        await pilot.press("s")
        await pilot.pause(0.1)
        assert isinstance(app.screen, SaveTokenizer)
        # By itself Textual paints it before each of its layouts too.
        assert needed_layout
        assert not any(needed_layout)


async def test_only_a_screen_that_is_new_or_has_another_size_is_laid_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (app, pilot):
        laid_out: set[type[Widget]] = set()
        reflow = Compositor.reflow

        def note_and_reflow(compositor: Compositor, parent: Widget, size: Size) -> object:
            if isinstance(parent, PaintedOnce):
                laid_out.add(type(parent))
            return reflow(compositor, parent, size)

        monkeypatch.setattr(Compositor, "reflow", note_and_reflow)
        window, both = {SaveTokenizer}, {TrainingScreen, SaveTokenizer}
        for key, expected in (("s", window), ("escape", set()), ("s", window), ("size", both)):
            laid_out.clear()
            await (pilot.resize_terminal(90, 30) if key == "size" else pilot.press(key))
            await pilot.pause()
            assert (key, laid_out) == (key, expected)
        assert app.screen_stack[-2].outer_size == (90, 30)


@pytest.mark.usefixtures("painted_at_each_wait")
async def test_no_style_has_a_colour_of_the_terminal_or_is_dim() -> None:
    """Textual would translate such a style at each painting; the application leaves that out."""
    async with opened(vocab_size=300) as (app, pilot):
        for keys in ("l", "ctrl+p", "escape x", "escape 4", "0"):
            await pilot.press(*keys.split())
            await pilot.pause()
            for line in painted_lines(app.screen):
                for style in filter(None, (segment.style for segment in line)):
                    colours = filter(None, (style.color, style.bgcolor))
                    assert all(each.triplet for each in colours), style
                    assert not style.dim, style


@pytest.mark.slow  # the styles of three screens, after each of 15 keys
async def test_a_changed_class_gives_the_styles_that_all_rules_give() -> None:
    def computed(widgets: list[Widget]) -> list[RulesMap]:
        return [widget.styles.base.get_rules() for widget in widgets]

    async with opened() as (app, pilot):
        await pilot.press("2")
        keys = ("t", "c", "z", "z", "a", "e", "escape", "3", "z", "z", "4", "5", "1", "z", "z")
        for key in (None, *keys):
            await pilot.press(*filter(None, [key]))
            await pilot.pause()
            widgets = list(app.screen.walk_children(Widget, with_self=True))
            styles = computed(widgets)
            app.stylesheet.update_nodes(widgets)
            assert computed(widgets) == styles, key
