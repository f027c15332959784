"""Without colours the focused panel is the bold one, and the legend has the marks of the screen."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from generated import first_quick
from opening import opened, until
from textual.widget import Widget

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.panels.corpus import ExcerptPanel
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import legend_of
from bpe_tui.shell.exports import screen_text
from bpe_tui.shell.help_window import help_parts
from bpe_tui.shell.panel import needs_marks
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.styles import text_with_edges
from bpe_tui.widgets.controls import FootLine
from bpe_tui.widgets.textual_private import painted_lines


def frames(screen: PanelScreen) -> dict[str, tuple[str, bool]]:
    """Map the panels that have a border of their own to its kind, and whether the title is bold."""
    found = {}
    for name in screen.PANEL_ORDER:
        panel: Widget = screen.query_one(f"#{name}")
        if panel.display and (kind := panel.styles.border_top[0]):
            found[name] = str(kind), bool(panel.styles.border_title_style.bold)
    return found


@pytest.mark.slow
async def test_only_the_focused_panel_is_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    looked_at = set()
    async with opened(vocab_size=300) as (app, pilot):
        for key in "12346789":
            await pilot.press(key)
            screen = app.screen
            assert isinstance(screen, PanelScreen)
            for _ in range(3):
                await pilot.press("tab")
                here = screen.panels.focused()
                for name, look in frames(screen).items():
                    assert look == (("heavy", True) if name == here else ("round", False)), name
                    looked_at.add((key, name, name == here))
    assert len([each for each in looked_at if each[2]]) >= 15


async def test_the_legend_marks_the_new_token_as_the_corpus_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened() as (app, pilot):
        await pilot.press("right")
        corpus = app.screen.query_one(ExcerptPanel)
        [fresh, *_] = (
            text
            for index in range(corpus.row_count)
            for text, role in corpus.row(index).spans
            if role == "fresh"
        )
        assert (fresh[0], fresh[-1]) == ("«", "»")
        assert "«ab» just merged" in app.screen.query_one(FootLine).render_line(0).text


def test_a_terminal_of_few_colours_needs_marks_but_no_picture_does() -> None:
    for colours, no_color, is_headless, needs in (
        ("truecolor", False, False, False),
        ("256", False, False, False),
        ("standard", False, False, True),
        (None, False, False, True),
        (None, False, True, False),
        ("truecolor", True, True, True),
    ):
        app: Any = SimpleNamespace(console=SimpleNamespace(color_system=colours))
        app.no_color, app.is_headless, app.shows_edges = no_color, is_headless, False
        assert needs_marks(app) == needs


def bare_edges(app: BpeTuiApp) -> list[str]:
    """Return the rows in which two chips meet without a sign between them."""
    lines = painted_lines(app.screen)
    return [line.text for line in lines if line.text != text_with_edges(app, line)]


@pytest.mark.parametrize("model", first_quick(list(MODELS)))
async def test_a_key_puts_edges_between_tokens_on_every_screen(model: str) -> None:
    async with opened(model=model) as (app, pilot):
        app.session.type("lowest newcomer")
        bare = 0
        for key in "01235":
            await pilot.press(key, *["right"] * (key < "2"))
            await pilot.pause()
            bare += len(bare_edges(app))
            await pilot.press("b")
            await until(pilot, lambda: not bare_edges(app), 5)
            await pilot.press("b")
        assert bare
        await pilot.press("b", "0", "1")  # a screen that was hidden meanwhile
        await until(pilot, lambda: not bare_edges(app) and "┊" in screen_text(app.screen))


def test_with_colours_the_legend_has_no_marks_for_them() -> None:
    assert "«" not in str(legend_of("training"))
    assert "«ab»" in [line.name[0][0] for line in help_parts("training", marks=True)["signs"]]
