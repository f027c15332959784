"""Lists of rows: where the keys that point at a token begin, and what is drawn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest
from opening import until
from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from bpe_tui.styles import DARK, role_style
from bpe_tui.widgets.lines import FoundRows, Lines, RowList, ShownInRows, TextLines
from bpe_tui.widgets.rows import Row, SubjectSpan

ROWS = [
    Row(
        [SubjectSpan.of(f"a{place}", "", place), (" ", ""), SubjectSpan.of(f"b{place}", "", -place)]
    )
    for place in range(1, 41)
]
COUNTS = 40, 39, 20, 19, 35, 2000, 11
"""Numbers of rows that the list has one after the other, all with a scroll bar."""


class Listed(App[None]):
    """A list of forty rows with two tokens each, in ten lines."""

    CSS = "RowList { overflow: hidden auto; scrollbar-size-vertical: 1; }"

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.answers: list[Any] = []
        self.moves = 0

    def compose(self) -> ComposeResult:
        yield RowList("rows", ROWS)

    def on_lines_moved(self) -> None:
        self.moves += 1

    def on_lines_asked(self, event: Lines.Asked) -> None:
        self.answers.append(event.subjects)

    def on_lines_chosen(self, event: Lines.Chosen) -> None:
        self.answers.append(event.target)

    def on_lines_nothing_to_choose(self) -> None:
        self.answers.append("nothing")


@asynccontextmanager
async def listed() -> AsyncIterator[tuple[RowList, Pilot[None]]]:
    app = Listed()
    async with app.run_test(size=(20, 10)) as pilot:
        rows = app.query_one(RowList)
        rows.focus()
        await pilot.pause()
        yield rows, pilot


def lit(rows: Lines) -> list[int]:
    """Return the visible lines that are drawn as the cursor's."""
    cursor = role_style(rows, "cursor").bgcolor
    lines = [rows.render_line(y) for y in range(rows.size.height)]
    return [y for y, line in enumerate(lines) if {part.style.bgcolor for part in line} == {cursor}]


def pointed(rows: RowList) -> str:
    """Return the text that the visible lines draw in reverse."""
    drawn = (part for y in range(rows.size.height) for part in rows.render_line(y))
    return "".join(part.text for part in drawn if part.style and part.style.reverse)


def looks_of_bar(rows: RowList) -> list[list[Segment]]:
    """Return the cells of the scroll bar, as Textual draws them."""
    bar, console = rows.vertical_scrollbar, rows.app.console
    options = console.options.update(width=1, height=bar.size.height)
    return console.render_lines(bar.render(), options)


async def test_keys_scroll_as_little_as_the_cursor_needs() -> None:
    async with listed() as (rows, pilot):
        places = []
        for key in ("up", "j", *["pagedown"] * 2, "pageup", "k", "end", "down", "k", "home"):
            await pilot.press(key)
            places.append((rows.cursor, rows.scroll_offset.y))
        assert places[:5] == [(0, 0), (1, 0), (10, 1), (19, 10), (10, 10)]
        assert places[5:] == [(9, 9), (39, 30), (39, 30), (38, 30), (0, 0)]
        for row, top, place in ((20, 15, (20, 15)), (99, 5, (39, 30)), (-1, 5, (0, 0))):
            rows.pointed = 1
            rows.put_cursor(row, top)
            assert (rows.cursor, rows.scroll_offset.y, rows.pointed) == (*place, None)
        assert pilot.app.moves == len(places)
        rows.render_line(0)
        rows.scroll_to(y=25, animate=False, immediate=True)
        bar = rows.vertical_scrollbar
        assert (rows.render_line(0).text[:3], bar.position) == ("a26", 25)
        rows._rows = ROWS * 50
        rows.rebuild()
        bar._dirty_regions.clear()
        rows.scroll_to(y=26, animate=False, immediate=True)
        assert (bar.position, bar._dirty_regions) == (26, set())  # it looks as before


@pytest.mark.parametrize(("overflow", "counts"), [("auto", COUNTS), ("scroll", (*COUNTS, 10, 1))])
async def test_a_list_that_changes_keeps_its_place_and_paints_only_what_differs_of_its_bar(
    overflow: Any, counts: tuple[int, ...]
) -> None:
    async with listed() as (rows, pilot):
        rows.styles.overflow_y = overflow
        rows.put_cursor(39, 30)
        bar, places = rows.vertical_scrollbar, []
        for count in counts:
            await pilot.pause()
            before = looks_of_bar(rows)
            bar._dirty_regions.clear()
            rows._rows = (ROWS * 50)[:count]
            rows.rebuild()
            pairs = enumerate(zip(before, looks_of_bar(rows), strict=True))
            changed = {Region(0, y, bar.size.width, 1) for y, (old, new) in pairs if old != new}
            assert bar._dirty_regions == changed
            assert bar.window_virtual_size == rows.virtual_size.height
            places.append((rows.virtual_size.height, rows.cursor, int(bar.position)))
        assert places[:4] == [(40, 39, 30), (39, 38, 29), (20, 19, 10), (19, 18, 9)]
        assert places[4:7] == [(35, 18, 9), (2000, 18, 9), (11, 10, 1)]
        assert places[7:] == [(10, 9, 0), (10, 0, 0)][: len(counts) - 7]
        for count in (10, 11):
            rows._rows = ROWS[:count]
            rows.rebuild()
            await pilot.pause()
            assert rows.show_vertical_scrollbar == (overflow == "scroll" or count > 10)


