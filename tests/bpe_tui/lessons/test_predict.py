"""Prediction: the lesson view asks what a step does before it shows the step."""

from __future__ import annotations

from pathlib import Path

import pytest
from opening import burst, opened_as, step, until
from screen_text import shown

from bpe_tui.bpe.encoding_screen import EncodingScreen
from bpe_tui.lessons.asking import AskWindow
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.lessons.screen import LessonScreen
from bpe_tui.lessons.section import LessonSection
from bpe_tui.session.config import RunConfig

SAMPLES = Path(__file__).parents[3] / "samples"
HANDOUT = RunConfig(str(SAMPLES / "handout.txt"), pattern="whitespace")


def said(screen: LessonScreen, name: str) -> str:
    return shown(screen.query_one(f"#{name}", LessonSection))


def keys_of(screen: LessonScreen) -> list[str]:
    return [key.label for key in screen.predictor.keys]


async def test_questions_are_asked_answered_hinted_shown_and_skipped_with_keys() -> None:
    async with opened_as(HANDOUT, (100, 30)) as (app, pilot):
        await pilot.press("P")  # from the training screen to the lesson view
        await until(pilot, lambda: isinstance(app.screen, LessonScreen) and app.screen.question)
        screen = app.screen
        assert isinstance(screen, LessonScreen)
        screen.clock.motion = False
        assert "2 pairs occur 9 times each: which one merges?" in said(screen, "pick")
        assert "Rule lexicographic (CS336): later in byte" in said(screen, "pick")
        assert not screen.query_one("#replace").display
        count = said(screen, "count")
        rows = [row for row in count.splitlines() if "+" in row]
        assert ["tied" in row for row in rows] == [True, True]
        tied, right = (
            next(place for place, row in enumerate(rows) if name in row) for name in ("e+s", "s+t")
        )
        assert keys_of(screen) == [*("choose", "answer", "hint", "show me", "skip", "stop", "make")]

        await pilot.press(*["down"] * tied, "enter", "H")
        assert "No: e+s loses to another pair that is tied with it." in said(screen, "pick")
        assert "0 of 1 at the first try" in str(screen.query_one("#heading").render())
        await pilot.press("j", "k", *["down"] * ((right - tied) % 2), "enter")
        assert "Right: s+t wins the tie of 2 at 9." in said(screen, "pick")
        assert "▶ s+t" in said(screen, "count")

        await pilot.press("enter")  # the step is shown, and the next one asked
        assert (step(app), screen.predictor.is_on) == (1, True)
        assert "Which pair merges next?" in said(screen, "pick")
        assert "Count for yourself: these are all words" in said(screen, "pick")
        assert "5 × low   2 × lower   3 × widest" in said(screen, "pick")
        await pilot.click("#corpus", offset=(20, 1))  # a token, which would reveal its merges
        assert app.screen is screen
        assert "That would tell the answer" in app.notices.now
        await pilot.press("H")
        count = said(screen, "count")
        assert ("❯ " in count, "?" in count, "▄" in count) == (True, True, False)
        await pilot.press("exclamation_mark")  # the answer is shown, and stays
        assert (step(app), screen.question) == (2, None)
        assert "e+st occurred" in said(screen, "pick")
        await pilot.press("enter")
        assert "2 pairs occur 7 times each" in said(screen, "pick")
        await pilot.press("right")  # not known
        assert step(app) == 3
        assert "0 of 3 at the first try" in str(screen.query_one("#heading").render())
        await pilot.press("left")
        assert screen.question is not None
        assert step(app) == 2
        await pilot.press("P")
        assert (screen.question, keys_of(screen)) == (None, [])

        await pilot.press("end", "P")
        assert not screen.predictor.is_on
        assert "Nothing to predict: no pair merges after step 12." in app.notices.now


@pytest.mark.parametrize("size", [(80, 24), pytest.param((60, 20), marks=pytest.mark.slow)])
async def test_the_next_merges_are_made_by_hand_and_then_shown(size: tuple[int, int]) -> None:
    async with opened_as(HANDOUT, size) as (app, pilot):
        await pilot.press("P")
        await until(pilot, lambda: isinstance(app.screen, LessonScreen) and app.screen.question)
        screen = app.screen
        assert isinstance(screen, LessonScreen)
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        panel = app.screen.query_one(QuestionPanel)
        assert panel.row_count <= panel.size.height, "all of the exercise is in sight"
        # s + t, then e + st, then o + w: the cursor stays at the pair that was chosen.
        await pilot.press(
            "down", "down", *["right"] * 4, "enter", "space", "down", "space", "enter"
        )
        assert panel.attempt is not None
        assert len(panel.attempt.progress) == 5
        await pilot.press("up", "left", "enter")
        await pilot.press("space", "down", "space", "enter")
        assert len(panel.attempt.progress) == 10
        await pilot.press("exclamation_mark", "enter")
        await until(pilot, lambda: app.screen is screen)
        await until(pilot, lambda: step(app) == 3)
        assert "0 of 1 at the first try" in str(screen.query_one("#heading").render())
        await pilot.press("m", "right", "escape")
        await until(pilot, lambda: app.screen is screen)
        assert step(app) == 3  # where they began
        await pilot.press("end", "m")
        assert "Nothing to do by hand: no pair merges after step 12." in app.notices.now


async def test_a_pretoken_is_encoded_by_hand_and_costs_are_asked_for_on_the_encoding_screen() -> (
    None
):
    async with opened_as(HANDOUT, (80, 24)) as (app, pilot):
        await pilot.press("end", "2")
        await until(pilot, lambda: isinstance(app.screen, EncodingScreen))
        app.session.type("lowest")
        app.changed()
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        panel = app.screen.query_one(QuestionPanel)
        assert panel.attempt is not None
        assert str(panel.attempt.question.asks).startswith("Encode “lowest” by hand")
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, EncodingScreen))
        await pilot.press("P")
        await until(pilot, lambda: isinstance(app.screen, AskWindow))
        panel = app.screen.query_one(QuestionPanel)
        assert panel.attempt is not None
        assert panel.attempt.question.kind == "fewer"
        await pilot.press("enter")
        assert panel.attempt.at_first_try
        burst(app, "enter", "enter")  # the second one comes too late
        await until(pilot, lambda: isinstance(app.screen, EncodingScreen))
        app.session.type(" ")
        app.changed()
        await pilot.press("P")
        assert "two lines to compare" in app.notices.now
