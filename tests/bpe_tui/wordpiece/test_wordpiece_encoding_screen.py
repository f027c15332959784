"""The encoding screen of WordPiece, driven by keys."""

from __future__ import annotations

from pathlib import Path

from edges import text_of
from opening import opened
from textual.widgets import Static, TextArea
from wordpiece_screen import corpus as corpus

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.wordpiece.training_screen import TypedWordPieces


async def type_text(app: BpeTuiApp, pilot: object, text: str) -> None:
    """Go to the encoding screen at the last step, and type a text."""
    app.action_end(True)
    app.action_show("encoding")
    await pilot.pause()  # type: ignore[attr-defined]
    app.screen.query_one("#text", TextArea).load_text(text)
    await pilot.pause()  # type: ignore[attr-defined]


async def test_ids_are_under_the_pieces_and_decode_to_the_text(corpus: Path) -> None:
    async with opened(corpus, model="wordpiece") as (app, pilot):
        await type_text(app, pilot, "hugs  pun")
        pieces = text_of(app.screen.query_one(TypedWordPieces))
        assert pieces[0].startswith("hugs│pun")
        assert str(app.screen.query_one("#decoded", Static).content) == "hugs·pun"
        assert "one space now" in str(app.screen.query_one("#decode").border_subtitle)
        ids = pieces[1].split()
        await pilot.press("tab", "tab", "tab", "tab", *ids[1])
        assert str(app.screen.query_one("#decoded", Static).content) == "pun"
        await pilot.press(*"99999")
        assert "there is no token" in str(app.screen.query_one("#decoded", Static).content)
        for length, is_cut in ((4000, False), (4001, True)):
            await type_text(app, pilot, "x" * length)
            foot = str(app.screen.query_one(TypedWordPieces).border_subtitle)
            assert foot.startswith("of the first 4,000 characters") == is_cut