async def test_pointing_goes_from_token_to_token_and_on_in_the_next_row() -> None:
    async with listed() as (rows, pilot):
        assert pointed(rows) == ""
        seen = []
        for key in ("shift+right", "shift+right", "shift+right", "shift+left", "shift+left"):
            await pilot.press(key)
            seen.append(pointed(rows))
            assert rows.render_line(0).text == "a1 b1".ljust(rows.size.width)
        assert seen == ["a1", "b1", "a2", "b1", "a1"]
        rows._dirty_regions.clear()
        rows.action_point(1)
        assert rows._dirty_regions
        rows.put_cursor(9, 0)
        await pilot.press(*["shift+right"] * 3)
        assert (pointed(rows), rows.scroll_offset.y) == ("a11", 1)
        rows.put_cursor(0, 0)
        await pilot.press("shift+right")
        await pilot.press("shift+left")  # nothing is before the first
        assert pointed(rows) == "a1"


async def test_pointing_begins_in_a_visible_row() -> None:
    async with listed() as (rows, pilot):
        rows.scroll_to(y=20, animate=False, immediate=True)
        await pilot.press("shift+right")
        assert pointed(rows) == "a21"
        await pilot.press("down", "down", "shift+right")
        assert pointed(rows) == "a23"  # the cursor is visible, so it begins there
        await pilot.press("down", "shift+left")
        assert pointed(rows) == "b24"  # backwards from the end of the row
        rows._rows = [*ROWS[:23], *[Row([("", "")])] * 2, *ROWS[:2]]
        rows.rebuild()
        await pilot.press("shift+left", "shift+right")
        assert pointed(rows) == "a1"  # over rows without tokens
        assert (rows.cursor, rows.pointed) == (25, 0)
        rows.scroll_to(y=18, animate=False, immediate=True)
        rows.cursor, rows._rows = 0, ROWS[:9]  # it is not told yet
        await pilot.press("shift+left")
        assert (rows.cursor, rows.pointed) == (8, 1)


async def test_the_cursor_is_lit_while_keys_go_to_it_and_enter_opens_its_row() -> None:
    async with listed() as (rows, pilot):
        answers, shown = pilot.app.answers, [Row([("x", "")], "there"), *ROWS[:5]]
        rows.show(shown, 1)
        assert (lit(rows), rows.target, rows.render_line(6).text) == ([1], None, " " * 20)
        await pilot.press("enter", "shift+right", "shift+right", "enter", "home", "enter")
        assert answers == ["nothing", (-1,), "there"]
        rows.cursor, rows.pointed = 1, 2  # a row that has changed has no third token
        assert (lit(rows), pointed(rows)) == ([1], "")
        rows.cursor = rows.pointed = 0
        await pilot.press("enter")
        assert (answers.pop(), lit(rows)) == ("there", [0])
        rows.blur()
        await pilot.pause()
        assert lit(rows) == []
        rows.SHOWS_CURSOR = True
        assert (lit(rows), rows.render_line(0).text) == ([0], "x" + " " * 19)
        rows.cursor = 1
        assert lit(rows) == []


async def test_clicks_and_new_sizes_keep_to_the_rows_in_sight() -> None:
    async with listed() as (rows, pilot):
        rows.put_cursor(25, 20)
        await pilot.click(rows, offset=(0, 3))
        assert (rows.cursor, pilot.app.answers.pop()) == (23, (24,))
        rows.head = [("names", "")]
        await pilot.click(rows, offset=(0, 0))
        assert rows.cursor == 23
        await pilot.click(rows, offset=(4, 1))
        assert (rows.cursor, pilot.app.answers.pop()) == (20, (-21,))
        assert rows.get_content_height(rows.size, rows.size, 20) == 41
        rows.rebuild()
        assert rows.virtual_size.height == 41
        lit(rows)  # draws all lines
        assert sorted(rows._rows_made) == [*range(20, 29)]
        rows.put_cursor(28, 20)
        for keeps, top in ((False, 20), (True, 25)):
            rows.KEEPS_CURSOR = keeps
            await pilot.resize_terminal(20, 9 - 4 * keeps)
            await pilot.pause()
            assert rows.scroll_offset.y == top
        rows.head = ()
        await pilot.resize_terminal(20, 1)
        await until(pilot, lambda: rows.size.height == 1)
        rows.action_page(1)
        assert rows.cursor == 29
        await pilot.resize_terminal(20, 5)
        rows.show(ROWS[:1])
        await pilot.click(rows, offset=(0, 1))
        assert (rows.cursor, rows.virtual_size.height) == (0, 5)
        await pilot.pause()

        def show() -> None:
            rows.show(ROWS, 39)
            for _ in range(3):  # while the list has other messages, it is not laid out
                rows.call_later(asyncio.sleep, 0)

        rows.call_later(show)
        await pilot.pause()
        assert rows.vertical_scrollbar.position == rows.scroll_y == 35
        rows.show(ROWS, 2)
        assert rows.scroll_y == 2


