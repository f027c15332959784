"""Widgets without a session: what a click or a drag on each asks for."""

from typing import Any
from unittest.mock import Mock

import numpy as np
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from bpe_tui.styles import DARK
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.controls import (
    FilterSwitch,
    FooterKey,
    FootLine,
    KeyBar,
    Marks,
    Scrubber,
    Switches,
    Tab,
    TabLine,
)
from bpe_tui.widgets.fields import Field, FieldOverRows, TextLine
from bpe_tui.widgets.figure import Figure
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import Column, Row, SubjectSpan, arranged
from bpe_tui.widgets.virtual_table import Header, SortedTable

XS = np.arange(1, 41)
KEYS = [
    FooterKey("q", "quit", "quit", is_lasting=True),
    FooterKey("Esc", "back", "back", is_lasting=True),
    FooterKey("?", "help", "help", is_lasting=True),
    FooterKey("n", "no room", "next"),
]
TABS = [Tab("0", "lesson", "", "lesson"), Tab("1", "train", "", "train")]
TABS.append(Tab("2", "vocab", "", "vocab", is_open=False))
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

    CSS = (
        "* { height: 1; } Screen { height: 100%; } Chart { height: 9; } Field:focus { width: 20; }"
    )

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
                Column("id", 5, str, is_number=True, importance=2, key=str),
                Column("text", 9, str, importance=3, share=1, key=str),
                Column("", 4, str, importance=1),
                Column("none", 30, str, key=str),
            ],
            31,
        )
        self.header.sorting = "id"
        self.chart.figure, self.chart.at = Figure(XS, XS * XS, "step"), 20
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
            " 0 lesson  1 train  2 vocab",
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
        found = await at(app.header, 4, 5, 7, 24, 25, 27)
        assert [each.column for each in found] == ["id", "text", "text"]
        assert not await at(app.rows, 0, y=0)
        assert [each.subjects for each in await at(app.rows, 2, 3, 7, y=1)] == [(7,), (7, 9)]
        token, border, blank = await at(app.rows, 2, 2, 3, 7, 7, y=2)
        assert (token.target, border.subjects, blank.target) == ("there", (7, 9), "there")
        assert not await at(app.rows, 0, y=3)
        assert not await at(app.chart, 18)  # the first click only selects
        found = await at(app.chart, 0, 7, 8, 18, 30)
        assert [round(each.x, 1) for each in found] == [1.0, 1.0, 2.7, 19.7, 40.0]
        assert [each.position for each in await at(app.slider, 0, 1, 30)] == [0, 2, 60]
        asked.clear()
        await pilot.mouse_down(app.slider, offset=(10, 0))
        await pilot.hover(app.bar, offset=(20, 0))
        await pilot.mouse_up(app.slider, offset=(20, 0))
        await pilot.hover(app.slider, offset=(3, 0))
        moves = [(each.position, each.is_drag) for each in asked.values()]
        assert moves[0] == (20, False)
        assert set(moves[1:]) == {(40, True)}
        app.chart.styles.width = 9  # two cells are the least that a click can tell apart
        await pilot.pause()
        assert [each.x for each in await at(app.chart, 7, 8)] == [1, 40]
        app.chart.styles.width = 8
        await pilot.pause()
        assert not await at(app.chart, 7)
        app.chart.styles.width, app.chart.at = 31, None
        await pilot.pause()
        assert not await at(app.chart, 9)
        app.slider.styles.width = 1
        await pilot.mouse_down(app.slider)
        asked.clear()
        await pilot.hover(app.bar, offset=(1, 0))
        assert {each.position for each in asked.values()} == {60}


SLIDERS = [
    (40, 60, 30, "!!!!!!!━━━━━━━┊━━━━━●────────!─────────!"),  # a mark in four cells is few
    (39, 60, 30, "┊━┊┊━━━━━━━━━┊━━━━━●────────!─────────!"),
    (27, 60, 30, "┊┊┊━━━━━━┊━━━●──────!─────!"),
    (20, 60, 0, "●┊─────┊──────!────!"),
    (20, 60, 70, "┊┊━━━━━┊━━━━━━!━━━━●"),
    (20, 0, 70, "●───────────────────"),
    (1, 0, 70, "●"),
    (0, 0, 70, ""),
]
"""Cells, steps, the step it shows, and the slider drawn."""


