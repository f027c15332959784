"""Jobs and their owner: what is cancelled reports nothing more, and no thread outlives its work."""

import gc
import threading
import weakref
from functools import partial
from time import sleep
from typing import Any

import pytest
from opening import burst, opened, until
from textual.screen import Screen

from bpe_tui.app import session_app
from bpe_tui.app.app import BpeTuiApp
from bpe_tui.app.base import BaseApp
from bpe_tui.session.threads import Job, Post
from bpe_tui.shell.panel_screen import PanelScreen
from bpe_tui.studies.race import RaceScreen


class Gated(Job):
    """A job that posts a word once its gate is opened, and then waits to be cancelled."""

    def __init__(self, word: str, post: Post) -> None:
        super().__init__("gated", post)
        self.gate, self._word = threading.Event(), word

    def work(self) -> None:
        while not self.gate.wait(0.001):
            self.check_cancelled()  # a thread that is left lets all later tests wait for it
        self.post(self._word)
        while True:
            self.check_cancelled()
            sleep(0.001)


async def test_a_job_reports_on_the_ui_thread_until_it_is_replaced_or_its_session_ends() -> None:
    app = BaseApp()
    async with app.run_test() as pilot:
        taken: list[tuple[str, threading.Thread]] = []

        def take(word: str) -> None:
            taken.append((word, threading.current_thread()))

        old = app.jobs.start(app, partial(Gated, "old"), take)
        new = app.jobs.start(app, partial(Gated, "new"), take)
        old.gate.set()
        new.gate.set()
        await until(pilot, lambda: bool(taken))
        old.wait()
        assert taken == [("new", threading.current_thread())]
        app.jobs.cancel(app)
        new.wait()
        late = app.jobs.start(app, partial(Gated, "late"), take)
        late.gate.set()
        app.jobs.end()
        late.wait()  # it has posted
        await pilot.pause()
        assert len(taken) == 1


async def test_of_several_searches_in_haste_only_the_first_and_the_last_work() -> None:
    app = BaseApp()
    async with app.run_test() as pilot:
        gate, begun, found = threading.Event(), list[int](), list[int]()

        def find(number: int) -> int:
            begun.append(number)
            gate.wait()
            return number

        app.jobs.find(app, "number", partial(find, 1), found.append)
        await until(pilot, lambda: begun == [1])
        for number in (2, 3):
            app.jobs.find(app, "number", partial(find, number), found.append)
        gate.set()
        await until(pilot, lambda: bool(found))
        assert (begun, found) == ([1, 3], [3])


class Showing(PanelScreen):
    """A screen that keeps the job whose finding it shows, as screens do."""

    def on_mount(self) -> None:
        self.notifier.jobs.find(self, "showing", lambda: 3, self.take)
        self.job = self.notifier.jobs.start(self, partial(Gated, "found"), self.take)

    def take(self, found: object) -> None:
        self.found = found


async def test_no_job_keeps_a_removed_screen() -> None:
    app = BaseApp()
    async with app.run_test() as pilot:
        await app.push_screen(Showing())
        screen = weakref.ref(app.screen)
        app.screen.job.gate.set()  # type: ignore[attr-defined]
        await until(pilot, lambda: getattr(app.screen, "found", None) == "found")
        await app.pop_screen()
        await until(pilot, lambda: (gc.collect(), screen() is None)[1])


@pytest.mark.parametrize("is_removed", [True, False])
async def test_a_call_after_the_refresh_is_made_only_if_its_screen_has_not_been_removed(
    is_removed: bool,
) -> None:
    app, called = BaseApp(), list[Screen[Any]]()
    async with app.run_test() as pilot:
        await app.push_screen(screen := Showing())
        if is_removed:
            removal = app.pop_screen()
        screen.call_after_refresh(called.append, screen)
        if is_removed:
            await removal
        app.screen.refresh()
        await pilot.pause()
        assert called == ([] if is_removed else [screen])
    screen.job.wait()


async def test_an_unexpected_error_is_raised_on_the_ui_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, survived = BaseApp(), list[Exception]()

    def goes_on_after(error: Exception) -> bool:
        survived.append(error)
        return True

    monkeypatch.setattr(app, "goes_on_after", goes_on_after)
    async with app.run_test() as pilot:
        app.jobs.find(app, "quotient", lambda: 1 // 0, print)
        await until(pilot, lambda: survived)
        assert isinstance(survived[0], ZeroDivisionError)


def test_work_ahead_waits_until_no_key_has_been_pressed_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app, now, slept = BpeTuiApp(None), [10.0], list[float]()

    def sleep_until_a_key(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds
        if len(slept) == 1:
            app._pressed = now[0]

    monkeypatch.setattr(session_app, "monotonic", lambda: now[0])
    monkeypatch.setattr(session_app, "sleep", sleep_until_a_key)
    app._pressed = now[0] - session_app.QUIET_SECONDS / 4
    app.wait_for_rest()
    assert slept == pytest.approx([session_app.QUIET_SECONDS * 3 / 4, session_app.QUIET_SECONDS])


@pytest.mark.slow
async def test_opening_another_corpus_or_quitting_ends_the_race() -> None:
    def racing() -> list[threading.Thread]:
        return [each for each in threading.enumerate() if each.name == "race"]

    async with opened(vocab_size=3000) as (app, pilot):  # naive takes seconds for them
        burst(app, "6")
        await until(pilot, racing)
        screen = app.screen
        assert isinstance(screen, RaceScreen)
        job = screen._job
        assert job is not None
        app.open(app.session.config)
        assert job.is_cancelled
        job.wait()
        await until(pilot, lambda: not racing())
        burst(app, "6")
        await until(pilot, racing)
    for thread in racing():
        thread.join(60)
    assert not racing()
