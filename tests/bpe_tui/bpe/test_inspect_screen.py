"""The inspection screen: the tokenizer of the timeline's step, section by section."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import frame_of, opened, opened_as, until
from screen_text import shown_text

from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.session.config import TokenizerConfig
from bpe_tui.views.inspection_screen import InspectionPanel, InspectionScreen
from bpe_tui.views.vocabulary_screen import VocabularyScreen
from engine import Tokenizer
from engine.analysis.inspection import Inspection


async def test_every_section_follows_the_step_and_a_token_leads_to_the_vocabulary_and_back() -> (
    None
):
    async with opened() as (app, pilot):
        app.seek(100)
        await pilot.press("5")
        await pilot.pause()
        app.screen.query_one("#longest").focus()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, VocabularyScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, InspectionScreen)
        assert shown_text(app, "overview")[0] == "tokens 357"
        frame = frame_of(app)
        inspection = Inspection.of_frame(frame)
        for section in SECTIONS:
            panel = app.screen.query_one(f"#{section.id}", InspectionPanel)
            rows = section.rows(inspection, panel.room)  # the overview says how it was trained, too
            assert [panel.row(n) for n in range(panel.row_count)][: len(rows)] == rows
        await pilot.press("right")
        assert shown_text(app, "overview")[0] == "tokens 358"
        app.screen.query_one("#longest").focus()
        few = len(shown_text(app, "longest"))
        await pilot.press("z")
        zoomed = shown_text(app, "longest")
        assert len(zoomed) > few  # all of them in a zoom, on a large screen, too
        app.screen.add_class("-large")
        app.screen.query_one("#longest", InspectionPanel).rebuild()
        assert shown_text(app, "longest") == zoomed
        app.screen.forget_run()
        panel = app.screen.query_one("#longest", InspectionPanel)
        assert (panel.frame, panel.inspection, app.screen._inspected) == (None, None, None)


async def test_many_tokens_are_inspected_in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bpe_tui.views.inspection_screen.AT_ONCE", 0)
    async with opened(Path(__file__).parents[3] / "samples" / "handout.txt") as (app, pilot):
        await pilot.press("5")
        await until(pilot, lambda: shown_text(app, "overview")[0].startswith("tokens"))
        assert shown_text(app, "overview")[0].startswith("tokens 257")


@pytest.mark.slow
async def test_an_opened_tokenizer_says_its_format_and_what_was_guessed(tmp_path: Path) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"he"}
    Tokenizer(vocab, [(b"h", b"e")]).save(tmp_path / "tok")
    (tmp_path / "tok" / "bpe-tui.json").unlink()
    async with opened_as(TokenizerConfig((str(tmp_path / "tok"),))) as (app, pilot):
        await pilot.press("escape", "5")
        await pilot.pause()
        assert shown_text(app, "overview")[0] == "format gpt2"
        everything = " ".join(shown_text(app, "overview"))
        assert "note the files name no pattern; GPT-2's is taken;" in everything
