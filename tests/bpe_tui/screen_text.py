"""The texts of screens: of panels, of charts, of all that is painted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import regex
from opening import opened, until
from textual.app import App
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.encoding_screen import EncodingScreen
from bpe_tui.panels.inspection_screen import InspectionPanel
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.lines import Lines


@asynccontextmanager
async def encoding(
    text: str, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[BpeTuiApp, EncodingScreen, Pilot[int]]]:
    """Open the encoding screen at the last step, with a text and the focus on its pretokens."""
    async with opened(size=size) as (app, pilot):
        app.action_end(True)
        app.navigation.open_encoding(text, look=True)
        await until(pilot, lambda: isinstance(app.screen, EncodingScreen))
        await pilot.pause()
        assert isinstance(app.screen, EncodingScreen)
        yield app, app.screen, pilot


def row_text(panel: Lines, place: int) -> str:
    return "".join(text for text, _ in panel.row(place).spans)


def row_texts(panel: Lines) -> list[str]:
    return [row_text(panel, place) for place in range(panel.row_count)]


def shown(panel: Lines) -> str:
    """Return the rows as text."""
    return "\n".join(row_texts(panel))


def unwrapped(panel: Lines) -> str:
    """Return the text of a panel as if no line were wrapped."""
    return " ".join(" ".join(row_texts(panel)).split())


def shown_text(app: BpeTuiApp, panel: str) -> list[str]:
    rows = app.screen.query_one(f"#{panel}", InspectionPanel)
    return [" ".join(text.split()) for text in row_texts(rows)]


def drawn(chart: Chart) -> str:
    """Return the text of the chart, without its roles."""
    lines = (chart.line(y) for y in range(chart.size.height))
    return "\n".join("".join(text for text, _ in spans) for spans in lines)


RAW = regex.compile(r"[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]")


def raw_on_screen(app: App[int]) -> set[str]:
    """Return the characters on the screen that a terminal would obey, hide or reorder."""
    strips = app.screen._compositor.render_strips()
    return {found for strip in strips for found in RAW.findall(strip.text)}
