"""The inspection of Unigram's pieces, driven by keys."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import opened
from screen_text import shown_text
from unigram_texts import TEXT

from bpe_tui.unigram.summary_screens import SECTIONS, UnigramInspectionScreen
from bpe_tui.views.inspection_screen import InspectionPanel
from engine.analysis.inspection import UnigramInspection
from engine.unigram.frame import UnigramFrame


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    place = tmp_path / "hugs.txt"
    place.write_text(TEXT)
    return place


async def test_a_key_shows_every_section_for_the_step_and_steps_change_it(corpus: Path) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("5", "right")
        await pilot.pause()
        assert isinstance(app.screen, UnigramInspectionScreen)
        frame = app.session.shown
        assert isinstance(frame, UnigramFrame)
        inspection = UnigramInspection(frame)
        for section in SECTIONS:
            panel = app.screen.query_one(f"#{section.id}", InspectionPanel)
            shown = [panel.row(n).spans for n in range(panel.row_count)]
            rows = [row.spans for row in section.rows(inspection, panel.room)]
            assert shown[: len(rows)] == rows  # the overview says how it was trained, too
        before = shown_text(app, "overview")[0]
        assert before.startswith(f"pieces {frame.size}")
        await pilot.press("n")
        await pilot.pause()
        assert shown_text(app, "overview")[0] != before
