"""Widgets without a session: the rows that they draw, and what a click or a drag asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from bpe_tui.styles import DARK
from bpe_tui.widgets.chart import Chart, Curve, CurvesChart, curves_of
from bpe_tui.widgets.controls import (
    FilterSwitch,
    FooterKey,
    FootLine,
    KeyBar,
    Marks,
    PartsLine,
    Scrubber,
    Switches,
    Tab,
    TabLine,
)
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import Row, SubjectSpan
from bpe_tui.widgets.virtual_table import Column, Header, arranged

XS, COUNTS = np.arange(1, 41), np.array([5, 30, 17, 8, 3, 1, 0, 1])
CURVES = [
    Curve("short", "loss", np.array([1, 10, 100]), np.array([2, 20, 40])),
    Curve("longer", "gain", np.array([1, 50]), np.array([3, 80])),
    Curve("none", "", XS[:0], XS[:0]),
]
RISING = """
2,000 ┤           │
      │           │          ⢀⠔
      │           │        ⡠⠔⠉
1,000 ┤           │     ⢀⠔⠉
      │           │  ⣀⠔⠉⠁
      │         ⢀⣀⠤⠊⠉
    0 ┤⣀⣀⣀⡠⠤⠤⠒⠒⠉⠁ │
      └───────────▲───────────┬
 step            20          40"""
FALLING = """
1,000 ┤⠑⠢⢄⡀
      │   ⠈⠒⠤⣀
      │       ⠑⠢⢄
      │          ⠉⠒⠤⣀
  100 ┤              ⠑⠤⢄⡀
      │                 ⠈⠒⢤⡀
      │                    ⠈⠓⠢⣄
      └┬─────────────┬─────────
       1            10   place"""
BARS = """
   40 ┤
      │   ▂▂
      │   ██
   20 ┤   ██
      │   ██ ██
      │   ██ ██ ▄▄
    0 ┤▇▇ ██ ██ ██ ▅▅ ▂▂    ▂▂▂
      └─────────────┬──────────
                    5    bytes"""
TWO_CURVES = """
      │            │ longer⠁
      │            │ ⣀⠔⠊⠁⣀⣀⠤⠤⠔⠒
      │          ⢀⡠⠔⠉⠒⠊⠉⠉ short
   10 ┤       ⢀⠤⠒⠁ │
      │    ⣀⠔⠊⠁    │
      │⢀⡠⠔⠉⠊⠁      │
      │⠁⠔⠁         │
      └┬───────────▲──────────┬
       1          10      size"""


@pytest.mark.parametrize(
    ("chart", "figure", "at", "picture"),
    [
        (Chart, Figure(XS, XS * XS, "step", "y"), 20, RISING),
        (Chart, Figure(XS, 1000 // XS, "place", "y", log_x=True, log_y=True), None, FALLING),
        (Chart, Figure(XS[:8], COUNTS, "bytes", "", bars=True, bars_top=40), None, BARS),
        (CurvesChart, curves_of(CURVES, "size", "y"), 10, TWO_CURVES),
    ],
)
def test_a_chart_draws_its_figure_its_axes_and_the_cursor(
    chart: type[Chart],
    figure: Figure,
    at: int | None,
    picture: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Chart, "size", Size(31, 9))
    drawn = chart("drawn")
    drawn.set_reactive(Chart.figure, figure)
    drawn.set_reactive(Chart.at, at)
    lines = [list(drawn.line(y)) for y in range(9)]
    texts = ["".join(text for text, _ in line).rstrip() for line in lines]
    assert "\n".join(["", *texts]) == picture
    if at is not None:  # the curve is dim after the cursor
        assert ("│" if chart is CurvesChart else "⠤", "pair") in lines[5]
        assert lines[5][-1][1] == "dim"
    monkeypatch.setattr(Chart, "size", Size(7, 3))
    assert drawn.line(0) == []
    drawn.set_reactive(Chart.figure, None)
    drawn.why_empty = "nothing to draw"
    assert [drawn.line(y) for y in range(3)] == [[("nothing", "dim")], [("to draw", "dim")], []]


KEYS = [
    FooterKey("q", "quit", "quit", is_lasting=True),
    FooterKey("→", "next", "step"),
    FooterKey("Esc", "back", "back"),
    FooterKey("?", "help", "help", is_lasting=True),
    FooterKey("漢", "wide", "wide"),
]
TABS = [
    Tab("0", "lesson", "les", "lesson"),
    Tab("1", "train", "tr", "train"),
    Tab("2", "vocab", "voc", "vocab", is_open=False),
]
WHOLE = " 0 lesson  1 train  2 vocab "


@pytest.mark.parametrize(
    ("cells", "keys", "tabs"),
    [
        (43, " q quit  → next  Esc back  ? help  漢 wide ", f"{WHOLE}          note"),
        (42, " q quit  → next  Esc back  ? help ", f"{WHOLE}         note"),
        (36, " q quit  → next  Esc back  ? help ", f"{WHOLE}   note"),
        (35, " q quit  → next  Esc back  ? help ", WHOLE),
        (27, " q quit  Esc back  ? help ", " 0 les 1 tr 2 voc     note"),
        (17, " q quit  ? help ", " 0 les 1 tr 2 voc"),
        (16, " q quit  ? help ", " 0  1 tr  2 "),
        (8, " q quit ", " 0  1 tr  2 "),
    ],
)
def test_lines_of_keys_and_tabs_leave_out_what_has_no_room(
    cells: int, keys: str, tabs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PartsLine, "size", Size(cells, 1))
    bar, line = KeyBar(), TabLine()
    bar.set_reactive(KeyBar.keys, KEYS)
    for name, value in {"tabs": TABS, "here": "train", "note": "note"}.items():
        line.set_reactive(getattr(TabLine, name), value)
    for each, text in ((bar, keys), (line, tabs)):
        assert "".join(text for _, spans in each.parts() for text, _ in spans) == text
    roles = [spans[1][1] for name, spans in line.parts() if name]
    assert roles == ["here", "tab", "dim"]  # another tab, that of this screen, an empty one


ASKED = (
    KeyBar.Pressed,
    TabLine.Pressed,
    Switches.Pressed,
    Scrubber.Sought,
    Header.Pressed,
    Chart.Sought,
    RowList.Asked,
    RowList.Chosen,
)


class Clicked(App[None]):
    """All widgets that take clicks, in lines of their own."""

    CSS = "* { height: 1; } Screen { height: 100%; } Chart { height: 9; }"

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        self.bar, self.line, self.slider = KeyBar(), TabLine(), Scrubber()
        self.switches = Switches([FilterSwitch("a", "first"), FilterSwitch("b", "second")], "f")
        self.header, self.chart, self.foot = Header(), Chart("chart"), FootLine()
        borders = SubjectSpan.of("low", "", 7), ("┊", "cut"), SubjectSpan.of("est", "", 9)
        self.rows = RowList("rows", [Row(borders), Row(borders, "there"), Row([("no", "")])])
        self.rows.styles.height = 4
        self.rows.head = [("head", "")]
        self.bar.keys, self.line.tabs, self.line.here = KEYS, TABS, "train"
        self.slider.length, self.slider.position = 60, 30
        self.slider.marks = (
            Marks([0, 3, 4, 21, 60], "┊", "tie"),
            Marks(range(10), "!", "loss", only_few=True),
            Marks([45, 60], "!", "loss", only_few=True),
        )
        self.header.places = arranged(
            [
                Column("id", "id", 5, 2, is_number=True),
                Column("text", "text", 9, 3, share=1),
                Column("bar", "", 4, 1, sorts=False),
                Column("none", "none", 30, 0),
            ],
            31,
        )
        self.header.sorting = "id"
        self.chart.figure, self.chart.at = Figure(XS, XS * XS, "step", "y"), 20
        yield from (self.bar, self.line, self.switches, self.slider, self.header, self.rows)
        yield from (self.chart, self.foot)


async def test_a_click_or_a_drag_asks_for_what_is_drawn_there() -> None:
    asked: dict[int, Any] = {}

    def note(message: Message) -> None:
        if isinstance(message, ASKED):
            asked[id(message)] = message

    app = Clicked()
    async with app.run_test(size=(31, 25), message_hook=note) as pilot:

        async def at(widget: Widget, *cells: int, y: int = 0) -> list[Any]:
            asked.clear()
            for x in cells:
                await pilot.click(widget, offset=(x, y))
            return list(asked.values())

        app.foot.message = "one two three four five six seven eight nine ten"
        await pilot.pause()
        rows = [each.render_line(y).text for each in app.screen.children[:6] for y in range(2)]
        assert [row.rstrip() for row in rows[::2]] == [
            " q quit  Esc back  ? help",
            WHOLE.rstrip(),
            "F ○ first  ○ second",
            "┊━┊━━━━━━━┊━━━━●──────!───────!",
            "  id▲  text",
            "head",
        ]
        found = await at(app.bar, 7, 8, 17, 18, 26)
        assert [each.action for each in found] == ["quit", "back", "back", "help"]
        found = await at(app.line, 0, 9, 10, 18, 19, 27, 28)
        assert [each.action for each in found] == ["lesson"] * 2 + ["train"] * 2 + ["vocab"] * 2
        assert [each.name for each in await at(app.switches, 10, 11, 20, 21)] == ["a", "b", "b"]
        assert [each.column for each in await at(app.header, 4, 5, 7, 24, 25, 27)] == [
            "id",
            "text",
            "text",
        ]
        assert not await at(app.rows, 0, y=0)
        assert [each.subjects for each in await at(app.rows, 2, 3, 7, y=1)] == [(7,), (7, 9)]
        token, border, blank = await at(app.rows, 2, 3, 7, y=2)
        assert (token.target, border.subjects, blank.target) == ("there", (7, 9), "there")
        assert not await at(app.rows, 0, y=3)
        assert [round(each.x, 1) for each in await at(app.chart, 0, 7, 8, 18, 30)] == [
            *(1.0, 1.0, 2.7, 19.7, 40.0),
        ]
        assert [each.position for each in await at(app.slider, 0, 1, 30)] == [0, 2, 60]
        asked.clear()
        await pilot.mouse_down(app.slider, offset=(10, 0))
        await pilot.hover(app.bar, offset=(20, 0))
        await pilot.mouse_up(app.slider, offset=(20, 0))
        await pilot.hover(app.slider, offset=(3, 0))
        moves = [(each.position, each.is_drag) for each in asked.values()]
        assert moves[0] == (20, False)
        assert set(moves[1:]) == {(40, True)}
        app.chart.at = None
        assert not await at(app.chart, 9)
