"""The window that opens something else: its rows, and names of files typed there."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from file_names import NAMES, made_in
from opening import session_of, until
from program import HANDOUT
from screen_text import row_texts
from textual.screen import Screen
from textual.widgets import Input, Static

from bpe_tui.app.base import BaseApp
from bpe_tui.dialogs import open_other
from bpe_tui.dialogs.export import Export
from bpe_tui.dialogs.open_other import (
    ALL_OF_IT,
    ChooseModel,
    ChosenFile,
    ModelRows,
    OpenOther,
    RowChoice,
    ToCompare,
    chosen_beside,
    chosen_config,
    directory_rows,
    recent_rows,
)
from bpe_tui.session import samples
from bpe_tui.session.config import Claimed, RunConfig, TokenizerConfig, Viewpoint
from bpe_tui.session.models import MODELS
from bpe_tui.widgets.fields import Field
from bpe_tui.widgets.lines import FoundRows
from bpe_tui.widgets.window import Window
from engine.core.errors import BpeError
from engine.formats import WRITABLE

SWAPPED = str(Path(HANDOUT).with_name("swapped.json"))


def test_a_directory_lists_its_folders_then_its_files_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"x" * 1500)
    (tmp_path / "Corpus").mkdir()
    (tmp_path / ".hidden").write_bytes(b"")
    (tmp_path / "a\x1b.txt").write_bytes(b"x")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    here, up = str(tmp_path), str(tmp_path.parent)
    assert directory_rows(here, "", walked=True) == [
        (here, "", None),
        ("..", "", RowChoice(directory=up)),
        (ALL_OF_IT, "", RowChoice((here,))),
        ("Corpus/", "", RowChoice(directory=f"{here}/Corpus")),
        ("a␛.txt", "1 B", RowChoice((f"{here}/a\x1b.txt",))),
        ("b.txt", "1.5 KB", RowChoice((f"{here}/b.txt",))),
    ]
    assert [text for text, *_ in directory_rows(here, "b", walked=False)] == [here, "b.txt"]
    assert [text for text, *_ in directory_rows(here, ".", walked=False)] == [
        *(here, "."),
        ".hidden",
    ]
    assert [text for text, *_ in directory_rows("/", "no such", walked=True)] == ["/", ALL_OF_IT]
    missing = directory_rows(f"{here}/missing", "", walked=False)
    assert missing[1:] == [("No such file or directory", "", None)]


def test_recent_files_are_named_with_their_folder_before_the_samples() -> None:
    home = ("samples/  that come with bpe-tui", "", RowChoice(directory=str(samples.directory())))
    assert recent_rows([]) == [home, ("", "", None)]
    given = [("/x/a.txt",), ("b.txt", "/y/c.txt"), *[(f"{n}.txt",) for n in range(9)]]
    rows = recent_rows(given)
    assert rows[:3] == [
        ("recent", "", None),
        ("a.txt  in /x", "", RowChoice(given[0])),
        ("b.txt and c.txt", "", RowChoice(given[1])),
    ]
    assert [text for text, *_ in rows[3:]] == ["0.txt", "1.txt", "2.txt", "3.txt", home[0], ""]
    for cells, size, text in (
        (30, "1.5 KB", "  a.txt  in /x          1.5 KB"),
        (12, "1.5 KB", "  a.txt  …   1.5 KB"),
        (12, "", "  a.txt  in…"),
    ):
        row = open_other._row_of(("a.txt  in /x", size, RowChoice(given[0])), cells)
        assert ("".join(part for part, _ in row.spans), row.target) == (text, RowChoice(given[0]))


def test_a_chosen_file_goes_together_with_what_is_open(tmp_path: Path) -> None:
    text, tokenizer = RunConfig(HANDOUT, min_count=1), TokenizerConfig((SWAPPED,))
    (tmp_path / "a.txt").write_text("low lower")
    for given, config in (
        ((HANDOUT,), text),
        ((str(tmp_path),), RunConfig(str(tmp_path))),
        ((SWAPPED,), replace(tokenizer, otherwise=RunConfig(SWAPPED))),
    ):
        assert chosen_config(given) == config
    for given, beside, together in (
        ((HANDOUT,), text, text),
        ((HANDOUT,), replace(tokenizer, otherwise=text), replace(tokenizer, corpus=HANDOUT)),
        ((SWAPPED,), tokenizer, ToCompare((SWAPPED,))),
        ((SWAPPED,), text, replace(tokenizer, corpus=HANDOUT, otherwise=RunConfig(SWAPPED))),
        ((SWAPPED,), RunConfig("-"), replace(tokenizer, otherwise=RunConfig(SWAPPED))),
    ):
        assert chosen_beside(given, beside) == together
    for wrong in ((str(tmp_path / "missing"),), (HANDOUT, HANDOUT)):
        with pytest.raises(BpeError):
            chosen_config(wrong)


async def test_what_is_typed_or_clicked_is_opened_beside_what_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.txt", "steps.jsonl"):
        (tmp_path / name).write_text("low lower")
    run, app = RunConfig(HANDOUT), BaseApp()
    async with app.run_test(size=(100, 24)) as pilot:
        opened: list[object] = []

        async def ask(use: ChosenFile = ChosenFile.TOGETHER) -> tuple[Field, Static]:
            await app.push_screen(OpenOther(run, use), opened.append)
            await pilot.pause()
            return app.screen.query_one(Field), app.screen.query_one("#dialog-hint", Static)

        field, hint = await ask()
        await pilot.press("ctrl+k")
        uses = (
            "a tokenizer over handout.txt, a text alone │ [alone] │ side by side with handout.txt "
            "│ check its merges on handout.txt"
        )
        assert str(app.screen.query_one("#open-keep", Static).render()) == f"Ctrl+K  {uses}"
        for typed, told in (("gone", "gone: no such file"), ("gon", "")):
            field.value = typed
            await pilot.press(*["enter"] * bool(told))
            await pilot.pause()
            assert (str(hint.render()), hint.has_class("-refused")) == (told, bool(told))
        field.value = "a"
        await pilot.pause()
        for _ in range(2):
            await pilot.click(app.screen.query_one(FoundRows), offset=(3, 1))
        assert opened.pop() == RunConfig("./a.txt", min_count=1)
        for typed, are_steps in (("steps.jsonl", True), ("a.txt", False)):
            field, _ = await ask(ChosenFile.CHECK)
            field.value = typed
            await pilot.press("enter")
            claimed = Claimed((f"./{typed}",), are_steps=are_steps)
            assert opened.pop() == replace(run, claimed=claimed)
        await ask()
        rows = app.screen.query_one(FoundRows)
        assert row_texts(rows)[3].split() == [".."]
        for _ in range(2):
            await pilot.click(rows, offset=(3, 3))
        assert f"{tmp_path.name}/" in map(str.strip, row_texts(rows))


async def test_another_model_is_chosen_with_the_size_that_it_can_take() -> None:
    app = BaseApp()
    async with app.run_test(size=(100, 24)) as pilot:
        chosen: list[object] = []
        textbook = RunConfig(
            HANDOUT, 9, model="unigram", trainer="textbook", viewpoint=Viewpoint(3)
        )
        for config, keys, size, result in (
            (
                RunConfig(HANDOUT, 300),
                "down enter",
                "at most 300 tokens",
                RunConfig(HANDOUT, 300, model="wordpiece"),
            ),
            (RunConfig(HANDOUT), "enter", "its usual size", None),
            (textbook, "home enter", "its usual size", RunConfig(HANDOUT)),
        ):
            window = ChooseModel(config)
            await app.push_screen(window, chosen.append)
            await pilot.pause()
            rows = window.query_one(ModelRows)
            marks = [rows.row(at).spans[0][0] for at in range(rows.row_count)]
            assert (marks.index("● "), marks.count("○ "), rows.size.height) == (rows.cursor, 3, 4)
            assert f"trained on handout.txt, to {size}. The run" in str(
                window.query_one("#dialog-hint", Static).render()
            )
            assert rows.row(2).spans[2:] == [
                (" " * 12, ""),
                ("weighs too many pieces, and prunes the least needed", "dim"),
            ]
            await pilot.press(*keys.split())
            assert chosen.pop() == result


RUN = RunConfig(HANDOUT, 262)


@cache
def windows() -> dict[str, Callable[[Screen[Any]], Window[Any]]]:
    """Return what makes each window over a screen."""
    made: dict[str, Callable[[Screen[Any]], Window[Any]]] = {
        "export": lambda below: Export(below, 0, ""),
        "open over a tokenizer": lambda _: OpenOther(TokenizerConfig((SWAPPED,))),
    }
    for use in ChosenFile:
        made[f"open {use.name}"] = lambda _, use=use: OpenOther(RUN, use)
    for name in MODELS:
        shown = session_of(RunConfig(HANDOUT, 290, model=name)).shown
        save = MODELS[name].part("save")
        formats = [{"format": each} for each in WRITABLE] if name == "bpe" else [{}]
        for own in formats:
            made[f"save {name} {own}"] = lambda _, save=save, shown=shown, own=own: save(
                shown, "", **own
            )
    return made


@pytest.mark.unix
@pytest.mark.slow
@pytest.mark.parametrize("kind", NAMES)
async def test_a_name_that_is_no_file_is_refused_in_a_sentence(kind: str, tmp_path: Path) -> None:
    app, name = BaseApp(), NAMES[kind]
    async with app.run_test() as pilot:
        for asks, make in windows().items():
            place = tmp_path / asks
            place.mkdir()
            with made_in(place):
                window = make(app.screen)
                await app.push_screen(window)
                window.query_one(Input).value = name
                await pilot.pause()
                hint = window.query_one("#dialog-hint", Static)
                await pilot.press("enter")
                goes_in = asks.startswith("open") and kind.startswith("a folder")
                ended = partial(has_ended, window, hint)
                await until(pilot, ended if not goes_in else lambda: True)
                if window.is_on_top:
                    told = str(hint.render())
                    assert (asks, told[-1:] in "." or ": " in told) == (asks, True)
                    window.dismiss()
                    await pilot.pause()


def has_ended(window: Window[Any], hint: Static) -> bool:
    """Whether a window has closed, or said why not."""
    return window.is_closed or hint.has_class("-refused")
