"""The inspection screen: the tokenizer of the timeline's step, section by section."""

from __future__ import annotations

from pathlib import Path
from threading import enumerate

import pytest
from opening import SAMPLE, opened, opened_as, until
from screen_text import shown_text

from bpe_tui.panels import inspection_screen
from bpe_tui.panels.inspection_screen import InspectionPanel
from bpe_tui.session.config import TokenizerConfig
from engine import Tokenizer

HANDOUT = SAMPLE.with_name("handout.txt")


async def test_a_large_screen_shows_as_many_tokens_of_each_kind_as_it_has_rows_for() -> None:
    async with opened(HANDOUT, size=(160, 52)) as (app, pilot):
        await pilot.press("5")
        panel = app.screen.query_one("#kinds", InspectionPanel)
        few, more = (len(panel._section.rows(panel.inspection, panel.room, n)) for n in (1, 2))
        for height, rows in ((more, more), (more - 1, few)):
            panel.styles.height = height + 2
            await until(pilot, lambda: panel.size.height == height)  # noqa: B023
            assert panel.row_count == rows
        app.screen.query_one("#longest").focus()
        await pilot.press("z")
        assert len(shown_text(app, "longest")) == 257  # all of them, under a sentence


@pytest.mark.slow
async def test_many_tokens_are_inspected_in_a_thread_of_the_last_step_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inspection_screen, "AT_ONCE", 0)
    async with opened(HANDOUT) as (app, pilot):
        await pilot.press("5")
        panel = app.screen.query_one("#overview", InspectionPanel)
        await until(pilot, lambda: panel.inspection is not None)
        assert shown_text(app, "overview")[0] == "tokens 257"
        app.seek(3)
        assert shown_text(app, "overview")[0] == "Looking at 260 tokens …"
        monkeypatch.setattr(inspection_screen, "AT_ONCE", 263)
        app.seek(6)
        await until(pilot, lambda: all(each.name != "inspection" for each in enumerate()))
        await pilot.pause()
        assert panel.inspection
        assert panel.inspection.size == 263


@pytest.mark.slow
async def test_an_opened_tokenizer_says_its_format_and_what_was_guessed(tmp_path: Path) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"he"}
    Tokenizer(vocab, [(b"h", b"e")]).save(tmp_path / "tok")
    (tmp_path / "tok" / "bpe-tui.json").unlink()
    async with opened_as(TokenizerConfig((str(tmp_path / "tok"),))) as (app, pilot):
        await pilot.press("escape", "5")
        assert shown_text(app, "overview")[0] == "format gpt2"
        everything = " ".join(shown_text(app, "overview"))
        assert "note the files name no pattern; GPT-2's is taken;" in everything
