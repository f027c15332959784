"""The clock of the application, and what its keys do to the session and say."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from opening import opened_as, step, until
from program import HANDOUT

from bpe_tui.app import app as main
from bpe_tui.app import session_app
from bpe_tui.app.app import FOR_KEYS, BpeTuiApp, _prepare
from bpe_tui.session.config import RunConfig
from bpe_tui.session.session import ForkedFrom, Session
from bpe_tui.shell.session_screen import SessionScreen

RUN = RunConfig(HANDOUT, vocab_size=300, pattern="whitespace")
SCREENS = "race family check pipeline explain training encoding vocabulary inspection charts"
"""The screens of BPE, in the order in which they are made."""


class Clock:
    """A clock that the test moves; it counts what the application shows."""

    def __init__(self, app: BpeTuiApp, monkeypatch: pytest.MonkeyPatch) -> None:
        self.app, self.now, self.shown = app, 1000.0, 0
        assert app._clock is not None
        app._clock.pause()
        app._ticked = app._pressed = self.now
        monkeypatch.setattr(session_app, "monotonic", lambda: self.now)
        monkeypatch.setattr(app.screen, "show_session", self.show)

    def show(self, session: Session) -> None:
        self.shown += 1

    def tick(self, seconds: float) -> tuple[int, int]:
        """Let time pass; return the step, and how often the screen was shown."""
        self.now, self.shown = self.now + seconds, 0
        self.app._tick()
        return step(self.app), self.shown


async def test_the_clock_plays_shows_what_has_grown_and_stops_at_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened_as(RUN) as (app, _):
        clock = Clock(app, monkeypatch)
        assert isinstance(app.screen, SessionScreen)
        app.screen.action_play()
        seen = [clock.tick(seconds) for seconds in (0.125, 0.0625, 0.0625, 0.25)]
        assert seen == [(1, 1), (1, 0), (2, 1), (5, 1)]
        for shown in (1, 0):
            clock.shown = 0
            app.hold()
            assert (clock.shown, app.session.playing) == (shown, False)
        for name in ("following", "awaiting"):
            setattr(app.session, name, True)
            clock.shown = 0
            app.hold()
            assert clock.shown == 1
        app.changed()
        app._has_grown = True
        assert clock.tick(0.19) == (5, 0)
        clock.now = app._growth_due
        assert clock.tick(0) == (5, 1)
        assert not app._has_grown
        app._has_grown = app.session.following = True
        assert clock.tick(0.01) == (5, 1)
        app.session.following, app.session.found_none = False, True
        clock.tick(0)
        assert app.notices.now == "No breakpoint is set: t, then b, adds one."
        assert not app.session.found_none
        rested = []
        monkeypatch.setattr(app, "_use_rest", rested.append)
        app._pressed = clock.now - 5
        clock.tick(1)
        app._has_grown, app._growth_due = True, clock.now + 9
        clock.tick(0.1)
        app._has_grown, app.session.playing = False, True
        clock.tick(0.01)
        assert rested == [6.0]


async def test_at_rest_screens_are_made_garbage_is_collected_and_then_the_clock_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened_as(RUN) as (app, pilot):
        clock = Clock(app, monkeypatch)
        made, seconds_of_rest = list[str](), list[float]()

        def rest(seconds: float) -> bool:
            seconds_of_rest.append(seconds)
            return seconds > 2

        monkeypatch.setattr(session_app, "mount_ahead", lambda _, name: made.append(name))
        monkeypatch.setattr(app._collector, "rest", rest)
        app._ahead, app.makes_ahead, app._is_at_rest = ["charts", "race"], True, False
        for seconds, left in ((0.3, 2), (0.31, 1), (0.4, 0)):
            app._use_rest(seconds)
            assert (len(app._ahead), app._is_at_rest) == (left, False)
        assert made == ["charts", "race"]
        for seconds, is_at_rest in ((0.3, False), (1.0, False), (3.0, True)):
            app._use_rest(seconds)
            assert app._is_at_rest == is_at_rest
        assert seconds_of_rest == [1.0, 3.0]
        clock.now += 7
        assert app._clock is not None
        monkeypatch.setattr(app._clock, "resume", lambda: made.append("the clock runs"))
        app.wake()
        assert (app._is_at_rest, app._ticked, made[2:]) == (False, clock.now, ["the clock runs"])
        app.session.stop_reason = None  # in training, whose messages wake it
        app._use_rest(0)
        assert app._is_at_rest
        clock.now += 1
        await pilot.press("shift+f5")  # a key starts the clock
        assert app._ticked == clock.now
        app._pressed = clock.now - 0.125
        slept = list[float]()

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            clock.now += 0.125

        monkeypatch.setattr(session_app, "sleep", sleep)
        monkeypatch.setattr(session_app, "QUIET_SECONDS", 0.375)
        app.wait_for_rest()
        assert slept == [0.25, 0.125]


async def test_after_training_a_thread_imports_what_keys_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done, ahead = list[str](), list[tuple[Any, ...]]()

    def thread(args: tuple[Any, ...], **options: Any) -> SimpleNamespace:
        return SimpleNamespace(start=lambda: ahead.append(args))

    monkeypatch.setattr(main, "Thread", thread)
    monkeypatch.setattr(main, "QUIET_SECONDS", 0.05)
    async with opened_as(RUN) as (app, pilot):
        await until(pilot, lambda: ahead)
        [(screens, recording, _, wait)] = ahead
        assert " ".join(screens) == SCREENS
        assert (recording, wait) == (app.session.recording, app.wait_for_rest)
    run = SimpleNamespace(prepare=lambda: done.append("far jumps"))
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    monkeypatch.setitem(session_app.PLACES, "small", "colorsys:rgb_to_hls")
    session_app.import_screen("small")
    assert "colorsys" in sys.modules
    monkeypatch.setattr(main, "import_screen", done.append)
    monkeypatch.setattr(main, "import_module", done.append)
    for recording in (SimpleNamespace(run=run), None):
        _prepare(
            ["charts", "race"],
            recording,  # type: ignore[arg-type]
            lambda news: done.append(type(news).__name__),
            lambda: done.append("rest"),
        )
    imported = ["rest", "charts", "ScreenImported", "rest", "race", "ScreenImported", *FOR_KEYS]
    assert done == [*imported, "far jumps", "FarJumpsPrepared", *imported]


async def test_keys_say_what_they_do_not_find() -> None:
    async with opened_as(RUN) as (app, _):
        cases: list[tuple[int, Any, int, int, str]] = [
            (0, app.action_tie, 1, 1, ""),
            (1, app.action_tie, 1, 3, ""),
            (12, app.action_tie, 1, 12, "No merge after this one was tied."),
            (3, app.action_tie, -1, 1, ""),
            (1, app.action_tie, -1, 1, "No merge before this one was tied."),
            (12, app.action_prune, 1, 12, "No prune after this step."),
            (0, app.action_prune, -1, 0, "No prune before this step."),
            (5, app.action_end, True, 12, ""),
            (5, app.action_end, False, 0, ""),
        ]
        for start, action, given, end, told in cases:
            app.seek(start)
            app.notices.now = ""
            action(given)
            assert (step(app), app.notices.now) == (end, told)
        app.seek(0)
        app.go_to_following()
        assert step(app) == 1
        app.session.breakpoints.add("step 6")
        app.go_to_following()
        assert step(app) == 6
    async with opened_as(RunConfig(HANDOUT, vocab_size=40, model="unigram")) as (app, _):
        app.go_to_following()
        assert app.notices.now == "No prune after this step."


async def test_an_action_that_is_refused_says_why_and_does_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened_as(RUN) as (app, pilot):
        why: dict[str, Any] = {"app.show('charts')": "No charts.", "app.model": "No model."}
        monkeypatch.setattr(app, "refusal_of", why.get)
        app.action_show("charts")
        await pilot.pause()
        assert (app.screen.id, app.notices.now) == ("training", "No charts.")
        session = app.session
        app.retrain(RUN)
        assert (app.session is session, app.notices.now) == (True, "No model.")
        app.action_help_quit()
        assert app.notices.now == "q quits."
        app.tell_saved("a\x1b.txt")
        assert app.notices.now == f"Saved: {Path.cwd()}/a␛.txt"
        app.tell_saved(None)
        assert app.notices.now == f"Saved: {Path.cwd()}/a␛.txt"
        session.stop_reason = None
        app.action_what_if()
        assert app.notices.now.startswith("Training still runs; a fork can be compared when it")
        assert app.viewpoint == (viewpoint := type(app.viewpoint)(0, "training", ""))
        session.typed = "low"
        app.seek(2)
        assert app.viewpoint == type(viewpoint)(2, "training", "low")
        assert app._file_name == "handout"


async def test_q_asks_once_while_a_fork_is_saved_nowhere() -> None:
    async with opened_as(RUN) as (app, pilot):
        session: Any = app.session
        run = session.recording, session.stop_reason, session.config, None
        forks = [ForkedFrom(step, {}, *run) for step in (2, 3, 4)]  # type: ignore[arg-type]
        with patch.object(app, "exit") as left:
            for fork, leaves in (
                (forks[0], False),
                (forks[0], True),
                (forks[1], False),
                (None, True),  # I has led back to the first run
            ):
                left.reset_mock()
                session.forked_from = fork
                await pilot.press("q")
                assert left.called == leaves
                assert app.notices.now.startswith("The fork of step") != leaves
            session.forked_from = forks[2]
            left.reset_mock()
            app._saved_tokenizer("fork.json")
            await pilot.press("q")
            assert left.called
