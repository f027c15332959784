"""A tokenizer that goes on, on the screen: the key, the border, saving."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from opening import SAMPLE, ended, frame_of, opened_as, recorded_once, until
from textual.widgets import Input, Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import TokenizerConfig
from bpe_tui.widgets.controls import Scrubber
from engine import Tokenizer, train_bpe

CODE, HANDOUT = SAMPLE.parent / "code.txt", SAMPLE.parent / "handout.txt"


@pytest.mark.slow
async def test_a_key_learns_more_merges_behind_a_border_and_saves_them(tmp_path: Path) -> None:
    vocab, merges = train_bpe(HANDOUT, 400, ["<|endoftext|>"])
    Tokenizer(vocab, merges, ["<|endoftext|>"]).save(tmp_path / "own.json", "huggingface")
    own = len(merges)
    async with opened_as(TokenizerConfig((str(tmp_path / "own.json"),), str(CODE))) as (app, pilot):
        app.action_show("training")
        for key, refused in (("i", "only a training from a text has forks"), ("P", "no count")):
            await pilot.press(key)
            assert refused in app.notices.now
        await pilot.press("A")
        field = app.screen.query_one("#dialog-input", Input)
        for typed, said in (("x", "Give a number"), ("0", "ask for at least 1")):
            field.value = typed
            await pilot.press("enter")
            assert said in str(app.screen.query_one("#dialog-hint", Static).content)
        field.value = "30"
        await pilot.press("enter")
        await until(pilot, lambda: app.session.config.continued == 30)
        await ended(app, pilot)
        frame = frame_of(app)
        assert (frame.step, frame.recorded_steps) == (own, own + 30)
        assert frame.phase_start is not None
        assert app.refusal_of("app.predict") is None

        app.action_show("training")
        await pilot.press("left")
        await until(pilot, lambda: "┃" in app.screen.query_one(Scrubber).render_line(0).text)
        app.seek(own + 20)
        here = app.session.frame
        assert here is not None
        assert len(here.tokenizer().merges) == own + 20
        config = replace(app.session.config, viewpoint=app.viewpoint)
    again = BpeTuiApp(config, recorded_once)
    async with again.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: again.session.frame and again.session.frame.step == own + 20)
        now = again.session.frame
        assert now is not None
        assert [now.merge_at(n).pair for n in range(own + 30)] == [
            frame.merge_at(n).pair for n in range(own + 30)
        ]
