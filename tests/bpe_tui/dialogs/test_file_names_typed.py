"""Every window that asks for the name of a file, with every name that a person may mistype."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from file_names import NAMES, made_in
from opening import session_of, until
from program import HANDOUT
from textual.screen import Screen
from textual.widgets import Input, Static

from bpe_tui.app.base import BaseApp
from bpe_tui.dialogs.export import Export
from bpe_tui.dialogs.open_other import ChosenFile, OpenOther
from bpe_tui.session.config import RunConfig, TokenizerConfig
from bpe_tui.session.models import MODELS
from bpe_tui.widgets.window import Window
from engine.formats import WRITABLE

RUN = RunConfig(HANDOUT, 262)
SWAPPED = str(Path(HANDOUT).with_name("swapped.json"))


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
