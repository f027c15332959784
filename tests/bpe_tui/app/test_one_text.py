"""One text for the whole program: what is typed on one screen is encoded on all."""

from __future__ import annotations

from pathlib import Path

import pytest
from generated import first_quick
from opening import opened, until
from textual.events import Paste
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.session import EXAMPLE
from bpe_tui.widgets.lines import Lines

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
        await shown(pilot, "e end h e n")
        assert line(app) == f"{SENTENCE}hen", "End keeps what is there"
        await shown(pilot, "escape e h e n")
        assert line(app) == "hen", "typing replaces it"
        await shown(pilot, "escape 2")
        assert text(app) == "hen"
        await shown(pilot, "e end s escape 8")
        assert line(app, "pipeline-text") == "hens"
        await shown(pilot, "e c a t escape 2 e d o g escape 1")
        assert line(app) == "dog"
        await shown(pilot, "e ctrl+u escape 2")
        assert text(app) == "", "what is emptied stays empty"


async def test_after_typing_the_cursor_is_on_the_first_pretoken_that_changed() -> None:
    async with opened() as (app, pilot):
        app.session.type("one two three")
        await shown(pilot, "2")
        rows = app.screen.query_one("#pretokens", Lines)
        for keys, place in (
            ("e end s", 2),
            ("left left left left left left left x", 1),
            ("home space", 0),
            ("end backspace", 2),
        ):
            rows.cursor = 0
            await shown(pilot, keys)
            assert (keys, rows.cursor) == (keys, place)
        await shown(pilot, "escape right")
        assert rows.cursor == 2, "a step is no change of the text"


async def test_a_paste_of_several_lines_is_kept_whole_in_the_line_of_the_training_screen() -> None:
    async with opened() as (app, pilot):
        for keys, pasted, kept in (
            ("e", "low\nlower\r\n", "low\nlower"),
            ("e end", "er\n\nlow", "lower\n\nlow"),
            ("e", "one line", "one line"),
        ):
            await shown(pilot, keys)
            app.post_message(Paste(pasted))
            await until(pilot, lambda: app.session.text == kept)  # noqa: B023
            await shown(pilot, "escape 2")
            assert text(app) == kept
            await shown(pilot, "1")


@pytest.mark.parametrize("corpus", first_quick(["", "\x07\x1b[31m\n\x00\n"]))
async def test_without_a_harmless_sentence_an_example_is_encoded(
    tmp_path: Path, corpus: str
) -> None:
    odd = tmp_path / "odd.txt"
    odd.write_text(corpus + "\u200f" * 9)
    async with opened(odd, vocab_size=257) as (app, _):
        assert line(app) == EXAMPLE