class Found(Listed):
    """A text of three rows, the last of which leads somewhere, in lines of their own."""

    CSS = "#found { height: 3; overflow: hidden scroll; scrollbar-size-vertical: 1; }"
    texts: ClassVar = ["one", "two", "!three"] * 3

    def compose(self) -> ComposeResult:
        self.cells: list[int] = []
        yield FoundRows("found", self.rows_of)

    def rows_of(self, cells: int) -> list[Row]:
        self.cells.append(cells)
        return [Row([(text, "")], text if "!" in text else None) for text in self.texts]


async def test_the_cursor_below_a_field_goes_from_row_to_row_that_leads_somewhere() -> None:
    app = Found()
    async with app.run_test(size=(20, 10)) as pilot:
        rows = app.query_one(FoundRows)
        assert (app.cells, rows.cursor) == ([18], 2)
        places = []
        for by in (1, 1, 1, -1, 3, -2, -4, -1, -1, 9):
            rows.action_move(by)
            places.append((rows.cursor, rows.scroll_offset.y))
        assert places[:7] == [(5, 3), (8, 6), (8, 6), (5, 5), (8, 6), (5, 5), (2, 2)]
        assert places[7:] == [(2, 1), (2, 0), (8, 6)]  # none before leads anywhere: it scrolls
        app.texts = ["one", "two", "three", "four", "!five"]
        rows.find_again()
        assert (app.cells, rows.cursor, rows.scroll_offset.y) == ([18, 18], 4, 2)
        app.texts = ["one"] * 5
        rows.find_again()
        assert (rows.cursor, rows.scroll_offset.y) == (0, 0)
        rows.action_end(True)
        assert (rows.cursor, rows.scroll_offset.y) == (0, 2)
        app.texts = ["!one", "!two", "!three"]
        rows.find_again()
        for by, row in ((1, 1), (-9, 0), (9, 2), (-1, 1)):
            rows.action_move(by)
            assert rows.cursor == row
        await pilot.resize_terminal(12, 10)
        await pilot.pause()
        assert rows.cursor == 1
        assert app.cells[4:] == [10]
        for cells in (12, 2, 1, 3):
            assert rows.get_content_height(rows.size, rows.size, cells) == 3
        assert app.cells[4:] == [10, 1]
        await pilot.resize_terminal(3, 10)
        rows.find_again()  # the text may be another one
        assert app.cells[4:] == [10, 1, 1]
        TextLines("new", app.rows_of).get_content_height(rows.size, rows.size, 2)
        assert app.cells[7:] == [1]


async def test_a_value_that_is_drawn_makes_rows_again_unless_the_class_watches_it() -> None:
    async with listed() as (_, pilot):

        class Drawing(RowList):
            mark: ShownInRows[int] = ShownInRows(0)

            def row(self, index: int) -> Row:
                return Row([(str(self.mark), "")])

        class Watching(Drawing):
            mark: ShownInRows[int] = ShownInRows(0)

            def watch_mark(self) -> None:
                """Do nothing."""

        lists = Drawing("drawing", ROWS), Watching("watching", ROWS)
        await pilot.app.mount(*lists)
        await pilot.pause()
        for each in lists:
            each.render_line(0)
            each.mark = 1
        assert [each.line(0)[0] for each in lists] == [Row([("1", "")]), Row([("0", "")])]


async def test_the_row_that_a_head_has_pushed_out_is_not_visible() -> None:
    async with listed() as (rows, pilot):
        rows.head = [("names", "")]
        rows.cursor = 9
        await pilot.press("shift+right")
        assert pointed(rows) == "a1"
        await pilot.press("pagedown")
        assert rows.cursor == 8  # one row of those before stays visible


async def test_the_cursor_waits_for_a_row_that_comes_later_unless_a_key_moves_it() -> None:
    async with listed() as (rows, pilot):
        rows.show([])
        rows.put_cursor(3, 0)
        rows.show(ROWS[:2])
        assert rows.cursor == 0
        rows.show(ROWS)
        assert rows.cursor == 3
        rows.put_cursor(60, 0)
        await pilot.press("up")
        rows.show(ROWS * 2, rows.cursor)
        assert rows.cursor == 38


async def test_an_empty_list_has_nothing_to_point_at_nor_to_move_to() -> None:
    async with listed() as (rows, pilot):
        rows.show([])
        await pilot.press("shift+right", "shift+left", "down", "end", "enter")
        rows.move_to_target(-1)
        assert (pointed(rows), rows.cursor, rows.pointed) == ("", 0, None)
        assert (pilot.app.answers, rows.target) == (["nothing"], None)
