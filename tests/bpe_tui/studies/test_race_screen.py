"""The race screen: all trainers on the corpus of the run, started when it is first shown."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, patch

import pytest
from opening import opened, opened_as, until
from screen_text import shown
from textual.pilot import Pilot
from textual.widgets import Static

from bpe_tui.app.app import BpeTuiApp
from bpe_tui.session.config import RunConfig
from bpe_tui.studies import race as race_screen
from bpe_tui.studies.race import (
    RaceJob,
    RaceScreen,
    StandingsPanel,
    WorkPanel,
    _with_fork,
    describe_race,
)
from bpe_tui.widgets.controls import KeyBar
from engine.bpe.race import RACERS
from engine.recording.merge_record import PhaseStart

HANDOUT = Path(__file__).parents[3] / "samples" / "handout.txt"


@asynccontextmanager
async def racing(
    corpus: Path = HANDOUT, size: tuple[int, int] = (120, 40), tie_rule: str = "lexicographic"
) -> AsyncIterator[tuple[BpeTuiApp, RaceScreen, Pilot[int]]]:
    """Open the race screen and wait for the end of the race."""
    async with opened(corpus, size, vocab_size=300, tie_rule=tie_rule) as (app, pilot):
        await pilot.press("6")
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        await ended(screen, pilot)
        yield app, screen, pilot


def job_of(screen: RaceScreen) -> RaceJob:
    assert screen._job is not None
    return screen._job


async def ended(screen: RaceScreen, pilot: Pilot[int]) -> None:
    """Wait until the screen says the outcome of the race."""
    await until(pilot, lambda: "the same" in said(screen))
    assert job_of(screen).complete


def said(screen: RaceScreen) -> str:
    return str(screen.query_one("#narration", Static).content)


async def test_a_key_starts_the_race_whose_merges_are_the_same() -> None:
    async with racing() as (app, screen, pilot):
        app.seek(3)
        standings = shown(screen.query_one(StandingsPanel))
        assert all(f"\n{name} " in f"\n{standings}" for name in RACERS)
        assert said(screen) == "4 trainers, the same 14 merges."
        assert "leave" not in [key.label for key in screen.query_one(KeyBar).keys]
        job = job_of(screen)
        job.complete = False  # as of a race that still runs
        screen._update()
        assert said(screen) == "naive runs: merge 14 … Esc stops the race."
        await pilot.press("escape")
        assert (job.is_cancelled, app.screen) == (True, screen)
        assert said(screen) == "Stopped; r runs it again. 4 trainers, the same 14 merges."
        await pilot.press("r")
        assert job_of(screen) is not job
        await ended(screen, pilot)
        assert said(screen) == "4 trainers, the same 14 merges."
        job = job_of(screen)
        await pilot.press("1")
        app.forget_run()
        await until(pilot, lambda: job.is_cancelled and not screen.is_running)


def test_a_race_is_shown_as_it_begins_and_ends_and_rests_after_each_slice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bpe_tui.session.threads.monotonic", lambda: 0.0)
    rests: list[float] = []
    monkeypatch.setattr(race_screen, "sleep", rests.append)
    posted: list[bool] = []
    counts = {b"%06d" % n: 1 for n in range(1000)}  # more than a slice
    config = RunConfig(str(HANDOUT), vocab_size=290)
    RaceJob(config, counts, lambda job: posted.append(job.complete)).work()
    assert posted == [False, True]
    assert set(rests) == {race_screen.REST_SECONDS}


async def test_a_training_in_phases_is_raced_on_up_to_the_end_of_its_first() -> None:
    config = RunConfig(str(HANDOUT), phases="whitespace:260,none:262")
    async with opened_as(config) as (app, pilot):
        await pilot.press("6")
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        first = "4 trainers, the same 3 merges. The race is over the 3 merges of phase 1."
        await until(pilot, lambda: said(screen) == first)


async def test_while_training_runs_the_race_waits() -> None:
    async with opened(HANDOUT, vocab_size=300) as (app, pilot):
        reason, app.session.stop_reason = app.session.stop_reason, None
        await pilot.press("6")
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        assert said(screen) == "The race starts when training has ended."
        assert shown(screen.query_one(WorkPanel)) == "The race has not started yet."
        app.session.stop_reason = reason
        app.changed()
        await ended(screen, pilot)


@pytest.mark.slow
async def test_a_large_corpus_is_raced_on_in_part_and_the_screen_says_so() -> None:
    with patch.object(race_screen, "MOST_BYTES", 15):
        async with racing() as (_, screen, _):
            assert said(screen).startswith("On 0.")


def test_the_first_merge_that_differs_is_counted_from_1() -> None:
    race: Any = SimpleNamespace(first_difference=2)
    assert describe_race(race) == "The merges differ from merge 3 on."


def test_the_outcome_says_what_trainers_do_not_follow() -> None:
    ways = []
    for starts, by_rule in (([PhaseStart(20, "none")], True), ([], True), ([], False)):
        raced = MagicMock(record=SimpleNamespace(phase_starts=starts, by_rule=by_rule))
        raced.__len__.return_value = 13
        ways.append(_with_fork(raced, "All the same."))
    assert ways == [
        ("All the same. The race is over the 20 merges of phase 1.", "All the same."),
        ("All the same.",),
        (
            "All the same. The fork has 13 merges: trainers go by the rules alone, nothing is "
            "prescribed.",
            "By the rules alone: All the same. The fork has 13 merges.",
            "All the same.",
        ),
    ]


async def test_a_corpus_without_pairs_says_so(tmp_path: Path) -> None:
    corpus = tmp_path / "one.txt"
    corpus.write_text("a")
    async with racing(corpus) as (_, screen, _):
        assert said(screen) == "4 trainers, the same 0 merges."
