"""In another language no English word is on any screen or window, except names."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from english_words import english_in
from generated import first_quick
from opening import opened_as
from program import ROOT, run
from rich.cells import cell_len
from test_sizes import WINDOWS, settle
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import Config, RunConfig, TokenizerConfig
from bpe_tui.session.declarations import EVERYWHERE
from bpe_tui.session.languages import speak
from bpe_tui.session.models import MODELS
from bpe_tui.shell.exports import screen_text
from bpe_tui.shell.session_screen import SessionScreen
from bpe_tui.studies.race import RaceJob
from bpe_tui.widgets.textual_private import painted_lines

CHINESE = (ROOT / "samples" / "parallel" / "chinese.txt").read_text("utf-8")


def corpus_in(folder: Path) -> str:
    """Return a corpus without a Latin letter, in a file with a Chinese name."""
    corpus = folder / "语料.txt"
    corpus.write_text(CHINESE, "utf-8")
    return str(corpus)


@asynccontextmanager
async def in_chinese(
    config: Config, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[BpeTuiApp, Pilot[int]]]:
    """Open a config in Chinese, with a Chinese text typed."""
    speak("zh")
    async with opened_as(config, size) as (app, pilot):
        app.session.type("今天天气很好。")
        app.seek(3)
        yield app, pilot


CASES = [*((model, (120, 40)) for model in MODELS), *((model, (80, 24)) for model in MODELS)]


@pytest.mark.parametrize(("model", "size"), first_quick(CASES))
async def test_no_screen_has_an_english_word(
    model: str, size: tuple[int, int], tmp_path: Path
) -> None:
    found = {}
    config = RunConfig(corpus_in(tmp_path), vocab_size=270, model=model)
    async with in_chinese(config, size) as (app, pilot):
        for kind in EVERYWHERE:
            if app.refusal_of(f"app.show('{kind}')") is None:
                app.action_show(kind)
                await settle(pilot)
                if words := english_in(screen_text(app.screen)):
                    found[kind] = words
    assert found == {}


async def test_a_race_that_waits_or_is_about_to_start_says_so_in_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RaceJob, "start", lambda _: None)  # as on a slow machine
    config = RunConfig(corpus_in(tmp_path), vocab_size=270)
    async with in_chinese(config, (120, 40)) as (app, pilot):
        ended, app.session.stop_reason = app.session.stop_reason, None
        app.action_show("race")
        for app.session.stop_reason in (None, ended):
            app.changed()
            await pilot.pause()
            assert english_in(screen_text(app.screen)) == set()


OF_NAMES = {"CommandWindow", "OpenOther", "AskWindow", "ChatWindow"}
"""Windows that show paths, a command, or, in this corpus, why they do not open."""


@pytest.mark.slow  # opens each window
@pytest.mark.parametrize("window", sorted(WINDOWS.keys() - OF_NAMES))
async def test_no_window_has_an_english_word(window: str, tmp_path: Path) -> None:
    case, kind, keys = WINDOWS[window]
    corpus = corpus_in(tmp_path)
    config: Config = RunConfig(corpus, vocab_size=300, model=case if case in MODELS else "bpe")
    if case not in MODELS:
        run("train", corpus, "--vocab-size", "270", "--out", tmp_path / "词表")
        config = TokenizerConfig((str(tmp_path / "词表"),), corpus=corpus)
    async with in_chinese(config) as (app, pilot):
        app.action_show(kind)
        await settle(pilot)
        screen = app.screen
        assert isinstance(screen, SessionScreen)
        for key in keys.split():
            if key.startswith("#"):
                screen.show_panel(key[1:])
            else:
                await pilot.press(key)
            await settle(pilot)
        assert english_in(screen_text(app.screen)) == set()
        # A wide character at an edge of the window is whole, or a blank.
        assert {cell_len(strip.text) for strip in painted_lines(app.screen)} == {app.size.width}


async def test_the_start_page_has_no_english_word() -> None:
    speak("zh")
    app = BpeTuiApp(None)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("tab")
        await settle(pilot)
        assert english_in(screen_text(app.screen)) == set()
