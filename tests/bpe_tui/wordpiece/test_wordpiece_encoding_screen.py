"""The encoding screen of WordPiece, driven by keys."""

from __future__ import annotations

from pathlib import Path

from opening import opened
from textual.widgets import TextArea
from wordpiece_screen import corpus as corpus

from bpe_tui.wordpiece.training_screen import TypedWordPieces


async def test_a_long_text_is_encoded_up_to_a_number_of_characters(corpus: Path) -> None:
    async with opened(corpus, model="wordpiece") as (app, pilot):
        app.action_show("encoding")
        await pilot.pause()
        for length, is_cut in ((4000, False), (4001, True)):
            app.screen.query_one("#text", TextArea).load_text("x" * length)
            await pilot.pause()
            foot = str(app.screen.query_one(TypedWordPieces).border_subtitle)
            assert foot.startswith("of the first 4,000 characters") == is_cut
