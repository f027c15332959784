"""The window that answers why, and lines under the cursor."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generated import first_quick
from opening import opened, opened_as, step, until
from program import HANDOUT
from screen_text import row_text
from textual.widgets import Input, Static

from bpe_tui.app.base import BaseApp
from bpe_tui.bpe.training_screen import CorpusPanel
from bpe_tui.dialogs.open_other import (
    ALL_OF_IT,
    TOKENIZER_HERE,
    OpenOther,
    RowChoice,
    chosen_config,
    directory_rows,
)
from bpe_tui.dialogs.why import AnswerRows, WhyWindow
from bpe_tui.panels.why_rows import describe_way
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.studies.comparison import ComparisonScreen
from bpe_tui.widgets.chart import Chart
from bpe_tui.widgets.lines import Lines
from bpe_tui.widgets.window import Window
from engine import Tokenizer, train_bpe


async def test_a_token_or_a_border_that_is_pointed_at_or_clicked_is_asked_about() -> None:
    async with opened() as (app, pilot):
        panel = app.screen.query_one(CorpusPanel)
        panel.focus()
        await pilot.press("shift+right", "enter")
        assert isinstance(app.screen, WhyWindow)
        assert len(app.screen._asked.known) == 1
        await pilot.press("escape")
        panel.post_message(Lines.Asked((104, 101)))
        await until(pilot, lambda: isinstance(app.screen, WhyWindow))
        assert app.screen._asked.known == (104, 101)


ANSWERS: dict[str, tuple[str, int, int, str, list[int]]] = {
    "e|s": ("why does e+s not merge?", 5, 4, "to merge 1", [9, 9, 0, 0]),
    "": ("why", 2, 0, "", []),
    "lowest": ("why is lowest not one token?", 12, 11, "to merge 4", []),
    "zz|q": ("why is zz+q not one token?", 4, 0, "", []),
    "s|t": ("s+t merges", 5, 4, "to merge 1", [9, 9, 0, 0]),
    "lo|w": ("why is lo+w not one token?", 5, 4, "what became of the pair", []),
    "n": ("why", 3, 0, "the vocabulary", []),
}
"""What is typed → the title, the rows, the cursor, where Enter goes, and the curve."""


async def test_the_window_is_as_high_as_its_answer_with_the_cursor_on_the_first_way_on() -> None:
    config = RunConfig(HANDOUT, vocab_size=300, pattern="whitespace")
    async with opened_as(config, (100, 24)) as (app, pilot):
        app.seek(5)
        app.navigation.ask((101, 115))
        await pilot.pause()
        window = app.screen
        assert isinstance(window, WhyWindow)
        rows, chart = window.query_one(AnswerRows), window.query_one(Chart)

        async def heights() -> tuple[int, int, int]:
            await pilot.pause()
            await pilot.pause()
            return rows.size.height, rows.scroll_offset.y, rows.cursor

        for typed, (title, count, cursor, where, counts) in ANSWERS.items():
            window.query_one(Input).value = typed
            assert await heights() == (count, 0, cursor)
            assert window.query_one("#why").border_title == title
            keys = f"Enter: {where} │ ↑ ↓ others │ Esc closes" if where else "Esc closes"
            assert str(window.query_one("#why-keys", Static).render()) == keys
            assert chart.display == bool(counts)
            if counts:
                assert chart.figure is not None
                assert (chart.at, [*chart.figure.ys]) == (5, counts)
                assert [*chart.figure.xs] == [0, 1, 1, 7]
        await pilot.resize_terminal(60, 20)
        assert await heights() == (4, 0, 0)  # the same answer in more rows
        for typed, seen in (("lowestwidestnewer", (13, 0, 31)), ("s|t", (5, 0, 4))):
            window.query_one(Input).value = typed
            assert await heights() == seen
        window.post_message(Chart.Sought(2.6, is_drag=False))
        await until(pilot, lambda: step(app) == 3)


SWAPPED = str(Path(HANDOUT).with_name("swapped.json"))
RUN = RunConfig(HANDOUT, min_count=1)

SAYS: dict[str, Callable[[Any], str]] = {
    "L": lambda offer: offer.name,
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
            await until(pilot, lambda: not isinstance(app.screen, ComparisonScreen))
            assert app.session is session
