"""The inspection screen: the tokenizer of the timeline's step, section by section."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import SAMPLE, opened, opened_as, until
from screen_text import shown_text

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.inspection_rows import SECTIONS
from bpe_tui.session.config import RunConfig, TokenizerConfig
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
        frame = app.session.frame
        assert frame is not None
        inspection = Inspection.of_frame(frame)
        for section in SECTIONS:
            panel = app.screen.query_one(f"#{section.id}", InspectionPanel)
            rows = section.rows(inspection, panel.room)  # the overview says how it was trained, too
            assert [panel.row(n) for n in range(panel.row_count)][: len(rows)] == rows
        await pilot.press("right")
        assert shown_text(app, "overview")[0] == "tokens 358"


def rows_below_the_bars(app: BpeTuiApp, panel: str) -> list[str]:
    rows = shown_text(app, panel)
    return rows[rows.index("") + 1 :]


@pytest.mark.slow
async def test_each_length_and_each_kind_has_examples_that_lead_to_their_tokens() -> None:
    handout = RunConfig(str(SAMPLE.parent / "handout.txt"), pattern="whitespace", vocab_size=300)
    async with opened_as(handout) as (app, pilot):
        await pilot.press("5")
        await pilot.pause()
        # At step 0 all are bytes, and a letter says more than a control character.
        assert rows_below_the_bars(app, "lengths") == ["1 byte A B C D E F G H I J …"]
        assert rows_below_the_bars(app, "kinds")[1].startswith("symbols ! \" # $ % & ' ( )")
        assert shown_text(app, "longest")[:2] == [
            "All tokens are one byte long, such as:",
            "id 65 1 B A",
        ]
        app.seek(6)  # s t, e st, o w, l ow, w est, n e
        await pilot.pause()
        assert rows_below_the_bars(app, "lengths") == [
            "1 byte A B C D E F G H I J …",
            "2 bytes st ow ne",
            "3 bytes est low",
            "4 bytes west",
        ]
        assert "Latin st est ow low west ne" in "\n".join(rows_below_the_bars(app, "kinds"))
        lengths = app.screen.query_one("#lengths", InspectionPanel)
        lengths.focus()
        await pilot.press("z")
        await pilot.pause()
        listed = " ".join(rows_below_the_bars(app, "lengths"))
        assert " <FF>" in listed
        assert "…" not in listed
        await pilot.press("z")
        await pilot.pause()
        lengths.put_cursor(lengths.row_count - 1, 0)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, VocabularyScreen)
        assert app.screen.table.rows.token == 261


@pytest.mark.slow
async def test_on_a_small_screen_tab_goes_to_the_next_section() -> None:
    async with opened(size=(80, 24)) as (app, pilot):
        await pilot.press("5")
        await pilot.pause()
        shown = [panel.id for panel in app.screen.query(InspectionPanel) if panel.region.area]
        assert shown == ["overview"]
        await pilot.press("tab")
        await pilot.pause()
        shown = [panel.id for panel in app.screen.query(InspectionPanel) if panel.region.area]
        assert shown == ["lengths"]


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
