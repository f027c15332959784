"""The panels of the encoding screen: candidates, why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bert_file import BERT
from edges import edged
from opening import opened_as, until
from screen_text import encoding, shown
from textual.widgets import Input, TextArea

from bpe_tui.bpe.encoding_screen import WhyNotRows
from bpe_tui.bpe.walks import EncodeStepsPanel, PretokensPanel
from bpe_tui.session.config import TokenizerConfig
from engine import Trainer
from engine.bpe.run import to_tokenizer
from engine.formats import save


async def test_why_not_answers_the_typed_piece_and_escape_goes_back() -> None:
    async with encoding("a kite the", (200, 60)) as (_, screen, pilot):
        await pilot.press("down")
        rows = screen.query_one(WhyNotRows)
        assert rows.asked == " kite"  # on a large screen it is in sight before anybody asks
        await pilot.press("w")
        await pilot.press("h", "e")
        assert "“he” was one token, until “·t” + “he” (merge 6)" in shown(rows)
        assert "merge 6  ·the  ◂ here a part is taken" in shown(rows)
        await pilot.press("escape")
        assert screen.panels.slot == screen.SLOT[0]
        assert screen.focused is screen.query_one("#pretokens")


@pytest.mark.slow
async def test_why_not_asks_about_the_selected_text() -> None:
    async with encoding("the kite") as (_, screen, pilot):
        await pilot.press("e")
        screen.query_one(TextArea).move_cursor((0, 4))
        screen.query_one(TextArea).move_cursor((0, 8), select=True)
        await pilot.press("escape", "w")
        assert screen.query_one(WhyNotRows).asked == "kite"


@pytest.mark.slow
async def test_why_not_accepts_a_piece_that_no_line_can_show() -> None:
    async with encoding("\x1b") as (_, screen, pilot):
        await pilot.press("w")
        assert screen.query_one("#why-not-input", Input).value == ""
        rows = screen.query_one(WhyNotRows)
        await until(pilot, lambda: shown(rows).startswith("“␛” is one token here: id 27"))


@pytest.mark.slow
async def test_a_model_without_a_walk_shows_its_rule_instead(tmp_path: Path) -> None:
    words = {"type": "WordLevel", "vocab": {"<unk>": 0, "the": 1}, "unk_token": "<unk>"}
    (tmp_path / "tokenizer.json").write_text(json.dumps(BERT | {"model": words}))
    async with opened_as(TokenizerConfig((str(tmp_path / "tokenizer.json"),))) as (app, pilot):
        app.navigation.open_encoding("The hugs", look=True)
        await pilot.pause()
        steps = app.screen.query_one(EncodeStepsPanel)
        assert str(steps.border_title) == "how the encodes   WordLevel"
        text_shown = " ".join(shown(steps).split())
        assert text_shown.startswith("the 1 token. WordLevel merges nothing: it looks the whole")


@pytest.mark.slow
async def test_the_longest_match_of_an_opened_vocabulary_is_walked(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text(json.dumps(BERT))
    async with opened_as(TokenizerConfig((str(tmp_path / "tokenizer.json"),))) as (app, pilot):
        app.navigation.open_encoding("The hugs", look=True)
        await pilot.pause()
        pretokens = app.screen.query_one(PretokensPanel)
        assert str(pretokens.border_subtitle) == "cut by BertPreTokenizer"
        assert shown(pretokens).split() == ["❯", "the", "1", "hugs", "2"]
        await pilot.press("down")
        steps = app.screen.query_one(EncodeStepsPanel)
        rows = [line.split() for line in shown(steps).splitlines()]
        assert rows[1:4] == [
            ["1", "────", "hugs", "no"],
            ["2", "━━━", "hug", "found,", "id", "1"],
            ["▸", "3", "━", "##s", "found,", "id", "2"],
        ]
        assert str(steps.border_title) == "how hugs encodes   probe 3 of 3"
        assert str(steps.border_subtitle) == "found: hug ##s"
        await pilot.press(*["left"] * 20, "right")
        assert steps.place == 1
        assert shown(steps).splitlines()[1].split() == ["▸", "1", "────", "hugs", "no"]


@pytest.mark.slow
async def test_merges_of_characters_start_from_characters(tmp_path: Path) -> None:
    trainer = Trainer({b"low": 3}, 6, units="characters")
    learnt = to_tokenizer(trainer.record, len(list(trainer.steps())), "none")
    save(learnt, tmp_path / "tokenizer.json", "huggingface")
    async with opened_as(TokenizerConfig((str(tmp_path / "tokenizer.json"),))) as (app, pilot):
        app.navigation.open_encoding("low", look=True)
        await pilot.pause()
        first = edged(app.screen.query_one(EncodeStepsPanel).row(0).spans)
        assert first.split() == ["characters", "l┊o┊w"]
