"""Causes of slow keys: new styles for all widgets, and painting before the layout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from generated import first_quick
from opening import opened
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from bpe_tui.app.session_app import SCREENS
from bpe_tui.bpe.summary_screens import SaveTokenizer
from bpe_tui.bpe.training_screen import TrainingScreen
from bpe_tui.session.models import MODELS, kind_and_model


async def test_a_panel_that_has_its_place_already_costs_no_new_styles(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (app, pilot):
        await pilot.press("right", "v")
        worked_out = []
        update = TrainingScreen.update_node_styles
        monkeypatch.setattr(
            TrainingScreen,
            "update_node_styles",
            lambda screen: (worked_out.append(1), update(screen)),
        )
        await pilot.press("v", "v", "v")
        assert not worked_out
        await pilot.press("m")
        assert not worked_out  # only the two panels that change places are styled anew
        assert app.screen.query_one("#merges").has_class("-in-slot")
        assert not app.screen.query_one("#pairs").has_class("-in-slot")


async def test_a_screen_keeps_its_styles_while_it_is_hidden(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened() as (app, pilot):
        await pilot.press("2", "1")
        styled = []
        update = Stylesheet.update_nodes

        def count(sheet: Stylesheet, nodes: Iterable[DOMNode], animate: bool = False) -> None:
            styled.append(nodes := list(nodes))
            update(sheet, nodes, animate)

        monkeypatch.setattr(Stylesheet, "update_nodes", count)
        await pilot.press("2")
        assert app.screen.id == "encoding"
        assert max(map(len, styled), default=0) <= 1  # what has the focus, or has lost it
        dark = app.get_screen("training").styles.background
        await pilot.press("ctrl+t", "1")
        assert app.screen.styles.background != dark  # but not those of another theme


def computed(widgets: Iterable[Widget]) -> list[RulesMap]:
    return [widget.styles.base.get_rules() for widget in widgets]


@pytest.mark.parametrize(
    ("model", "names"),
    first_quick(
        [("bpe", ["training", "inspection", "lesson"]), *((each, SCREENS) for each in MODELS)]
    ),
)
async def test_a_new_screen_has_the_styles_that_all_rules_give(
    model: str, names: Iterable[str]
) -> None:
    async with opened(vocab_size=300, size=(80, 24), model=model) as (app, pilot):
        for name in names:
            if kind_and_model(name)[1] in (None, app.session.model):
                app.switch_screen(name)
                await pilot.pause()
                widgets = list(app.screen.walk_children(with_self=True))
                styles = computed(widgets)
                app.stylesheet.update_nodes(widgets)
                assert computed(widgets) == styles, name


@pytest.mark.slow  # the styles of three screens, after each of 15 keys
async def test_a_changed_class_gives_the_styles_that_all_rules_give() -> None:
    async with opened() as (app, pilot):
        await pilot.press("2")
        keys = ("t", "c", "z", "z", "a", "e", "escape", "3", "z", "z", "4", "5", "1", "z", "z")
        for key in (None, *keys):
            await pilot.press(*filter(None, [key]))
            await pilot.pause()
            widgets = list(app.screen.walk_children(with_self=True))
            styles = computed(widgets)
            app.stylesheet.update_nodes(widgets)
            assert computed(widgets) == styles, key


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
