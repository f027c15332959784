"""Pictures of screens, and the lines around their panels, as they are kept."""

from collections.abc import Iterable, Iterator
from html import escape
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from threading import active_count
from typing import Any

import pytest
from generated import first_quick
from kept import check_kept, is_drawing
from opening import SAMPLE, opened, opened_as, until
from rich.segment import Segment
from rich.style import Style
from sheets import check_sheet
from story import BORDER, cut, has_border
from textual.geometry import Region
from textual.pilot import Pilot
from textual.screen import Screen
from textual.strip import Strip
from unigram_texts import settled

from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.controls import FooterKey, FootLine, KeyBar, TabLine
from bpe_tui.widgets.rows import Span
from bpe_tui.widgets.textual_private import painted_lines

PICTURES = Path(__file__).parent / "snapshots"
DRAWN_WITH = PICTURES / "drawn-with.txt"
"""The versions of the libraries that drew the pictures; others may mix colours in another way."""
VERSIONS = "\n".join(f"{name} {version(name)}" for name in ("textual", "rich")) + "\n"

SCREENS = {"explain": "0", "training": "1", "encoding": "2", "vocabulary": "3", "charts": "4"}
STEP = 12
WIDTH, HEIGHT, LINE = 80, 24, 1.25
"""The screen in cells, and the height of a row in the font's own."""
LOOKS = {
    "bold": "font-weight:bold",
    "italic": "font-style:italic",
    "underline": "text-decoration:underline",
    "strike": "text-decoration:line-through",
}


class Picture:
    """An SVG of the rows of a screen."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def of(self, rows: list[Strip]) -> str:
        """Return the picture, which any browser shows."""
        drawn = [line for at, row in enumerate(rows) for line in self._row(row, at)]
        styles = [f".{name}{{{css}}}" for css, name in self._names.items()]
        size = f'width="{WIDTH}ch" height="{(HEIGHT + 1) * LINE}em"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size}>',
                "<style>svg{font-family:monospace}text{white-space:pre}",
                *styles,
                "</style>",
                *drawn,
                "</svg>\n",
            ]
        )

    def _row(self, row: Strip, at: int) -> list[str]:
        """Return the backgrounds of a row in one line, and its text in another."""
        x, grounds, text = 0, "", ""
        for ground, parts in groupby(row, lambda part: css_of(part)[1]):
            width = sum(part.cell_length for part in parts)
            where = f'x="{x}ch" y="{at * LINE}em" width="{width}ch" height="{LINE}em"'
            grounds += f'<rect class="{self._name(ground)}" {where}/>'
            x += width
        for css, parts in groupby(row, lambda part: css_of(part)[0] if part.text.strip() else ""):
            said = escape("".join(part.text for part in parts), quote=False)
            text += f'<tspan class="{self._name(css)}">{said}</tspan>' if css else said
        return [grounds, f'<text y="{(at + 1) * LINE}em">{text}</text>']

    def _name(self, css: str) -> str:
        return self._names.setdefault(css, f"s{len(self._names)}")


def css_of(part: Segment) -> tuple[str, str]:
    """Return the style of a text, and that of its background."""
    style = part.style or Style()
    colours = style.color, style.bgcolor
    front, back = (each.get_truecolor().hex if each else "none" for each in colours)
    if style.reverse:
        front, back = back, front
    looks = [css for name, css in LOOKS.items() if getattr(style, name)]
    return ";".join([f"fill:{front}", *looks]), f"fill:{back}"


async def still_picture(pilot: Pilot[int]) -> str:
    """Return the picture of the screen once nothing moves."""
    await settled(pilot)
    shown = ""
    while shown != (now := Picture().of(painted_lines(pilot.app.screen))):
        shown = now
        await pilot.pause(0.2)
    return shown


@pytest.mark.parametrize("screen", SCREENS)
async def test_the_screen_looks_as_in_its_picture(screen: str) -> None:
    if not is_drawing() and DRAWN_WITH.read_text("utf-8") != VERSIONS:
        pytest.skip("the pictures were drawn with other versions of Textual or Rich")
    async with opened(size=(WIDTH, HEIGHT)) as (app, pilot):
        app.seek(STEP)
        await pilot.press(SCREENS[screen])
        app.clear_notices()
        now = await still_picture(pilot)
    if is_drawing():
        DRAWN_WITH.write_text(VERSIONS, "utf-8")
    check_kept(PICTURES / f"{screen}.svg", now)


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
            await until(pilot, lambda: active_count() == 1)  # the race has ended
            await settled(pilot)
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
