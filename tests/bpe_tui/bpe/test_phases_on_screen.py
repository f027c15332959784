"""A run of several phases on the screens: its border is marked and said, and all goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest
from edges import edged
from opening import SAMPLE, each_size, frame_of, opened_as, step, until
from screen_text import shown
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.bpe.heap_panel import PairsPanel
from bpe_tui.bpe.model import _trainer
from bpe_tui.bpe.phases import describe_phases
from bpe_tui.bpe.training_screen import CorpusPanel, TrainingScreen
from bpe_tui.bpe.what_if import in_phase_of
from bpe_tui.explain.bpe import BpeExplainer
from bpe_tui.session.config import RunConfig
from bpe_tui.widgets.controls import Scrubber
from bpe_tui.widgets.lines import Lines
from engine.bpe.frame import Frame
from engine.bpe.phases import DEFAULT_MOST_WORDS, Phase, PhasedTrainer

BORDER = 73
PHASES = RunConfig(str(SAMPLE), phases="gpt2:330,none:360")


def edges_shown(panel: Lines) -> str:
    """Return the rows as text, with borders between tokens."""
    return "\n".join(edged(panel.row(index).spans) for index in range(panel.row_count))


def is_border_of_phase(frame: Frame, is_ahead: bool) -> bool:
    """Whether the lesson says that a phase begins with a merge: the next one, or the one made."""
    assert frame.next_pair is not None
    _, why = BpeExplainer(marks=False).why(frame, frame.next_pair, is_ahead, 60)
    return "".join(text for text, _ in why) == "Phase 2 begins here: pattern none."


def painted(app: BpeTuiApp) -> str:
    return " ".join(strip.text for strip in app.screen._compositor.render_strips())


@pytest.mark.slow
async def test_the_slider_marks_where_a_phase_begins() -> None:
    async with opened_as(PHASES) as (app, pilot):
        await until(pilot, lambda: "┃" in app.screen.query_one(Scrubber).render_line(0).text)


def test_without_a_limit_of_words_that_of_phases_holds() -> None:
    runs = *(replace(PHASES, most_words=most) for most in (None, 0, 2)), RunConfig("", most_words=3)
    assert [_trainer(run, {})._task.most_words for run in runs] == [DEFAULT_MOST_WORDS, None, 2, 3]


def test_a_line_about_each_phase_has_its_merges_and_the_compression_at_its_end() -> None:
    counts = {b"abcd": 1}
    phases = Phase("lines", 257), Phase("gpt2", 258), Phase("none", 259)
    trainer = PhasedTrainer(counts, phases, lambda pattern: counts)
    assert len(list(trainer.steps())) == 3
    assert list(describe_phases(counts, trainer.record)) == [
        "phase 1: 1 merge, 1.33 bytes per token",
        "phase 2, pattern gpt2: 1 merge, 2.00 bytes per token",
        "phase 3, pattern none: 1 merge, 4.00 bytes per token",
    ]


@pytest.mark.slow
async def test_borders_fall_before_ones_eyes() -> None:
    async with opened_as(PHASES) as (app, pilot):
        await pilot.press("1")
        await until(pilot, lambda: isinstance(app.screen, TrainingScreen))
        app.seek(BORDER - 1)
        assert [
            (at, is_ahead)
            for at in (BORDER - 2, BORDER - 1, BORDER, BORDER + 1)
            for is_ahead in (False, True)
            if is_border_of_phase(frame_of(app).at(at), is_ahead)
        ] == [(BORDER - 1, False), (BORDER, True)]
        plans = (in_phase_of(frame_of(app).at(at), PHASES) for at in (BORDER - 1, BORDER))
        assert [(each.pattern, each.phases) for each in plans] == [("gpt2", ""), ("none", "")]
        corpus, pairs = app.screen.query_one(CorpusPanel), app.screen.query_one(PairsPanel)
        await until(pilot, lambda: "│·and│" in edges_shown(corpus))
        app.seek(BORDER)
        await until(pilot, lambda: "│·and│" not in edges_shown(corpus))
        assert "·and┊" in edges_shown(corpus)
        assert "0 stale" in painted(app)
        await until(pilot, lambda: ",+·and" in shown(pairs))
        async for _ in each_size(pilot):
            line = app.screen.query_one("#narration", Static)
            assert "Phase 2 begins here: pattern none." in str(line.render())
            assert len(str(line.render())) <= line.size.width
        app.seek(BORDER + 3)
        await until(pilot, lambda: "·and" in edges_shown(corpus))
        await pilot.press("v", "v", "full_stop", "full_stop", "n", "t", "T", "left", "end", "home")
        assert app.is_running


@pytest.mark.slow
async def test_questions_are_asked_and_answered_in_the_second_phase() -> None:
    async with opened_as(PHASES) as (app, pilot):
        for at in (BORDER - 1, BORDER, BORDER + 1):
            app.seek(at)
            await pilot.press("0")
            await until(pilot, lambda: app.screen.id == "explain")
            await pilot.press("P")
            await until(pilot, lambda: "Which pair merges next?" in painted(app))
            await pilot.press("exclamation_mark")
            await until(pilot, lambda at=at: step(app) == at + 1)
            await pilot.press("escape", "1")
