"""In every window with a list, Enter does what the line under the cursor says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generated import first_quick
from opening import opened, opened_as, until
from program import HANDOUT
from screen_text import row_text
from textual.widgets import Input, Static

from bpe_tui.app.base import BaseApp
from bpe_tui.dialogs.open_other import (
    ALL_OF_IT,
    TOKENIZER_HERE,
    OpenOther,
    RowChoice,
    chosen_config,
    directory_rows,
)
from bpe_tui.panels.why_rows import describe_way
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.studies.comparison import ComparisonScreen
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.window import Window
from engine import Tokenizer, train_bpe

SWAPPED = str(Path(HANDOUT).with_name("swapped.json"))
RUN = RunConfig(HANDOUT, min_count=1)

SAYS: dict[str, Callable[[Any], str]] = {
    "L": lambda lesson: f"{int(lesson.name[:2])} ",
    "t": lambda command: f"{command.label}",
    "i": lambda plan: str(plan.title),
    "w": lambda target: describe_way(target),
    "ctrl+p": lambda found: " ".join(found.command.help.split()[:3]),
    "t b tab": lambda step: f"next at {step}",
}
"""The keys of a window → the words of the line whose result it returns."""


@pytest.mark.parametrize("moved", first_quick([1, 0]))
async def test_a_window_returns_what_its_line_says(moved: int, monkeypatch: Any) -> None:
    async with opened(Path(HANDOUT), vocab_size=280) as (app, pilot):
        app.seek(3)
        app.session.breakpoints.add("step 5")
        app.session.breakpoints.add("step 7")
        app.session.tick(0)
        for keys, says in SAYS.items():
            returned = list[object]()
            await pilot.press(*keys.split())
            window, rows = app.screen, app.screen.query_one(Lines)
            assert isinstance(window, Window)
            await pilot.press(*["down"] * moved)
            line = row_text(rows, rows.cursor)
            if keys == "w":  # a line under the rows says it
                line = str(window.query_one("#why-keys", Static).render())
            monkeypatch.setattr(window, "dismiss", returned.append)
            await pilot.press("enter")
            assert len(returned) == 1
            assert (keys, says(returned[0]) in line) == (keys, True), line
            app.pop_screen()


ROWS = (
    ("a.txt", "", "a.txt", "a.txt"),
    ("a.txt", "down", "a.txt.old", "a.txt.old"),
    ("a", "", "a/", "a"),
    (" a.txt ", "", "a.txt", "a.txt"),
    ("folder/", "", "folder", "folder"),
    ("folder/", "down", "inside.txt", "folder/inside.txt"),
    ("gone", "", "", "gone"),
    ("nowhere", "", "nowhere", "nowhere"),
    ("no", "", "nowhere-else.txt", "nowhere-else.txt"),
)
"""What is typed, further keys, the row under the cursor, and what Enter opens."""


async def test_enter_opens_the_row_under_the_cursor(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "folder"):
        Path(folder).mkdir()
    for name in ("a.txt", "a.txt.old", "folder/inside.txt", "nowhere-else.txt"):
        Path(name).write_text("low lower")
    Path("nowhere").symlink_to("missing")
    app = BaseApp()
    async with app.run_test() as pilot:
        for typed, keys, line, opened in ROWS:
            window, chosen = OpenOther(RUN), list[RowChoice]()
            monkeypatch.setattr(window, "_choose", chosen.append)
            await app.push_screen(window)
            window.query_one(Input).value = typed
            await pilot.pause()
            await pilot.press(*keys.split(), "enter")
            rows = window.found_rows
            shown = row_text(rows, rows.cursor) if rows.target is not None else ""
            [choice] = chosen
            name = choice.directory if choice.directory is not None else choice.given[0]
            named = os.path.normpath(shown.split("  ")[1] if shown else name)
            assert named.endswith(os.path.normpath(line or name))
            assert os.path.relpath(name) == opened
            assert not shown or rows.target == choice
            app.pop_screen()


async def test_the_tokenizer_in_a_folder_is_no_corpus_of_all_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tokenizer(*train_bpe(HANDOUT, 260, []), {}).save(tmp_path / "tokenizer")
    for folder, says in ((tmp_path, ALL_OF_IT), (tmp_path / "tokenizer", TOKENIZER_HERE)):
        rows = directory_rows(str(folder), "", walked=True)
        assert [text for text, _, choice in rows if choice == RowChoice((str(folder),))] == [says]
        assert isinstance(chosen_config((str(tmp_path / "tokenizer"),)), TokenizerConfig)


@pytest.mark.slow
async def test_two_tokenizers_are_compared_and_the_first_stays_open(tmp_path: Path) -> None:
    second = tmp_path / "second"
    Tokenizer(*train_bpe(HANDOUT, 260, []), {}).save(second)
    for corpus in (None, HANDOUT):
        async with opened_as(TokenizerConfig((SWAPPED,), corpus)) as (app, pilot):
            session = app.session
            app.session.type("low lower")
            await pilot.press("ctrl+o")
            use = str(app.screen.query_one("#open-keep", Static).render())
            assert "[together with swapped.json]" in use
            app.screen.query_one(Input).value = str(second)
            await pilot.press("enter")
            await until(pilot, lambda: isinstance(app.screen, ComparisonScreen))
            heading = app.screen.query_one("#heading", Static)
            named = "swapped.json  316 │ second  260"
            await until(pilot, lambda: str(heading.render()).startswith(named))  # noqa: B023
            assert isinstance(app.screen, ComparisonScreen)
            first, other = app.screen._tokenizers
            assert session.opened is not None
            assert first is session.opened.tokenizer
            assert len(other.vocab) == 260
            assert app.screen._data == b"low lower"
            app.close_note()  # of the first one's file
            await pilot.press("escape")
            await until(pilot, lambda: not isinstance(app.screen, ComparisonScreen), 5)
            assert app.session is session
