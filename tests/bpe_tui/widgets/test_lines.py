"""Lists of rows: where the keys that point at a token begin, and what is drawn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from bpe_tui.styles import DARK
from bpe_tui.widgets.lines import RowList
from bpe_tui.widgets.rows import Row, SubjectSpan

ROWS = [
    Row(
        [SubjectSpan.of(f"a{place}", "", place), (" ", ""), SubjectSpan.of(f"b{place}", "", -place)]
    )
    for place in range(1, 41)
]


class Listed(App[None]):
    """A list of forty rows with two tokens each, in ten lines."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name

    def compose(self) -> ComposeResult:
        yield RowList("rows", ROWS)


@asynccontextmanager
async def listed() -> AsyncIterator[tuple[RowList, Pilot[None]]]:
    app = Listed()
    async with app.run_test(size=(20, 10)) as pilot:
        rows = app.query_one(RowList)
        rows.focus()
        await pilot.pause()
        yield rows, pilot


def pointed(rows: RowList) -> str:
    """Return the text that the visible lines draw in reverse."""
    drawn = (part for y in range(rows.size.height) for part in rows.render_line(y))
    return "".join(part.text for part in drawn if part.style and part.style.reverse)


async def test_pointing_goes_from_token_to_token_and_on_in_the_next_row() -> None:
    async with listed() as (rows, pilot):
        assert pointed(rows) == ""
        seen = []
        for key in ("shift+right", "shift+right", "shift+right", "shift+left", "shift+left"):
            await pilot.press(key)
            seen.append(pointed(rows))
        assert seen == ["a1", "b1", "a2", "b1", "a1"]
        await pilot.press("shift+left")  # nothing is before the first
        assert pointed(rows) == "a1"
        rows._rows = ()  # as of a hidden panel: what was in sight is painted once more
        assert pointed(rows) == "a1"


async def test_pointing_begins_in_a_visible_row() -> None:
    async with listed() as (rows, pilot):
        rows.scroll_to(y=20, animate=False, immediate=True)
        await pilot.press("shift+right")
        assert pointed(rows) == "a21"
        await pilot.press("down", "down", "shift+right")
        assert pointed(rows) == "a23"  # the cursor is visible, so it begins there


async def test_the_row_that_a_head_has_pushed_out_is_not_visible() -> None:
    async with listed() as (rows, pilot):
        rows.head = [("names", "")]
        rows.cursor = 9
        await pilot.press("shift+right")
        assert pointed(rows) == "a1"
        await pilot.press("pagedown")
        assert rows.cursor == 8  # one row of those before stays visible


async def test_an_empty_list_has_nothing_to_point_at_nor_to_move_to() -> None:
    async with listed() as (rows, pilot):
        rows.show([])
        await pilot.press("shift+right", "shift+left", "down", "end", "enter")
        rows.move_to_target(-1)
        assert (pointed(rows), rows.cursor, rows.pointed) == ("", 0, None)
