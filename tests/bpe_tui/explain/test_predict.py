"""Prediction: the explain screen asks what a step does before it shows the step."""

from pathlib import Path

import pytest
from opening import burst, frame_of, opened_as, step, until
from screen_text import row_texts
from textual.pilot import Pilot

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.encoding_screen import EncodingScreen
from bpe_tui.explain.screen import ExplainScreen
from bpe_tui.lessons.asking import AskWindow
from bpe_tui.lessons.question_panel import QuestionPanel
from bpe_tui.session.config import RunConfig
from engine.learning.asked_steps import AskedSteps
from engine.learning.questions.answer_forms import Choice
from engine.learning.questions.question import Attempt

SAMPLES = Path(__file__).parents[3] / "samples"
HANDOUT = RunConfig(str(SAMPLES / "handout.txt"), pattern="whitespace")


async def asking(app: BpeTuiApp, pilot: Pilot[int]) -> ExplainScreen:
    """Return the explain screen, once it asks."""
    await until(pilot, lambda: isinstance(app.screen, ExplainScreen) and app.screen.question)
    assert isinstance(app.screen, ExplainScreen)
    return app.screen


async def attempt_at(app: BpeTuiApp, pilot: Pilot[int]) -> Attempt:
    """Return the attempt in a window, once that is there."""
    await until(pilot, lambda: isinstance(app.screen, AskWindow))
    attempt = app.screen.query_one(QuestionPanel).attempt
    assert attempt is not None
    return attempt


@pytest.mark.parametrize("size", [(80, 24), pytest.param((60, 20), marks=pytest.mark.slow)])
async def test_the_next_merges_are_made_by_hand_and_then_shown(size: tuple[int, int]) -> None:
    async with opened_as(HANDOUT, size) as (app, pilot):
        await pilot.press("P")
        screen = await asking(app, pilot)
        app.session.following = True  # which would show the steps to make
        await pilot.press("m")
        attempt = await attempt_at(app, pilot)
        assert not app.session.following
        panel = app.screen.query_one(QuestionPanel)
        assert panel.row_count <= panel.size.height, "all of the exercise is in sight"
        # s + t, then e + st, then o + w: the cursor stays at the pair that was chosen.
        await pilot.press(
            "down", "down", *["right"] * 4, "enter", "space", "down", "space", "enter"
        )
        assert len(attempt.progress) == 5
        await pilot.press("up", "left", "enter")
        await pilot.press("space", "down", "space", "enter")
        assert len(attempt.progress) == 10
        await pilot.press("exclamation_mark", "enter")
        await until(pilot, lambda: app.screen is screen)
        await until(pilot, lambda: step(app) == 3)
        assert "0 of 1 at the first try" in str(screen.query_one("#heading").render())
        await pilot.press("m", "right", "escape")
        await until(pilot, lambda: app.screen is screen)
        assert step(app) == 3  # where they began
        await pilot.press("end", "m")
        assert "Nothing to do by hand: no pair merges after step 12." in app.notices.now


@pytest.mark.slow
async def test_of_two_keys_at_once_that_leave_a_question_the_second_does_nothing() -> None:
    async with opened_as(HANDOUT, (80, 24)) as (app, pilot):
        await pilot.press("end", "2")
        await until(pilot, lambda: isinstance(app.screen, EncodingScreen))
        app.session.type("lowest")
        app.changed()
        await pilot.press("P")
        attempt = await attempt_at(app, pilot)
        await pilot.press("enter")
        assert attempt.at_first_try
        burst(app, "enter", "enter")
        await until(pilot, lambda: isinstance(app.screen, EncodingScreen))


@pytest.mark.parametrize("model", ["wordpiece", "unigram"])
async def test_the_steps_of_the_other_models_are_asked_for_before_they_are_shown(
    model: str,
) -> None:
    config = RunConfig(str(SAMPLES / "ship.txt"), 90, model=model)
    async with opened_as(config, (100, 30)) as (app, pilot):
        await pilot.press("P")
        screen = await asking(app, pilot)
        assert screen.question is not None
        form = screen.question.attempt.question.form
        assert isinstance(form, Choice)
        answer = screen.question.attempt.question.answer
        assert isinstance(answer, int)
        shown = row_texts(screen.sections["count"])
        assert all(option.note in row for option, row in zip(form.options, shown, strict=False))
        wrong = (answer + 1) % len(form.options)
        await pilot.press("H", *["down"] * wrong, "enter")
        assert screen.question.attempt.hinted
        rows = row_texts(screen.sections["count"])
        assert [row for row in rows if " no" in row] == [rows[wrong]]
        await pilot.press(*["up"] * ((wrong - answer) % len(form.options)), "enter", "enter")
        await until(pilot, lambda: step(app) == 1)


STORIES = str(SAMPLES / "tinystories_valid.txt")


@pytest.mark.parametrize(
    ("config", "start", "ties"),
    [
        (HANDOUT, 0, 7),  # each of its steps is asked about
        pytest.param(RunConfig(STORIES, 1200), 0, 4, marks=pytest.mark.slow),
        (RunConfig(STORIES, 1200), 500, 7),  # 92 % of these steps are tied
    ],
)
async def test_ties_and_other_steps_are_asked_about_alike(
    config: RunConfig, start: int, ties: int
) -> None:
    async with opened_as(config, (80, 24)) as (app, pilot):
        frame, drawn, kinds, steps = frame_of(app).at(start), AskedSteps(), "", [start]
        for place in range(11):
            question = drawn.ask(frame, goes_on=place > 0)
            kinds += question.kind[0]
            steps.append(question.frame.step)
            drawn.count(question)
            frame = frame.at(question.frame.step + 1)
        assert kinds.count("t") == ties, kinds
        app.seek(start)
        app.action_predict()
        screen = await asking(app, pilot)
        screen.clock.motion = False
        for expected in steps[1:5]:
            await until(pilot, lambda: screen.question and step(app) == expected)  # noqa: B023
            await pilot.press("right")  # skips it
