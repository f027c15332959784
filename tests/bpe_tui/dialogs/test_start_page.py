"""The start page: its offers, and the sessions that they open."""

import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from opening import IdleJob, each_size, ended, frame_of, recorded_once, until
from program import HANDOUT
from screen_text import row_text, row_texts
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import BaseApp
from bpe_tui.cli.inputs import check_config
from bpe_tui.dialogs.open_other import OpenOther
from bpe_tui.dialogs.start_page import Offer, OfferList, StartPage
from bpe_tui.lessons.pane import LessonPane
from bpe_tui.session.config import RunConfig
from bpe_tui.session.lessons import (
    LessonProgress,
    all_progress,
    builtin_lessons,
    keep_progress,
    progress_key,
)
from bpe_tui.session.samples import SAMPLES, directory, samples
from bpe_tui.session.state import remember_opened

REPO = Path(__file__).parents[3]


@asynccontextmanager
async def started(size: tuple[int, int] = (100, 30)) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    app = BpeTuiApp(None, recorded_once)
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: isinstance(app.screen, StartPage))
        yield app, pilot


def seen(app: BpeTuiApp) -> list[str]:
    """Return the texts of the rows."""
    return row_texts(app.screen.query_one("#files", OfferList))


def test_every_sample_is_offered_and_is_found_when_installed(tmp_path: Path) -> None:
    texts = [path for path in (REPO / "samples").iterdir() if path.is_file()]
    files = {path.name for path in texts if path.name != "README.md"}
    assert {sample.name for sample in SAMPLES} == files
    assert [sample for sample, _ in samples()] == list(SAMPLES)
    for _, config in samples():
        check_config(config)
    (tmp_path / "bpe_tui" / "samples").mkdir(parents=True)
    assert directory(tmp_path / "bpe_tui") == tmp_path / "bpe_tui" / "samples"
    told = tomllib.loads((REPO / "pyproject.toml").read_text("utf-8"))
    wheel = told["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"samples": "bpe_tui/samples"}


@pytest.mark.slow
async def test_rows_beside_the_lists_are_for_the_title() -> None:
    async with started((120, 40)) as (app, pilot):
        rows = max(each.row_count for each in app.screen.query(OfferList))
        for more, tight in ((7, False), (6, True)):
            await pilot.resize_terminal(120, rows + more)
            await until(pilot, lambda: app.screen.has_class("-tight") == tight)  # noqa: B023


async def test_a_sample_opens_with_its_own_pattern() -> None:
    async with started() as (app, pilot):
        await pilot.press("right", "down", "enter")
        await ended(app, pilot)
        config = app.session.config
        assert isinstance(config, RunConfig)
        assert (config.name, config.pattern) == ("handout.txt", "whitespace")
        await until(pilot, lambda: app.screen.id == "training")
        frame = frame_of(app)
        merges = frame.at(frame.recorded_steps).tokenizer().merges
        assert merges[:2] == [(b"s", b"t"), (b"e", b"st")]


async def test_recently_opened_files_are_offered_and_open(tmp_path: Path) -> None:
    mine = tmp_path / "mine[b]\x1b.txt"
    mine.write_text("low lower lowest")
    for folder in ("mine", "yours"):
        remember_opened(RunConfig(str(tmp_path / folder / "a.txt")))
    remember_opened(RunConfig(str(mine)))
    remember_opened(RunConfig(str(tmp_path / "gone.txt")))
    async with started() as (app, pilot):
        rows = seen(app)
        late = rows.index("Opened recently")
        name, where, folder = rows[late + 1].split()
        assert (name, where) == ("gone.txt", "in")
        assert str(tmp_path).startswith(folder.removesuffix("…"))  # a long one is cut
        assert "mine[b]␛.txt" in rows[late + 2]
        same_name = [row.split()[0] for row in rows[late + 3 : late + 5]]
        assert same_name == ["yours/a.txt", "mine/a.txt"]
        await pilot.press("right")
        for _ in range(len(SAMPLES)):
            await pilot.press("down")
        await pilot.press("enter")  # it is no more: that is said, and the page stays
        tip = app.screen.query_one("#tip")
        assert ("no such file" in str(tip.render()), tip.has_class("-refused")) == (True, True)
        await pilot.press("down", "enter")
        await ended(app, pilot)
        assert app.session.config.name == mine.name


async def test_a_note_is_shown_where_there_is_room_for_it() -> None:
    offers = (
        Offer("a name", "a note of many words", None, [("1 ", "dim")]),
        Offer("a name longer than its column", "a note", None),
    )
    shown = ["First", *offers, "", "Second", "among", Offer("b", "", None)]
    app = BaseApp()
    async with app.run_test(size=(100, 24)) as pilot:
        rows = OfferList(shown, "offers")
        await app.mount(rows)
        assert [rows.row(at).spans[0][0] for at in (0, 3, 4, 5)] == ["First", "", "Second", "among"]
        in_cells = {}
        for width in (60, 43, 42, 26):
            rows.styles.width = width
            await pilot.pause()
            texts = [row_text(rows, at).rstrip() for at in (1, 2, 6)]
            in_cells[rows.scrollable_content_region.width] = texts
        named = "  a name longer than its …"
        assert in_cells == {
            57: [f"{'  1 a name':30}a note of many words", f"{named}  a note", "  b"],
            40: ["  1 a name", f"{named}  a note", "  b"],
            39: ["  1 a name", "  a name longer than its column", "  b"],
            23: ["  1 a name", named, "  b"],
        }


async def test_the_number_of_a_lesson_goes_to_it_and_the_cursor_skips_headings() -> None:
    async with started() as (app, pilot):
        await pilot.press("right")
        rows = app.screen.query_one("#files", OfferList)
        passed = [rows.cursor]
        for _ in range(rows.row_count):
            await pilot.press("down")
            passed.append(rows.cursor)
        for key in ("pageup", "pagedown", "up", "home"):
            await pilot.press(key)
            passed.append(rows.cursor)
        assert all(isinstance(rows.row(place).target, Offer) for place in passed)
        assert max(passed) == rows.row_count - 1
        await pilot.press("left")
        lessons = app.screen.query_one("#lessons", OfferList)
        for keys, there in (("right 7", 7), ("1", 1), ("2", 12), ("9", 9), ("0", 9)):
            await pilot.press(*keys.split())
            assert (lessons.cursor, app.focused) == (there, lessons)


@pytest.mark.slow
async def test_every_screen_has_room_for_its_text_and_o_opens_the_window_of_files() -> None:
    async with started() as (app, pilot):
        await pilot.press("right", "pagedown", "pagedown", "enter")
        await until(pilot, lambda: isinstance(app.screen, OpenOther))
        await pilot.press("escape")
        assert isinstance(app.screen, StartPage)
        await pilot.press("o")
        await until(pilot, lambda: isinstance(app.screen, OpenOther))
        await pilot.press("escape")
        app._open_with = IdleJob
        app.open(RunConfig(HANDOUT))
        await until(pilot, lambda: app.screen.id == "training")
        app.reopen_previous()  # as Esc does while something is read
        await until(pilot, lambda: isinstance(app.screen, StartPage))
        async for size in each_size(pilot):
            await pilot.pause()
            for rows in app.screen.query(OfferList):
                if rows.display:
                    assert rows.size.height >= rows.row_count or rows.show_vertical_scrollbar
                    assert rows.region.bottom <= size[1] - 1


async def test_lessons_come_first_with_their_progress() -> None:
    key = progress_key(builtin_lessons()[0].path)
    keep_progress(key, LessonProgress(1, frozenset((0, 1)), done=True))
    third = progress_key(builtin_lessons()[2].path)
    keep_progress(third, LessonProgress(done=True, mastered=True))
    async with started() as (app, pilot):
        lessons = app.screen.query_one("#lessons", OfferList)
        said = row_texts(lessons)[1:4]
        assert "1 ✓ Bytes and tokens" in said[0]
        assert said[1].startswith("❯  2   Count, pick, replace")  # the first that is not done
        assert "3 ★ " in said[2]
        assert said[2].rstrip().endswith("mastered")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen.id == "explain" and app.screen.query(LessonPane))
        assert app.guide.lesson is not None
    assert all_progress()[progress_key(builtin_lessons()[1].path)].mark == "◐"
