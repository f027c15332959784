"""The training screen of Unigram, driven by keys."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest
from edges import text_of
from opening import ended_by_failure, opened, step, until
from textual.widgets import Static
from unigram_texts import corpus as corpus
from unigram_texts import frame_of

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.session_app import PLACES
from bpe_tui.session.config import RunConfig
from bpe_tui.session.models import MODELS
from bpe_tui.shell.commands import commands_on
from bpe_tui.unigram.encoding_screen import UnigramEncodingScreen
from bpe_tui.unigram.narration import cost_text, count_text, probability_text, score_text
from bpe_tui.unigram.piece_table import PieceRows
from bpe_tui.unigram.training_screen import (
    PiecesOfText,
    StepPanel,
    UnigramTrainingScreen,
)
from bpe_tui.widgets.controls import Scrubber
from engine.unigram.record import EmStep, PruneStep


async def test_the_same_keys_play_it_as_play_merges_and_t_goes_from_prune_to_prune(
    corpus: Path,
) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        prunes = list(frame_of(app).prunes)
        assert prunes
        await pilot.press("n")
        assert step(app) == prunes[0]
        assert isinstance(frame_of(app).came_by, PruneStep)
        assert list(app.screen.query_one(Scrubber).marks[0].positions) == prunes
        await pilot.press("end", "t", "T")
        assert step(app) == max((p for p in prunes if p < frame_of(app).recorded_steps), default=0)
        app.seek(0)
        assert isinstance(app.screen, UnigramTrainingScreen)
        await pilot.press("right", "l", "h")
        assert step(app) == 1
        await pilot.press("end")
        assert step(app) == frame_of(app).recorded_steps
        await pilot.press("home", "g", "2", "enter")
        assert step(app) == 2
        await pilot.press("home", "plus", "plus", "plus", "space")
        await until(pilot, lambda: step(app) > 0)


async def test_a_typed_text_is_cut_with_the_pieces_of_the_step_and_enter_leads_on(
    corpus: Path,
) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("end", "e", "ctrl+u", *"hugs", "space", *"Qz")
        shown = text_of(app.screen.query_one(PiecesOfText))
        assert "Q" in shown[0]
        assert "Step" in str(app.screen.query_one("#narration", Static).content)
        await pilot.press("enter")
        assert app.screen.id == "unigram-encoding"


async def test_a_row_of_em_shows_its_arithmetic_and_leads_to_the_piece(corpus: Path) -> None:
    async with opened(corpus, vocab_size=24, model="unigram") as (app, pilot):
        await pilot.press("right")
        app.screen.query_one(StepPanel).focus()
        panel, frame = app.screen.query_one(StepPanel), frame_of(app)
        assert isinstance(frame.came_by, EmStep)
        await pilot.press(*["down"] * 12)
        text_shown = " ".join(text_of(panel)[:9])
        target = panel.row(panel.cursor).target
        assert target is not None
        number = target.number  # type: ignore[attr-defined]
        index = frame.index_of(number)
        if index is not None:
            assert f"= {score_text(float(frame.scores[index]), 3)}" in text_shown
        assert "ψ(" in text_shown
        await pilot.press("enter")
        rows = app.screen.query_one(PieceRows)
        assert (rows.has_focus, rows.token) == (True, number)


async def test_a_vocabulary_too_small_for_the_characters_is_an_error_in_words(corpus: Path) -> None:
    app = await ended_by_failure(RunConfig(str(corpus), vocab_size=5, model="unigram"))
    assert "too small" in str(app.failure)


def test_numbers_have_few_digits() -> None:
    counts = map(count_text, (0.0, 9.994, 10.0, 1204.31))
    assert [*counts] == ["0.00", "9.99", "10.0", "1,204.3"]
    assert [cost_text(cost) for cost in (0.0, 0.0001, 0.00009, -0.5)] == [
        *("0.0000", "0.0001", "9.0×10⁻⁵", "−0.5000")
    ]
    values = (-0.0001, 0.0, -0.0006, -inf, inf)
    assert [score_text(value, 3) for value in values] == ["0.000", "0.000", "−0.001", "−∞", "∞"]
    assert [probability_text(p) for p in (0.5, 0.02304, 0.0, 1e-9)] == [
        "50.0%",
        "2.304%",
        "0%",
        "10⁻⁷%",
    ]


@pytest.mark.parametrize("screen", [UnigramTrainingScreen, UnigramEncodingScreen])
def test_every_command_works_or_says_why_not(
    screen: type[UnigramTrainingScreen | UnigramEncodingScreen],
) -> None:
    name = screen().id or ""
    for command in commands_on(name):
        where, _, action = command.action.partition(".")
        done_by: type = screen if where == "screen" else BpeTuiApp
        assert hasattr(done_by, f"action_{action.partition('(')[0]}"), command.action
        if where == "screen" and action.startswith("show("):
            assert action[6:-2] in screen.PANEL_ORDER, command.action
        elif action.startswith("show("):
            assert MODELS["unigram"].screen(action[6:-2]) in PLACES, command.action
