"""One text for the whole program: what is typed on one screen is encoded on all."""

from __future__ import annotations

from pathlib import Path

import pytest
from generated import first_quick
from opening import opened
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.session import EXAMPLE

SENTENCE = "Once upon a time there was a little brown hen named Dot."
"""The first sentence of the open corpus."""


def line(app: BpeTuiApp, name: str = "encode-input") -> str:
    return app.screen.query_one(f"#{name}", Input).value


def text(app: BpeTuiApp) -> str:
    return app.screen.query_one("#text", TextArea).text


async def shown(pilot: Pilot[int], keys: str) -> None:
    await pilot.press(*keys.split())


async def test_a_text_typed_on_one_screen_is_shown_on_the_others() -> None:
    async with opened() as (app, pilot):
        await shown(pilot, "e h e n")
        assert line(app) == f"{SENTENCE}hen", "typing goes on at the end"
        await shown(pilot, "ctrl+u h e n")
        await shown(pilot, "escape 2")
        assert text(app) == "hen"
        await shown(pilot, "e end s escape 8")
        assert line(app, "pipeline-text") == "hens"
        await shown(pilot, "e ctrl+u c a t escape 1")
        assert line(app) == "cat"
        await shown(pilot, "e ctrl+u escape 2")
        assert text(app) == "", "what is emptied stays empty"


@pytest.mark.parametrize("corpus", first_quick(["", "\x07\x1b[31m\n\x00\n"]))
async def test_without_a_harmless_sentence_an_example_is_encoded(
    tmp_path: Path, corpus: str
) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_text(corpus + "\u200f" * 9)
    async with opened(odd, vocab_size=257) as (app, _):
        assert line(app) == EXAMPLE