async def test_a_slider_switches_and_the_line_at_the_foot_show_what_they_have() -> None:
    app = Clicked()
    async with app.run_test(size=(40, 25)) as pilot:
        for width, length, position, drawn in SLIDERS:
            app.slider.styles.width = width
            app.slider.length, app.slider.position = length, position
            await pilot.pause()
            assert app.slider.render_line(0).text == drawn
        for at, is_painted in ((20.4, False), (21.5, True), (None, True)):
            app.chart._dirty_regions.clear()
            app.chart.at = at
            assert bool(app.chart._dirty_regions) == is_painted
        await pilot.resize_terminal(20, 25)
        app.switches.on = frozenset("b")
        assert list(app.switches.parts()) == [
            ("a", [("F ", "here"), ("○ first  ", "dim")]),
            ("b", [("● second  ", "strong")]),
        ]
        app.foot.legend = [("a", "")], [("bc", "dim")], [("def ghijklm", "gain")]
        ten = "one two three four five six seven eight nine ten"
        for message, rows, shown in (
            (f"{ten} eleven twelve", 3, ten),
            ("one two three four five", 2, "one two three four five"),
            ("", 1, "a  bc  def ghijklm"),
        ):
            app.foot.message = message
            await pilot.pause()
            lines = [app.foot.render_line(y).text.strip() for y in range(4)]
            assert (app.foot.size.height, " ".join(lines).strip()) == (rows, shown)
            assert app.foot.has_class("-message") == bool(message)
        await pilot.resize_terminal(19, 25)
        app.line.tabs = [tab._replace(short=tab.name[:3]) for tab in TABS]
        await pilot.pause()
        assert app.foot.render_line(0).text.strip() == "a  bc"
        assert next(iter(app.line.parts()))[1][-1] == (" les", "")
        await pilot.resize_terminal(3, 25)
        app.foot.message = "abcd"
        await pilot.pause()
        assert [app.foot.render_line(y).text for y in range(3)] == [" a ", " b ", " c "]


class Sorted(SortedTable):
    """A table of two columns that are sorted, and one that is not."""

    def __init__(self) -> None:
        super().__init__()
        columns = [Column("id", 2, str, key=str), Column("bar", 2, str)]
        columns.append(Column("count", 2, str, key=str, largest_first=True))
        self.made = Mock(sorting="id", descending=False)
        self.made.places = arranged(columns, 30)

    @property
    def rows(self) -> Any:
        return self.made


def test_a_title_or_a_key_sorts_by_a_column_and_once_more_the_other_way() -> None:
    table, sorted_by = Sorted(), list[tuple[str, bool]]()
    for title in ("count", "count", "id", None, None, None):
        if title is None:
            table.sort_by_next()
        else:
            table.on_header_pressed(Header.Pressed(title))
        sorted_by.append((table.made.sorting, table.made.descending))
    assert sorted_by[:3] == [("count", True), ("count", False), ("id", False)]
    assert sorted_by[3:] == [("count", True), ("id", False), ("count", True)]
    assert table.made.rebuild.call_count == 6
    table.made.sorting = "gone"
    table.sort_by_next()
    assert table.made.sorting == "id"
    table.made.places = []
    table.sort_by_next()
    assert table.made.rebuild.call_count == 7


async def test_the_focus_selects_what_is_in_a_field_and_an_arrow_keeps_it() -> None:
    app = Clicked()
    async with app.run_test(size=(40, 25)) as pilot:
        field = Field("low", "a path or the name of an encoding")
        await app.mount(field)
        for keys, value in (("end", "lowx"), ("right", "lowx"), ("left", "xlow"), ("", "x")):
            field.value = "low"
            app.set_focus(None)
            field.focus()
            await pilot.press(*filter(None, [keys]), "x")
            assert (keys, field.value) == (keys, value)
        field.value = ""
        await pilot.pause()
        assert (field.placeholder, field.outer_size.width) == ("a path or the…", 20)


async def test_a_window_suggests_a_whole_line_and_keys_go_through_the_rows_below_it() -> None:
    class Asking(FieldOverRows[None]):
        def compose(self) -> ComposeResult:
            yield Field("low.txt")
            rows = RowList("found", [Row([(str(place), "")], place) for place in range(9)])
            rows.styles.height = 4
            yield rows

    async with Clicked().run_test(size=(40, 25)) as pilot:
        window, places = Asking(), list[int]()
        await pilot.app.push_screen(window)
        field, rows = window.query_one(Field), window.query_one(RowList)
        field.focus()
        await pilot.pause()
        assert field.selected_text == "low.txt"
        for key in ("down", "pagedown", "up", "pageup", "pageup"):
            await pilot.press(key)
            places.append(rows.cursor)
        assert (places, field.has_focus) == ([1, 4, 3, 0, 0], True)


async def test_a_line_shows_the_first_line_of_a_longer_text_and_typing_replaces_all_of_it() -> None:
    async with Clicked().run_test() as pilot:
        line = TextLine()
        await pilot.app.mount(line)
        for text, value in (("\r\n low\nest", " low"), ("low", "low"), ("\n", "")):
            line.show_text(text)
            assert (line.value, line.text, line.is_all) == (value, text, text == "low")
        line.show_text("x" * 1001)
        assert len(line.value) == 1000
        line.value = "typed"
        assert (line.text, line.is_all) == ("typed", True)
