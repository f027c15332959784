"""The lines around panels: tabs and legend of each screen; keys and lower border of each panel.

They are in no story, so a word of them that changes is one line here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from generated import first_quick
from opening import SAMPLE, opened_as
from sheets import check_sheet
from story import BORDER, cut, has_border
from textual.geometry import Region
from textual.screen import Screen

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.controls import FooterKey, FootLine, KeyBar, TabLine
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.textual_private import painted_lines

SHEETS = Path(__file__).parents[1] / "sheets" / "around"
MOST_PANELS = 9
MODELS: dict[str, dict[str, Any]] = {
    "bpe": {"pattern": "whitespace", "vocab_size": 1000},
    "wordpiece": {"model": "wordpiece", "vocab_size": 40},
    "unigram": {"model": "unigram", "vocab_size": 16},
}


def words_of(spans: Iterable[Span]) -> str:
    return " ".join("".join(text for text, _ in spans).split())


def keys_of(keys: Iterable[FooterKey]) -> str:
    return "".join(text for key in keys for text, _ in key.spans).strip()


def lower_border(screen: Screen[object]) -> str:
    """Return what the lower border of the panel with the focus says."""
    panel = screen.focused
    while panel is not None and not has_border(panel):
        panel = panel.parent  # type: ignore[assignment]
    if panel is None:
        return ""
    at = panel.region
    edge = cut(painted_lines(screen), Region(at.x, at.bottom - 1, at.width, 1))
    return "".join(line.text.strip(BORDER) for line in edge)


def lines_of(screen: Screen[object]) -> Iterator[str]:
    """Yield the tabs and the legend of a screen."""
    tabs = screen.query_one(TabLine).tabs
    yield f"tabs: {'  '.join(f'{tab.key} {tab.name}' for tab in tabs)}"
    yield f"{screen.id} legend: {'  '.join(map(words_of, screen.query_one(FootLine).legend))}"


@pytest.mark.parametrize("model", first_quick(MODELS))
async def test_the_lines_around_panels_are_those_kept(model: str) -> None:
    config = RunConfig(str(SAMPLE.with_name("handout.txt")), **MODELS[model])
    told = list[str]()
    async with opened_as(config) as (app, pilot):
        app.clear_notices()
        await pilot.press("right", "right")
        for tab in "0123456789" if model == "bpe" else "0123":
            await pilot.press(tab)
            screen, seen = app.screen, set[object]()
            told += lines_of(screen)
            for _ in range(MOST_PANELS):
                focused = screen.focused and screen.focused.id
                if focused in seen:
                    break
                seen.add(focused)
                bar = screen.query_one(KeyBar)
                told.append(f"second line: {keys_of(bar.more)}")
                says = keys_of(bar.keys), lower_border(screen)
                told.append(f"  {focused}: {' ── '.join(filter(None, says))}")
                await pilot.press("tab")
            if screen.focused is not None:
                await pilot.press("escape")
    check_sheet(model, dict.fromkeys(told), SHEETS)
